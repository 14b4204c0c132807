package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/verify"
)

func share(num, denom int64, seed uint64) *verify.Draw {
	return &verify.Draw{Share: big.NewRat(num, denom), Seed: seed}
}

// verified verifies the run in dir.
func verified(t *testing.T, p puzzle.Puzzle, dir string, o verify.Options) *verify.Report {
	t.Helper()
	f := create(t, p, dir)
	defer closeFolder(t, f)
	o.Workers = 2
	v, err := verify.Run(t.Context(), p, f, o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Every window of an honest run comes out the same when it is computed again.
func TestRecomputeAll(t *testing.T) {
	for _, p := range toys(60) {
		t.Run(name(p), func(t *testing.T) {
			dir := t.TempDir()
			run(t, p, dir, faultless(), engine.Options{Concurrency: 2})
			// A bound that no window fits in has them computed one after the other.
			v := verified(t, p, dir, verify.Options{Recompute: share(1, 1, 3), MemoryBytes: 1})
			r := v.Recomputation
			if v.Recomputed != v.Windows || r.Drawn != v.Windows || r.Same != v.Windows || r.Other+r.Remaining() > 0 ||
				len(v.Findings) > 0 || v.OnTrust != 0 {
				t.Fatalf("%+v, %+v", v, r)
			}
			want := fmt.Sprintf("%d windows: %[1]d read, %[1]d recomputed, 0 on trust; no error found", v.Windows)
			if v.Verdict() != want {
				t.Errorf("verdict %q, want %q", v.Verdict(), want)
			}
		})
	}
}

// A share is drawn by its seed, rounded up. Windows whose parents' rows were dropped are counted, not passed over.
func TestRecomputeShare(t *testing.T) {
	p := &enginetest.Pascal{Depth: 6, Slots: 101, Window: 40}
	dir := t.TempDir()
	run(t, p, dir, faultless(), engine.Options{Concurrency: 2})
	v := verified(t, p, dir, verify.Options{Recompute: share(1, 10, 7)})
	if want := (v.Windows + 9) / 10; v.Recomputed != want || v.Recomputation.Drawn != want || v.OnTrust != 0 {
		t.Errorf("%+v, want %d windows", v.Recomputation, want)
	}

	dropped := t.TempDir()
	run(t, p, dropped, faultless(), engine.Options{Retention: plan.RetainLast})
	v = verified(t, p, dropped, verify.Options{})
	if v.Read == 0 || v.Read+v.OnTrust != v.Windows || v.OnTrust != v.Absent || v.Recomputed != 0 {
		t.Errorf("nothing recomputed: %+v", v)
	}
	want := fmt.Sprintf("%d windows: %d read, 0 recomputed, %d on trust; no error found", v.Windows, v.Read, v.Absent)
	if v.Verdict() != want {
		t.Errorf("verdict %q, want %q", v.Verdict(), want)
	}
	// Of all, those of layer 0 need no rows.
	v = verified(t, p, dropped, verify.Options{Recompute: share(1, 1, 0)})
	r := v.Recomputation
	if r.Drawn != v.Windows || r.Same != 3 || r.Same+r.Remaining() != v.Windows || len(r.NotRun) != 1 ||
		r.NotRun[0].Reason != verify.NoParentRows || len(v.Findings) > 0 {
		t.Errorf("%+v", r)
	}
}

// elsewhere carries out a run again, for verify.Options.Rerun.
func elsewhere(t *testing.T, p puzzle.Puzzle) func(context.Context, func(kv.Record) error) error {
	return func(ctx context.Context, compare func(kv.Record) error) error {
		f := create(t, p, t.TempDir())
		defer closeFolder(t, f)
		if _, err := engine.Run(ctx, p, f, engine.Options{Retention: plan.RetainSummary}); err != nil {
			return err
		}
		return f.Ledger.Load(func(e kv.Entry) error { return compare(e.Record) })
	}
}

// swapRows exchanges the first two values of a block that differ. Every sum and every flow stays the same.
func swapRows(b *puzzle.Block) {
	if len(b.Columns) == 0 {
		return
	}
	c := b.Columns[0]
	for i := 1; i < len(c); i++ {
		if c[i] != c[0] {
			c[0], c[i] = c[i], c[0]
			return
		}
	}
}

// False rows with a true tally: digests and flows agree with them. Only computing again tells.
func TestRecomputeFindsFalseRows(t *testing.T) {
	honest := &enginetest.Pascal{Depth: 6, Slots: 101, Window: 40}
	clean := t.TempDir()
	run(t, honest, clean, faultless(), engine.Options{})
	records, rows := content(t, honest, clean)
	victim := puzzle.WindowID{Cell: puzzle.Cell{Layer: 2, Key: "k1"}, Part: 1}

	for _, keep := range []plan.Retention{plan.RetainAll, plan.RetainLast} {
		t.Run(string(keep), func(t *testing.T) {
			liar := wrap(honest)
			liar.rows = func(w puzzle.Window, _ int, b *puzzle.Block) {
				if w.ID() == victim {
					swapRows(b)
				}
			}
			dir := t.TempDir()
			run(t, liar, dir, faultless(), engine.Options{Retention: keep})
			v := verified(t, honest, dir, verify.Options{})
			if len(v.Findings) > 0 || v.Edges == 0 || !strings.Contains(v.Verdict(), " 0 recomputed,") {
				t.Fatalf("reading alone: %+v, %q", v, v.Verdict())
			}
			v = verified(t, honest, dir, verify.Options{Recompute: share(1, 1, 0), Rerun: elsewhere(t, honest), Repair: true})
			named := slices.ContainsFunc(v.Findings, func(f verify.Finding) bool {
				return f.Kind == verify.FindRecompute && f.Window == victim.String() && strings.Contains(f.Text, "digest")
			})
			if !named || v.Recomputation.Anew != (keep != plan.RetainAll) || !strings.Contains(v.Verdict(), "error") {
				t.Fatalf("%+v, %+v", v, v.Recomputation)
			}
			// From the false rows the other windows came out as they were; a run that begins anew differs from there on.
			if alone := len(v.Findings) == 1; alone != (keep == plan.RetainAll) {
				t.Errorf("findings: %+v", v.Findings)
			}
			if v.Recomputed+len(v.Findings) != v.Windows || v.OnTrust != 0 {
				t.Errorf("%d the same, %d findings, %d on trust of %d", v.Recomputed, len(v.Findings), v.OnTrust, v.Windows)
			}
			// The next run computes again the false windows and those computed from them, and no more.
			if v.Repaired == 0 || v.Repaired >= v.Windows {
				t.Errorf("%d of %d windows are to be computed again", v.Repaired, v.Windows)
			}
			run(t, honest, dir, faultless(), engine.Options{})
			gotRecords, gotRows := content(t, honest, dir)
			if !slices.Equal(gotRecords, records) || !slices.Equal(gotRows, rows) {
				t.Error("the repaired run differs from an honest one")
			}
		})
	}
}

// What fails to compute again is a finding that names the window, a panic too.
func TestRecomputeFails(t *testing.T) {
	honest := &enginetest.Pascal{Depth: 4, Slots: 101, Window: 40}
	dir := t.TempDir()
	run(t, honest, dir, faultless(), engine.Options{})
	victim := puzzle.WindowID{Cell: puzzle.Cell{Layer: 3, Key: "k0"}, Part: 2}
	for _, how := range []string{"error", "panic"} {
		p := wrap(honest)
		p.before = func(_ context.Context, w puzzle.Window, _ int) error {
			switch {
			case w.ID() != victim:
				return nil
			case how == "panic":
				panic("index out of range")
			}
			return errors.New("nonsense among the parents")
		}
		v := verified(t, p, dir, verify.Options{Recompute: share(1, 1, 0)})
		if len(v.Findings) != 1 || v.Findings[0].Window != victim.String() || v.Recomputed != v.Windows-1 ||
			!strings.Contains(v.Findings[0].Text, "computed again, it fails") {
			t.Errorf("%s: %+v", how, v)
		}
	}
}

// A window of which the tally alone is false is named with the first thing that differs.
func TestRecomputeNamesTheDifference(t *testing.T) {
	honest := &enginetest.Pascal{Depth: 4, Slots: 101, Window: 40}
	dir := t.TempDir()
	run(t, honest, dir, faultless(), engine.Options{})
	victim := puzzle.WindowID{Cell: puzzle.Cell{Layer: 3, Key: "k0"}, Part: 2}
	for want, change := range map[string]func(*puzzle.Tally){
		"sum paths":                        func(t *puzzle.Tally) { t.Sums[0].Value.Lo++ },
		"sum rows none, the ledger says 6": nil,
		"maximum rows_of_window":           func(t *puzzle.Tally) { t.Maxima[0].Value.Lo++ },
		"flow from cell 2/k0":              func(t *puzzle.Tally) { t.In[0].Amount.Lo++ },
		"flow from cell 2/k0 none":         func(t *puzzle.Tally) { t.In = nil },
	} {
		p := wrap(honest)
		p.after = func(w puzzle.Window, _ int, tally *puzzle.Tally) {
			if w.ID() == victim && change != nil {
				change(tally)
			} else if w.ID() == victim {
				tally.Sums = tally.Sums[:1]
			}
		}
		v := verified(t, p, dir, verify.Options{Recompute: share(1, 1, 0)})
		if len(v.Findings) != 1 || v.Findings[0].Window != victim.String() || !strings.Contains(v.Findings[0].Text, want) {
			t.Errorf("want %q: %+v", want, v.Findings)
		}
	}
}

// Of a folder without windows, or with some of them, nothing is claimed.
func TestVerdictOfUnfinishedRuns(t *testing.T) {
	p := wrap(&enginetest.Pascal{Depth: 6, Slots: 101, Window: 40})
	empty := t.TempDir()
	v := verified(t, p, empty, verify.Options{Recompute: share(1, 1, 0)})
	if v.Verdict() != "no window is committed: nothing was verified" || !v.Empty() || v.Recomputation.Drawn != 0 {
		t.Errorf("empty: %q, %+v", v.Verdict(), v)
	}

	half := t.TempDir()
	p.before = func(_ context.Context, w puzzle.Window, _ int) error {
		if w.Layer == 4 {
			return errors.New("no further")
		}
		return nil
	}
	f := create(t, p, half)
	q := faultless()
	if _, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q, MaxAttempts: 1}); err == nil {
		t.Fatal("the run completed")
	}
	closeFolder(t, f)
	v = verified(t, p, half, verify.Options{})
	if v.Complete || !strings.HasPrefix(v.Verdict(), "incomplete, 30 of 81 planned windows: 30 read, 0 recomputed,") {
		t.Errorf("half: %q", v.Verdict())
	}

	// The ledger of a complete run is lost: its windows are in the store, and no entry vouches for them.
	p.before = nil
	whole := t.TempDir()
	run(t, p, whole, faultless(), engine.Options{})
	f, err := rundir.Open(whole, options(whole))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entriesOf(t, f.Ledger) {
		if err := f.Ledger.Forget(e.Record.ID()); err != nil {
			t.Fatal(err)
		}
	}
	closeFolder(t, f)
	if v = verified(t, p, whole, verify.Options{}); !v.Empty() || v.Unlisted != 81 ||
		v.Verdict() != "no window is committed: nothing was verified" {
		t.Errorf("without a ledger: %q, %+v", v.Verdict(), v)
	}
}
