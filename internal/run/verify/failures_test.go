package verify

import (
	"context"
	"errors"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/rundir"
)

var errTest = errors.New("failed on purpose")

// A faulty chain fails where one of its functions is not nil.
type faulty struct {
	*chain
	recounts  func() ([]puzzle.Recount, error)
	weighings func() ([]puzzle.Recount, error)
	summarise func() error
	layer     func(n int) error
}

func (f *faulty) Layer(n int, known puzzle.Results) ([]puzzle.CellPlan, error) {
	plans, err := f.chain.Layer(n, known)
	if err == nil && f.layer != nil {
		err = f.layer(n)
	}
	return plans, err
}

func (f *faulty) Recounts(known puzzle.Results) ([]puzzle.Recount, error) {
	if f.recounts != nil {
		return f.recounts()
	}
	return f.chain.Recounts(known)
}

func (f *faulty) Weighings(known puzzle.Results, random func() uint64) ([]puzzle.Recount, error) {
	if f.weighings != nil {
		return f.weighings()
	}
	return f.chain.Weighings(known, random)
}

func (f *faulty) Summarise(known puzzle.Results) (puzzle.Summary, error) {
	if f.summarise != nil {
		return puzzle.Summary{}, f.summarise()
	}
	return f.chain.Summarise(known)
}

// share is a count of both windows of c, each with the same result.
func share(n uint128.Uint128, err error) func() ([]puzzle.Recount, error) {
	return func() ([]puzzle.Recount, error) {
		c := newChain().Layers[2][0]
		return []puzzle.Recount{{
			What: "shares", Want: uint128.From(2), Windows: []puzzle.Window{c.Window(0), c.Window(1)},
			Share: func(context.Context, puzzle.Window, puzzle.Source) (uint128.Uint128, error) { return n, err },
		}}, nil
	}
}

// TestFailedRecount: a count that fails ends the verification, and one whose rows are missing is not run. Results that
// the puzzle does not accept are a finding.
func TestFailedRecount(t *testing.T) {
	f := carriedOut(t, newChain())
	fails := func() ([]puzzle.Recount, error) { return nil, errTest }
	most := uint128.Uint128{Hi: 1<<64 - 1, Lo: 1<<64 - 1}
	for what, c := range map[string]struct {
		p    faulty
		want error
		text string // of the findings and second counts
	}{
		"recounts":      {p: faulty{recounts: fails}, want: errTest},
		"weighings":     {p: faulty{weighings: fails}, want: errTest},
		"a share":       {p: faulty{recounts: share(uint128.Uint128{}, errTest)}, want: errTest},
		"too large":     {p: faulty{recounts: share(most, nil)}, want: puzzle.ErrOverflow},
		"missing rows":  {p: faulty{recounts: share(uint128.Uint128{}, puzzle.ErrMissing)}, text: "\nshares not run"},
		"equal":         {p: faulty{recounts: share(uint128.From(1), nil)}, text: "\nshares agrees"},
		"other results": {p: faulty{summarise: func() error { return errTest }}, text: "\ntotals \nrows agrees"},
	} {
		c.p.chain = newChain()
		r, err := Run(t.Context(), &c.p, f, Options{Weigh: func() uint64 { return 0 }})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
		if err == nil && !strings.Contains(told(r), c.text) {
			t.Errorf("%s: got %s\nwant %s", what, told(r), c.text)
		}
	}
}

// TestCancelled: a verification ends with its context, whatever it is at.
func TestCancelled(t *testing.T) {
	for _, at := range []string{"begin", "read", "recount"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		c := &faulty{chain: newChain()}
		var o Options
		stop := func() { cancel(errTest) }
		switch at {
		case "begin":
			stop()
		case "read":
			o.Progress = func(int, int) { stop() }
		case "recount":
			c.recounts = func() ([]puzzle.Recount, error) {
				list, err := share(uint128.Uint128{}, context.Canceled)()
				stop()
				return list, err
			}
		}
		if _, err := Run(ctx, c, carriedOut(t, c.chain), o); !errors.Is(err, errTest) {
			t.Errorf("%s: %v", at, err)
		}
		stop()
	}
}

// TestUnreadableFolder: a verification fails when the ledger or the store is closed, or the puzzle has no plan.
func TestUnreadableFolder(t *testing.T) {
	run := func(f *rundir.Folder, c *chain) error {
		_, err := Run(t.Context(), c, f, Options{Recompute: &Draw{Share: big.NewRat(1, 1)}})
		return err
	}
	f := carriedOut(t, newChain())
	broken := newChain()
	broken.Layers[1][0].Cuts = nil
	if err := run(f, broken); err == nil {
		t.Error("a puzzle without a plan is verified")
	}
	c := newChain()
	c.before = func() {
		if err := f.Ledger.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := run(f, c); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("the ledger is closed while windows are computed: %v", err)
	}
	if err := run(f, newChain()); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("the ledger is closed: %v", err)
	}
	f = carriedOut(t, newChain())
	if err := f.Store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := run(f, newChain()); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("the store is closed: %v", err)
	}
}

// TestLaterLayerFails: a layer that can be planned only from results, and then not, ends a verification with its error.
func TestLaterLayerFails(t *testing.T) {
	c := &faulty{chain: newChain()}
	f := carriedOut(t, c.chain)
	c.Undecided = 2
	c.layer = func(n int) error {
		if n == 2 {
			return errTest
		}
		return nil
	}
	if _, err := Run(t.Context(), c, f, Options{}); !errors.Is(err, errTest) {
		t.Errorf("%v", err)
	}
}

// TestDamagedFolder: damage that was met when the folder was opened is a finding without a window.
func TestDamagedFolder(t *testing.T) {
	f := carriedOut(t, newChain())
	f.Damage = errTest
	r, err := Run(t.Context(), newChain(), f, Options{})
	if err != nil || len(r.Findings) != 1 || r.Findings[0] != (Finding{FindFolder, "", errTest.Error()}) {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestRepairOfNothing: a repair that finds nothing leaves the store as it is. A repair fails where nothing can be
// written.
func TestRepairOfNothing(t *testing.T) {
	f := carriedOut(t, newChain())
	aside := filepath.Join(f.Dir, "store.damaged")
	for _, bad := range []bool{false, true} {
		if bad {
			if err := f.Store.Drop(puzzle.WindowID{Cell: cellC}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Run(t.Context(), newChain(), f, Options{Repair: true}); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(aside); errors.Is(err, fs.ErrNotExist) == bad {
			t.Errorf("with a bad window %t, the old store: %v", bad, err)
		}
	}
	for what, damage := range map[string]func(f *rundir.Folder) error{
		"rows":   func(f *rundir.Folder) error { return f.Store.Drop(puzzle.WindowID{Cell: cellC}) },
		"ledger": func(*rundir.Folder) error { return nil },
	} {
		f := carriedOut(t, newChain())
		if err := errors.Join(damage(f), f.Close()); err != nil {
			t.Fatal(err)
		}
		only, err := rundir.Open(f.Dir, rundir.FolderOptions{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		c := newChain()
		if what == "ledger" {
			c.Layers[2][0].Addresses++
		}
		if _, err := Run(t.Context(), c, only, Options{Repair: true}); err == nil {
			t.Errorf("%s: a folder that is open to read is repaired", what)
		}
		if err := only.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestFailedRerun: the error of a run that is carried out again is returned. Windows that this folder does not have are
// passed over.
func TestFailedRerun(t *testing.T) {
	c := newChain()
	f, again := carriedOut(t, c), carriedOut(t, newChain())
	last := puzzle.WindowID{Cell: cellC, Part: 1}
	if err := errors.Join(f.Store.Drop(puzzle.WindowID{Cell: cellA}), f.Ledger.Forget(last)); err != nil {
		t.Fatal(err)
	}
	rerun := func(fails error, more ...kv.Record) (*Report, error) {
		return Run(t.Context(), c, f, Options{
			Recompute: &Draw{Share: big.NewRat(1, 1)},
			Rerun: func(_ context.Context, compare func(kv.Record) error) error {
				err := again.Ledger.Load(func(e kv.Entry) error { return compare(e.Record) })
				for _, r := range more {
					err = errors.Join(err, compare(r))
				}
				return errors.Join(err, fails)
			},
		})
	}
	if _, err := rerun(errTest); !errors.Is(err, errTest) {
		t.Errorf("%v", err)
	}
	foreign := kv.Record{Window: puzzle.Window{Cell: puzzle.Cell{Layer: 7, Key: "z"}}}
	r, err := rerun(nil, foreign)
	if err != nil || r.Recomputation.Same != 4 || r.Recomputation.Other != 0 || r.Recomputed != 4 {
		t.Errorf("%+v, %v", r, err)
	}
}

// broken is a chain whose second layer cannot be computed.
type broken struct{ *chain }

func (b broken) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (puzzle.Tally, error) {
	if w.Layer == 1 {
		return puzzle.Tally{}, errTest
	}
	return b.chain.Compute(ctx, w, in, out)
}

// TestFailsAgain: a window whose computation fails the second time differs from the ledger.
func TestFailsAgain(t *testing.T) {
	c := newChain()
	f := carriedOut(t, c)
	r, err := Run(t.Context(), broken{c}, f, Options{Recompute: &Draw{Share: big.NewRat(1, 1)}})
	if err != nil || len(r.Findings) != 1 || r.Findings[0].Kind != FindRecompute || r.Findings[0].Window != "1/b/0" ||
		!strings.HasSuffix(r.Findings[0].Text, "it fails: "+errTest.Error()) || r.Recomputation.Other != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// silent is a chain whose windows count no flow.
type silent struct{ *chain }

func (s silent) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (puzzle.Tally, error) {
	t, err := s.chain.Compute(ctx, w, in, out)
	t.In, t.Out = nil, nil
	return t, err
}

// TestEdgesWithoutFlow: an edge on which no end counts a flow is not checked, and counts once.
func TestEdgesWithoutFlow(t *testing.T) {
	c := silent{newChain()}
	f := carriedOutBy(t, c, c.chain)
	r, err := Run(t.Context(), c, f, Options{})
	if err != nil || r.Edges != 0 || r.EdgesUnchecked != 2 || len(r.Findings) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
