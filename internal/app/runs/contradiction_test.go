package runs_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/verify"
)

// changed changes the i-th number that a record reports: its rows, then sums, then maxima. ok is false past
// the last one.
func changed(r *kv.Record, i int, d func(uint128.Uint128) uint128.Uint128) (name string, ok bool) {
	r.Tally.Sums, r.Tally.Maxima = slices.Clone(r.Tally.Sums), slices.Clone(r.Tally.Maxima)
	if i == 0 {
		r.Rows = d(uint128.From(r.Rows)).Lo
		return "rows", true
	}
	list := [][]puzzle.Scalar{r.Tally.Sums, r.Tally.Maxima}
	for _, l := range list {
		if i--; i < len(l) {
			l[i].Value = d(l[i].Value)
			return l[i].Name, true
		}
		i -= len(l) - 1
	}
	return "", false
}

// TestContradictions makes every number of every window one too large, one at a time, for every puzzle that can tell. A
// class or a start that no row stands for is found in every window, a row that is not there in some.
func TestContradictions(t *testing.T) {
	one := uint128.From(1)
	for name, config := range everyCount {
		s := stored(t, config)
		if _, ok := s.Puzzle.(puzzle.TallyChecker); !ok {
			if !slices.Contains([]string{"tiles", "hits", "winning", "reformed"}, name) {
				t.Errorf("%s: its windows are not checked", name)
			}
			continue
		}
		found, missed := map[string]int{}, map[string]int{}
		err := s.Folder.Ledger.Load(func(e kv.Entry) error {
			if err := s.Results.CheckTally(&e.Record); err != nil {
				t.Errorf("%s: a right record is refused: %v", name, err)
			}
			for i := 0; ; i++ {
				r := e.Record
				what, ok := changed(&r, i, func(n uint128.Uint128) uint128.Uint128 { n, _ = n.Add(one); return n })
				if !ok {
					return nil
				}
				if err := s.Results.CheckTally(&r); err == nil {
					missed[what]++
				} else if found[what]++; !strings.Contains(err.Error(), "window "+e.Record.ID().String()) {
					t.Errorf("%s: %s changed: %v does not name window %s", name, what, err, e.Record.ID())
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: found %v, missed %v", name, found, missed)
		for _, what := range []string{"classes", "ways0_classes", "starts", "problems"} {
			if missed[what] > 0 {
				t.Errorf("%s: one too many in %s is not found in %d windows", name, what, missed[what])
			}
		}
		if found["rows"] == 0 && len(found)+len(missed) > 0 {
			t.Errorf("%s: one row too many is found in no window", name)
		}
	}
}

// TestContradictionInLedger writes more classes than there are rows into a ledger. The run is not loaded, and the error
// names the window. A verification finds it, and then the run ends with the right totals.
func TestContradictionInLedger(t *testing.T) {
	j := jobOf(t, problem+"games\n")
	f, end := folderFor(t, j)
	defer end()
	carryOut := func() string {
		out, err := engine.Run(t.Context(), j.Puzzle, f, engine.Options{Concurrency: 1})
		if err != nil {
			t.Fatal(err)
		}
		sum, err := j.Puzzle.Summarise(out.Results)
		if err != nil {
			t.Fatal(err)
		}
		return string(j.Summary(&sum, "json", render.Style{}))
	}
	want := carryOut()
	var lie kv.Entry
	if err := f.Ledger.Load(func(e kv.Entry) error {
		if e.Record.Layer == 4 && e.Record.Rows > 0 {
			lie = e
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	id := lie.Record.ID()
	lie.Record.Tally.Sums = slices.Clone(lie.Record.Tally.Sums)
	if err := lie.Record.Tally.AddSum("classes", uint128.From(2)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Ledger.Forget(id), f.Ledger.Append([]kv.Entry{lie})); err != nil {
		t.Fatal(err)
	}
	if _, err := rundir.Load(j.Puzzle, f); !errors.Is(err, plan.ErrContradiction) ||
		!strings.Contains(err.Error(), "window "+id.String()) || !strings.Contains(err.Error(), "classes, but") {
		t.Errorf("the run is loaded: %v", err)
	}
	if _, err := engine.Run(t.Context(), j.Puzzle, f, engine.Options{Concurrency: 1}); err == nil ||
		!strings.Contains(err.Error(), "window "+id.String()) {
		t.Errorf("the run is called complete: %v", err)
	}
	report, err := verify.Run(t.Context(), j.Puzzle, f, verify.Options{Workers: 1, Repair: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Findings) != 1 || report.Findings[0].Kind != verify.FindTally ||
		report.Findings[0].Window != id.String() {
		t.Errorf("%+v", report.Findings)
	}
	if got := carryOut(); got != want {
		t.Errorf("after the repair: %s", got)
	}
}

// miscounting reports a class too many in one window.
type miscounting struct {
	puzzle.TallyChecker
	id puzzle.WindowID
}

func (p miscounting) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (puzzle.Tally, error) {
	t, err := p.TallyChecker.Compute(ctx, w, in, out)
	if err == nil && w.ID() == p.id {
		err = t.AddSum("classes", uint128.From(1))
	}
	return t, err
}

// TestContradictionOfOwn has this very process report a class too many, which no worker is to blame for: the run ends,
// and nothing of the window is in the ledger.
func TestContradictionOfOwn(t *testing.T) {
	j := jobOf(t, problem+"games\nwindow_addresses: 8\n")
	f, end := folderFor(t, j)
	defer end()
	p := miscounting{j.Puzzle.(puzzle.TallyChecker), puzzle.WindowID{Cell: puzzle.Cell{Layer: 3, Key: "2.1.1.2"}}}
	_, err := engine.Run(t.Context(), p, f, engine.Options{Concurrency: 1})
	if !errors.Is(err, plan.ErrContradiction) || !strings.Contains(err.Error(), "window "+p.id.String()) {
		t.Errorf("the run ends with %v", err)
	}
	if _, found, err := f.Ledger.Entry(p.id); found || err != nil {
		t.Errorf("the window is in the ledger: %t, %v", found, err)
	}
}
