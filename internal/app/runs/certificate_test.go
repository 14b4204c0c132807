package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pagoda/internal/app/runs"
	"pagoda/internal/config"
	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/certificate"
	"pagoda/internal/run/certificate/certificatetest"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/rundir"
)

// how is a way to carry out a run.
type how struct {
	concurrency int
	retention   plan.Retention
	kills       []int64 // computations after which it is interrupted and begun again
}

// interrupted is a puzzle one of whose computations stops the run instead, so that it cannot end before.
type interrupted struct {
	puzzle.Puzzle
	left atomic.Int64 // computations before that
	stop func()
}

func (p *interrupted) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (puzzle.Tally, error) {
	if p.left.Add(-1) < 0 {
		p.stop()
		<-ctx.Done()
		return puzzle.Tally{}, ctx.Err()
	}
	return p.Puzzle.Compute(ctx, w, in, out)
}

// certified carries out a run and returns its certificate, and its root by the reference.
func certified(t *testing.T, j *runs.Job, h how) (*certificate.Certificate, string) {
	t.Helper()
	f, end := folderFor(t, j)
	defer end()
	o := engine.Options{Concurrency: h.concurrency, Retention: h.retention, CacheBytes: 64 << 20}
	for _, n := range h.kills {
		ctx, cancel := context.WithCancel(t.Context())
		p := &interrupted{Puzzle: j.Puzzle, stop: cancel}
		p.left.Store(n)
		if _, err := engine.Run(ctx, p, f, o); !errors.Is(err, context.Canceled) {
			t.Fatalf("the run was not interrupted after %d computations: %v", n, err)
		}
	}
	out, err := engine.Run(t.Context(), j.Puzzle, f, o)
	if err != nil {
		t.Fatal(err)
	}
	program := certificate.Program{Version: "test", Format: kv.FormatVersion}
	c, err := j.Certificate(f, out.Results, program, certificate.Checks{})
	if err != nil {
		t.Fatal(err)
	}
	var windows []certificate.Window
	if err := f.Ledger.Load(func(e kv.Entry) error {
		r := e.Record
		windows = append(windows, certificate.Window{
			Window: r.Window, Rows: r.Rows, Blocks: r.Blocks, Digest: certificate.Hash(r.Digest), Tally: r.Tally,
		})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return c, certificatetest.Root(j.ID, windows)
}

// TestRoots: the roots of the English board and of the triangle do not depend on workers, retention and the moments at
// which the run was interrupted. A second implementation has the same roots. Another cut into windows is another run,
// with a root of its own and the same totals.
func TestRoots(t *testing.T) {
	var want map[string]map[string]string // by config and window_addresses
	data, err := os.ReadFile("testdata/roots.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	hows := map[string]map[string][]how{
		"triangle15": {
			"4194304": {
				{concurrency: 1}, {concurrency: 3, retention: plan.RetainSummary}, {concurrency: 2, kills: []int64{0, 4, 9}},
			},
			"8": {{concurrency: 2}, {concurrency: 1, retention: plan.RetainLast, kills: []int64{200}}},
		},
		"english": {
			"4194304": {{concurrency: 2, kills: []int64{100, 300}}},
			"300000":  {{concurrency: 3, retention: plan.RetainSummary}},
		},
	}
	if testing.Short() {
		t.Log("NOT RUN for the English board: it is long; go test without -short runs it")
		delete(hows, "english")
	}
	for name, cuts := range hows {
		var first *certificate.Certificate
		for addresses, list := range cuts {
			j, err := loader.Load(t.Context(), "../../../configs/"+name+".yaml", []config.Override{
				{Key: "window_addresses", Value: addresses},
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range list {
				c, reference := certified(t, j, h)
				if c.Root.String() != reference || c.Root.String() != want[name][addresses] {
					t.Errorf("%s in windows of %s, %+v: root %s, the reference has %s, the golden one is %s",
						name, addresses, h, c.Root, reference, want[name][addresses])
				}
				if first == nil {
					first = c
				} else if first.Run != c.Run {
					d := certificate.Compare(first, c)
					if d == nil || d.Place != "parameter window_addresses" || d.Explanation != "another run; all totals are the same" {
						t.Errorf("%s: %v", name, d)
					}
				}
				checkDecoded(t, c)
			}
		}
	}
}

// checkDecoded demands that a certificate is read as it was written, and gives the run that it is of.
func checkDecoded(t *testing.T, c *certificate.Certificate) {
	t.Helper()
	b, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	d, err := certificate.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	j, planned, err := loader.Certified(t.Context(), d)
	if err != nil || !planned || j.ID != c.Run {
		t.Fatalf("%+v, planned %t, %v", j, planned, err)
	}
	// What only the settings tell: parameters, the run ID, the plan.
	for what, change := range map[string]func(*certificate.Certificate){
		"a setting":        func(c *certificate.Certificate) { c.Settings[1].Value = "123456" },
		"unknown setting":  func(c *certificate.Certificate) { c.Settings[1].Name = "windows" },
		"a parameter":      func(c *certificate.Certificate) { c.Params[0].Value += "s" },
		"no parameter":     func(c *certificate.Certificate) { c.Params = c.Params[1:] },
		"the puzzle":       func(c *certificate.Certificate) { c.Puzzle = "tiles" },
		"the run":          func(c *certificate.Certificate) { c.Run = "0123456789ab" },
		"the plan":         func(c *certificate.Certificate) { c.Plan[3] ^= 1 },
		"a cell's windows": func(c *certificate.Certificate) { c.Layers[2].Cells[0].Windows++ },
		"a cell less":      func(c *certificate.Certificate) { c.Layers[2].Cells = c.Layers[2].Cells[1:] },
		"another format":   func(c *certificate.Certificate) { c.Program.Format++ },
	} {
		d, err := certificate.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		change(d)
		if _, _, err := loader.Certified(t.Context(), d); !errors.Is(err, certificate.ErrForm) {
			t.Errorf("%s changed: %v", what, err)
		}
	}
}

// TestCertifiedTotals demands every fact of a summary among the totals, the first and the last one too, and every entry
// of a list, a map and an object.
func TestCertifiedTotals(t *testing.T) {
	s := stored(t, "puzzle: mousetrap\ncards: 5\ncount: reformed\n")
	sum, err := s.Puzzle.Summarise(s.Results)
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Certificate(s.Folder, s.Results, certificate.Program{}, certificate.Checks{})
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, total := range c.Totals {
		first, _, _ := strings.Cut(total.Name, "/")
		names[first] = true
	}
	for _, f := range sum.Facts {
		if !names[f.Name] {
			t.Errorf("no total %s", f.Name)
		}
	}
	if n := len(sum.Facts); n == 0 || c.Totals[0].Name != sum.Facts[0].Name {
		t.Errorf("the first of %d facts is not the first total: %+v", n, c.Totals)
	}
	want := []certificate.Named{
		{Name: "a", Value: "7"}, {Name: "list/0", Value: "1"}, {Name: "list/1", Value: "2"}, {Name: "map/x", Value: "3"},
		{Name: "object/text", Value: "t"}, {Name: "object/inner/0", Value: "4"}, {Name: "z", Value: "9"},
	}
	number := func(n uint64) puzzle.Value { return puzzle.Value{N: uint128.From(n)} }
	column := func(name string, k puzzle.Kind) puzzle.Column { return puzzle.Column{Name: name, Kind: k} }
	got := runs.Totals([]puzzle.Fact{
		{Column: column("a", puzzle.Number), Value: number(7)},
		{Column: column("list", puzzle.Count), List: []puzzle.Value{number(1), number(2)}},
		{Column: column("map", puzzle.Count), Map: []puzzle.MapEntry{{Key: "x", Value: uint128.From(3)}}},
		{Column: column("object", puzzle.Count), Fields: []puzzle.Fact{
			{Column: column("text", puzzle.Text), Value: puzzle.Value{S: "t"}},
			{Column: column("inner", puzzle.Count), List: []puzzle.Value{number(4)}},
		}},
		{Column: column("z", puzzle.Count), Value: number(9)},
	})
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestCertifiedAudits counts the windows that different workers have computed, and those workers. A worker that was
// found to lie does not count. A worker that only holds a copy does not count either.
func TestCertifiedAudits(t *testing.T) {
	j := jobOf(t, "puzzle: mousetrap\ncards: 5\ncount: hits\n")
	f, end := folderFor(t, j)
	defer end()
	if _, err := engine.Run(t.Context(), j.Puzzle, f, engine.Options{Concurrency: 1}); err != nil {
		t.Fatal(err)
	}
	var entries []kv.Entry
	if err := f.Ledger.Load(func(e kv.Entry) error { entries = append(entries, e); return nil }); err != nil {
		t.Fatal(err)
	}
	by := [][]string{{"a", "b"}, {"b", "c", "d"}, {"a"}, {"liar"}, {"liar", "late"}}
	for i := range by {
		entries[i].By, entries[i].Holders = by[i], []string{"keeper", "store"}
	}
	if err := f.Ledger.Append(entries[:len(by)]); err != nil {
		t.Fatal(err)
	}
	demand := func(when string, audited, auditors int) {
		t.Helper()
		results, err := rundir.Load(j.Puzzle, f)
		if err != nil {
			t.Fatal(err)
		}
		c, err := j.Certificate(f, results, certificate.Program{}, certificate.Checks{})
		if err != nil || c.Checks.Audited != audited || c.Checks.Auditors != auditors {
			t.Errorf("%s: %v, %d windows audited by %d, want %d by %d", when, err, c.Checks.Audited, c.Checks.Auditors,
				audited, auditors)
		}
	}
	// The process of the run, which computed every window, is a party of each.
	demand("all believed", 5, 7)
	if err := f.Ledger.Distrust(kv.Distrust{Refuse: []kv.Refusal{{Worker: "liar"}}}); err != nil {
		t.Fatal(err)
	}
	demand("one refused", 4, 6)
}
