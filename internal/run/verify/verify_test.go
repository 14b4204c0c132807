package verify

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"strings"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/window"
)

// A chain is a puzzle of cells a, b and c, of which b reads a and c reads b; a and c have two windows each. A window
// has one row, and its sum is the number of rows that it reads. Flows run along the edges.
type chain struct {
	plantest.Paper
	wrong puzzle.WindowID // its sum is one too large
	// before, when not nil, is called before b is computed.
	before func()
}

var cellA, cellB, cellC = puzzle.Cell{Key: "a"}, puzzle.Cell{Layer: 1, Key: "b"}, puzzle.Cell{Layer: 2, Key: "c"}

func newChain() *chain {
	return &chain{Paper: plantest.Paper{Layers: [][]puzzle.CellPlan{
		{{Cell: cellA, Addresses: 8, Cuts: []uint64{0, 4}}},
		{{Cell: cellB, Addresses: 4, Cuts: []uint64{0}, Parents: []puzzle.Cell{cellA}}},
		{{Cell: cellC, Addresses: 8, Cuts: []uint64{0, 4}, Parents: []puzzle.Cell{cellB}}},
	}}, wrong: puzzle.WindowID{Part: -1}}
}

func (c *chain) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (t puzzle.Tally, err error) {
	if w.Layer == 1 && c.before != nil {
		c.before()
	}
	rows := 0
	if w.Layer > 0 {
		parent := c.Layers[w.Layer-1][0].Cell
		windows, err := in.Windows(parent)
		if err != nil {
			return t, err
		}
		for _, from := range windows {
			count := func(b *puzzle.Block) error { rows += b.Rows(); return nil }
			if err := in.Blocks(ctx, from, from.First, from.Addresses, count); err != nil {
				return t, err
			}
		}
		if err := t.AddIn(parent, uint128.From(uint64(2-w.Layer+1))); err != nil {
			return t, err
		}
	}
	if w.Layer < 2 {
		if err := t.AddOut(c.Layers[w.Layer+1][0].Cell, uint128.From(uint64(w.Layer+1))); err != nil {
			return t, err
		}
	}
	if w.ID() == c.wrong {
		rows++
	}
	err = t.AddSum("rows", uint128.From(uint64(rows)))
	return t, errors.Join(err, out.Block(&puzzle.Block{First: w.First, Addresses: 4, Occupied: []uint64{1}}))
}

// CheckTally refuses a sum of more than 8.
func (c *chain) CheckTally(_ puzzle.Window, _ uint64, t *puzzle.Tally) error {
	if n := t.Sum("rows"); n.Cmp(uint128.From(8)) > 0 {
		return fmt.Errorf("%v rows", n)
	}
	return nil
}

// Recounts counts the rows of c from its blocks.
func (c *chain) Recounts(known puzzle.Results) ([]puzzle.Recount, error) {
	l, _ := known.Layer(2)
	plan := &c.Layers[2][0]
	return []puzzle.Recount{{
		What: "rows", Want: l.Sum("rows"), Windows: []puzzle.Window{plan.Window(0), plan.Window(1)},
		Share: func(ctx context.Context, w puzzle.Window, in puzzle.Source) (n uint128.Uint128, err error) {
			return n, in.Blocks(ctx, w, w.First, w.Addresses, func(b *puzzle.Block) error {
				n = uint128.From(uint64(b.Rows()))
				return nil
			})
		},
	}}, nil
}

// Weighings counts the same with one row too many, modulo 2, where the random bits are 1.
func (c *chain) Weighings(known puzzle.Results, random func() uint64) ([]puzzle.Recount, error) {
	list, err := c.Recounts(known)
	if err != nil {
		return nil, err
	}
	r, share := &list[0], list[0].Share
	r.What, r.Want, r.Modulus = "weights", uint128.Uint128{}, 2
	r.Share = func(ctx context.Context, w puzzle.Window, in puzzle.Source) (uint128.Uint128, error) {
		n, err := share(ctx, w, in)
		if w.Part == 0 {
			n, _ = n.Add(uint128.From(random()))
		}
		return n, err
	}
	return list, nil
}

// TestWeigh: rows are weighed when that is asked for, modulo a number; of a run that is not complete it is said that
// they were not.
func TestWeigh(t *testing.T) {
	f := carriedOut(t, newChain())
	weighed := func(random func() uint64) []Recounted {
		t.Helper()
		r, err := Run(t.Context(), newChain(), f, Options{Workers: 2, Weigh: random})
		if err != nil {
			t.Fatal(err)
		}
		return r.Recounts
	}
	for extra, want := range []string{RecountAgrees, RecountDiffers} {
		list := weighed(func() uint64 { return uint64(extra) })
		if len(list) != 2 || list[1].What != "weights" || list[1].State != want {
			t.Errorf("with %d rows too many: %+v", extra, list)
		}
	}
	if list := weighed(nil); len(list) != 1 {
		t.Errorf("without being asked: %+v", list)
	}
	if err := f.Ledger.Forget(puzzle.WindowID{Cell: cellC}); err != nil {
		t.Fatal(err)
	}
	if list := weighed(func() uint64 { return 0 }); len(list) != 1 || list[0].State != RecountNotRun {
		t.Errorf("incomplete: %+v", list)
	}
}

// carriedOut makes the folder of a run, which is closed at the end of the test.
func carriedOut(t *testing.T, c *chain) *rundir.Folder {
	t.Helper()
	return carriedOutBy(t, c, c)
}

// carriedOutBy is carriedOut for a puzzle with the plan of a chain.
func carriedOutBy(t *testing.T, p puzzle.Puzzle, c *chain) *rundir.Folder {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	f, err := rundir.Create(dir, rundir.NewMeta(c.Identity(), ""), rundir.FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, layer := range c.Layers {
		known, err := rundir.Load(p, f)
		if err != nil {
			t.Fatal(err)
		}
		for part := range layer[0].Cuts {
			w := layer[0].Window(part)
			out := f.Store.Begin(w)
			tally, err := window.Compute(t.Context(), p, w, f.Reader(known, 0), out)
			if err != nil {
				t.Fatal(err)
			}
			rec, err := out.Commit(tally)
			own := []string{protocol.OwnWorker}
			if err := errors.Join(err, f.Ledger.Append([]kv.Entry{{Record: rec, Holders: own, By: own}})); err != nil {
				t.Fatal(err)
			}
		}
	}
	return f
}

// told writes a report in short: counts, findings, second counts, and the windows that were computed again.
func told(r *Report) string {
	text := fmt.Sprintf("read %d, again %d, trust %d, absent %d, unlisted %d, edges %d+%d",
		r.Read, r.Recomputed, r.OnTrust, r.Absent, r.Unlisted, r.Edges, r.EdgesUnchecked)
	for _, f := range r.Findings {
		text += "\n" + f.Kind + " " + f.Window
	}
	for _, c := range r.Recounts {
		text += "\n" + c.What + " " + c.State
	}
	if a := r.Recomputation; a != nil {
		text += fmt.Sprintf("\n%d drawn: %d same, %d differ, anew %t", a.Drawn, a.Same, a.Other, a.Anew)
		for _, n := range a.NotRun {
			text += fmt.Sprintf(", %d: %s", n.Windows, n.Reason)
		}
	}
	return text
}

// TestRun damages the folder of a run in one way at a time. Findings are repaired, and the next
// report has none.
func TestRun(t *testing.T) {
	change := func(cell puzzle.Cell, part int, fn func(e *kv.Entry)) func(*testing.T, *chain, *rundir.Folder) {
		return func(t *testing.T, _ *chain, f *rundir.Folder) {
			id := puzzle.WindowID{Cell: cell, Part: part}
			e, found, err := f.Ledger.Entry(id)
			if err != nil || !found {
				t.Fatal(found, err)
			}
			fn(&e)
			if err := errors.Join(f.Ledger.Forget(id), f.Ledger.Append([]kv.Entry{e})); err != nil {
				t.Fatal(err)
			}
		}
	}
	amount := func(n uint64) uint128.Uint128 { return uint128.From(n) }
	all := &Draw{Share: big.NewRat(1, 1)}
	for _, test := range []struct {
		name     string
		damage   func(*testing.T, *chain, *rundir.Folder)
		draw     *Draw
		want     string
		repaired int
		after    string // with Repair, the next time
	}{
		{"nothing", func(*testing.T, *chain, *rundir.Folder) {}, nil,
			"read 5, again 0, trust 0, absent 0, unlisted 0, edges 2+0\nrows agrees", 0, ""},
		{"nothing, and all is computed again", func(*testing.T, *chain, *rundir.Folder) {}, all,
			"read 5, again 5, trust 0, absent 0, unlisted 0, edges 2+0\nrows agrees\n" +
				"5 drawn: 5 same, 0 differ, anew false", 0, ""},
		{"a flow", change(cellB, 0, func(e *kv.Entry) { e.Record.Tally.In[0].Amount = amount(7) }), nil,
			"read 4, again 0, trust 0, absent 0, unlisted 0, edges 2+0\nflow 1/b/0\nrecord 1/b/0\nrows agrees", 5,
			"read 0, again 0, trust 0, absent 0, unlisted 0, edges 0+0"},
		{"a sum", change(cellC, 1, func(e *kv.Entry) { e.Record.Tally.Sums[0].Value = amount(5) }), nil,
			"read 4, again 0, trust 0, absent 0, unlisted 0, edges 2+0\nrecord 2/c/1\ntotals \nrows differs", 1,
			"read 4, again 0, trust 1, absent 1, unlisted 0, edges 2+0\nrows not run"},
		{"a sum, and all is computed again", change(cellC, 1, func(e *kv.Entry) {
			e.Record.Tally.Sums[0].Value = amount(5)
		}),
			all, "read 4, again 4, trust 0, absent 0, unlisted 0, edges 2+0\nrecompute 2/c/1\nrecord 2/c/1\ntotals \n" +
				"rows differs\n5 drawn: 4 same, 1 differ, anew false", 2,
			"read 3, again 3, trust 0, absent 0, unlisted 0, edges 1+0\n3 drawn: 3 same, 0 differ, anew false"},
		{"a sum that cannot be", change(cellC, 1, func(e *kv.Entry) { e.Record.Tally.Sums[0].Value = amount(9) }), nil,
			"read 4, again 0, trust 0, absent 0, unlisted 1, edges 1+0\ntally 2/c/1", 1,
			"read 4, again 0, trust 0, absent 0, unlisted 0, edges 1+0"},
		{"a flow that is too large", change(cellA, 1, func(e *kv.Entry) {
			e.Record.Tally.Out[0].Amount = uint128.Uint128{Hi: 1<<64 - 1, Lo: 1<<64 - 1}
		}), nil,
			"read 4, again 0, trust 0, absent 0, unlisted 1, edges 1+0\ntally 0/a/1", 1,
			"read 4, again 0, trust 0, absent 0, unlisted 0, edges 1+0"},
		{"another plan", change(cellC, 1, func(e *kv.Entry) { e.Record.Addresses-- }), nil,
			"read 4, again 0, trust 0, absent 0, unlisted 1, edges 1+0\nledger 2/c/1", 1,
			"read 4, again 0, trust 0, absent 0, unlisted 0, edges 1+0"},
		{"rows that are gone", func(t *testing.T, _ *chain, f *rundir.Folder) {
			if err := f.Store.Drop(puzzle.WindowID{Cell: cellA, Part: 1}); err != nil {
				t.Fatal(err)
			}
		}, all, "read 4, again 4, trust 0, absent 0, unlisted 0, edges 2+0\nrows 0/a/1\nrows agrees\n" +
			"5 drawn: 4 same, 0 differ, anew false, 1: rows of its parents are not in this folder", 1,
			"read 4, again 4, trust 0, absent 1, unlisted 0, edges 2+0\nrows agrees\n" +
				"5 drawn: 4 same, 0 differ, anew false, 1: rows of its parents are not in this folder"},
		{"rows that are elsewhere", func(t *testing.T, c *chain, f *rundir.Folder) {
			change(cellC, 0, func(e *kv.Entry) { e.Holders = []string{"w"} })(t, c, f)
			if err := f.Store.Drop(puzzle.WindowID{Cell: cellC}); err != nil {
				t.Fatal(err)
			}
		}, nil,
			"read 4, again 0, trust 1, absent 1, unlisted 0, edges 2+0\nrows not run", 0, ""},
		{"a window that the ledger lacks", func(t *testing.T, _ *chain, f *rundir.Folder) {
			if err := f.Ledger.Forget(puzzle.WindowID{Cell: cellA}); err != nil {
				t.Fatal(err)
			}
		}, all, "read 4, again 3, trust 0, absent 0, unlisted 1, edges 1+0\n" +
			"4 drawn: 3 same, 0 differ, anew false, 1: a parent is not committed", 0, ""},
		{"a program that computes otherwise", func(_ *testing.T, c *chain, _ *rundir.Folder) {
			c.wrong = puzzle.WindowID{Cell: cellB}
		}, all, "read 5, again 4, trust 0, absent 0, unlisted 0, edges 2+0\nrecompute 1/b/0\nrows agrees\n" +
			"5 drawn: 4 same, 1 differ, anew false", 3, "read 2, again 2, trust 0, absent 0, unlisted 0, edges 0+0\n" +
			"2 drawn: 2 same, 0 differ, anew false"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newChain()
			f := carriedOut(t, c)
			test.damage(t, c, f)
			seen, last := 0, 0
			o := Options{Workers: 2, Recompute: test.draw, Progress: func(windows, total int) {
				last = total
				if seen++; windows != seen || windows > total {
					t.Errorf("window %d of %d, after %d", windows, total, seen-1)
				}
			}}
			entries := 0
			if err := f.Ledger.Load(func(kv.Entry) error { entries++; return nil }); err != nil {
				t.Fatal(err)
			}
			for _, repair := range []bool{false, true} {
				o.Repair, seen = repair, 0
				r, err := Run(t.Context(), c, f, o)
				if err != nil {
					t.Fatal(err)
				}
				if seen == 0 || seen != last {
					t.Errorf("progress ends with window %d of %d", seen, last)
				}
				// Each window that was read has one row in one block.
				if n := uint64(r.Read); r.Rows != n || r.Blocks != n || r.Bytes < 10*n {
					t.Errorf("%d windows are read, with %d rows in %d blocks of %d bytes", n, r.Rows, r.Blocks, r.Bytes)
				}
				if r.Windows != entries {
					t.Errorf("%d windows in a ledger of %d", r.Windows, entries)
				}
				if got := told(r); got != test.want {
					t.Errorf("repair %t: got\n%s\nwant\n%s", repair, got, test.want)
				}
				if repair && r.Repaired != test.repaired || !repair && r.Repaired != 0 {
					t.Errorf("%d windows are repaired", r.Repaired)
				}
			}
			if test.repaired == 0 {
				return
			}
			seen = 0
			r, err := Run(t.Context(), c, f, o)
			if err != nil {
				t.Fatal(err)
			}
			if got := told(r); got != test.after {
				t.Errorf("after the repair: got\n%s\nwant\n%s", got, test.after)
			}
		})
	}
}

// TestRerun carries out a run again elsewhere, because rows are missing here.
func TestRerun(t *testing.T) {
	none, a, c0 := puzzle.WindowID{Part: -1}, puzzle.WindowID{Cell: cellA}, puzzle.WindowID{Cell: cellC}
	for name, test := range map[string]struct {
		gone  puzzle.WindowID // its rows are missing
		wrong puzzle.WindowID
		less  bool
		want  string
	}{
		"the same":      {a, none, false, "5 drawn: 5 same, 0 differ, anew true"},
		"another sum":   {a, c0, false, "5 drawn: 4 same, 1 differ, anew true"},
		"a window less": {a, none, true, "5 drawn: 4 same, 1 differ, anew true"},
		"rows that no window reads": {c0, none, false,
			"5 drawn: 5 same, 0 differ, anew false"},
	} {
		c, other := newChain(), newChain()
		other.wrong = test.wrong
		f, again := carriedOut(t, c), carriedOut(t, other)
		if err := f.Store.Drop(test.gone); err != nil {
			t.Fatal(err)
		}
		r, err := Run(t.Context(), c, f, Options{
			Recompute: &Draw{Share: big.NewRat(1, 1)},
			Rerun: func(_ context.Context, compare func(kv.Record) error) error {
				return again.Ledger.Load(func(e kv.Entry) error {
					if test.less && e.Record.Layer == 1 {
						return nil
					}
					return compare(e.Record)
				})
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := told(r); !strings.HasSuffix(got, test.want) {
			t.Errorf("%s: got\n%s\nwant %s", name, got, test.want)
		}
	}
}

// TestDifference names the first difference of two records.
func TestDifference(t *testing.T) {
	number := func(name string, n uint64) puzzle.Scalar { return puzzle.Scalar{Name: name, Value: uint128.From(n)} }
	flow := func(key string, n uint64) puzzle.Flow {
		return puzzle.Flow{Cell: puzzle.Cell{Layer: 1, Key: key}, Amount: uint128.From(n)}
	}
	have := kv.Record{Rows: 3, Blocks: 1, Tally: puzzle.Tally{
		Sums: []puzzle.Scalar{number("m", 1), number("n", 2)}, Maxima: []puzzle.Scalar{number("x", 3)},
		In: []puzzle.Flow{flow("a", 4)}, Out: []puzzle.Flow{flow("b", 5)},
	}}
	for want, change := range map[string]func(r *kv.Record){
		"rows 4, the ledger says 3":   func(r *kv.Record) { r.Rows++ },
		"blocks 2, the ledger says 1": func(r *kv.Record) { r.Blocks++ },
		"has digest ":                 func(r *kv.Record) { r.Digest[0]++ },
		"sum n 7, the ledger says 2": func(r *kv.Record) {
			r.Tally.Sums = []puzzle.Scalar{number("m", 1), number("n", 7)}
		},
		"sum m none, the ledger says 1": func(r *kv.Record) { r.Tally.Sums = r.Tally.Sums[1:] },
		"sum n none, the ledger says 2": func(r *kv.Record) { r.Tally.Sums = r.Tally.Sums[:1] },
		"sum a 9, the ledger says none": func(r *kv.Record) {
			r.Tally.Sums = append([]puzzle.Scalar{number("a", 9)}, r.Tally.Sums...)
		},
		"sum z 9, the ledger says none": func(r *kv.Record) {
			r.Tally.Sums = append(r.Tally.Sums[:2:2], number("z", 9))
		},
		"maximum x 9, the ledger says 3":           func(r *kv.Record) { r.Tally.Maxima = []puzzle.Scalar{number("x", 9)} },
		"flow from cell 1/a 9, the ledger says 4":  func(r *kv.Record) { r.Tally.In = []puzzle.Flow{flow("a", 9)} },
		"flow to cell 1/b none, the ledger says 5": func(r *kv.Record) { r.Tally.Out = nil },
		"its record differs":                       func(*kv.Record) {},
	} {
		got := have
		change(&got)
		if err := difference(&have, &got); !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestVerdict: a verdict claims no more than was checked.
func TestVerdict(t *testing.T) {
	for want, r := range map[string]Report{
		"no window is committed: nothing was verified":                         {Planned: 5},
		"the run has no windows, there was nothing to compute; no error found": {Complete: true},
		"incomplete, 3 of 5 planned windows: 2 read, 0 recomputed, 1 on trust; no error found in these": {
			Planned: 5, Windows: 3, Read: 2, OnTrust: 1},
		"1 window: 1 read, 1 recomputed, 0 on trust; no error found": {Windows: 1, Read: 1, Recomputed: 1, Complete: true},
		"5 windows: 4 read, 0 recomputed, 0 on trust; 1 error": {
			Windows: 5, Read: 4, Complete: true, Findings: make([]Finding, 1)},
	} {
		if got := r.Verdict(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	again := Recomputation{NotRun: []NotRun{{Windows: 2}, {Windows: 3}}}
	if n := again.Remaining(); n != 5 {
		t.Errorf("%d windows were not computed again", n)
	}
}

// TestUnreadable: a verification that computes windows again ends when the store can no longer be read, or with its
// context.
func TestUnreadable(t *testing.T) {
	for _, closes := range []bool{true, false} {
		c := newChain()
		f := carriedOut(t, c)
		ctx, cancel := context.WithCancel(t.Context())
		c.before = cancel
		want := context.Canceled
		if closes {
			want = errRead
			c.before = func() {
				if err := f.Store.Close(); err != nil {
					t.Error(err)
				}
			}
		}
		_, err := Run(ctx, c, f, Options{Recompute: &Draw{Share: big.NewRat(1, 1)}})
		if !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		cancel()
	}
}

// TestCountEdges counts the edges of a chain, and stops at one on which the flow is not conserved.
func TestCountEdges(t *testing.T) {
	c := newChain()
	f := carriedOut(t, c)
	p, err := rundir.Load(c, f)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := CountEdges(p); n != 2 || err != nil {
		t.Errorf("%d edges, %v", n, err)
	}
	tally, _ := p.Cell(cellC)
	tally.In[0].Amount = uint128.From(99)
	var flow *plan.FlowError
	if n, err := CountEdges(p); n != 1 || !errors.As(err, &flow) || flow.Child != cellC {
		t.Errorf("%d edges, %v", n, err)
	}
}
