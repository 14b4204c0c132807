package puzzletest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

var (
	_ TB = testing.TB(nil)
	_ TB = (*rapid.T)(nil)
)

// A chain is one cell of two blocks in each of four layers. Row 3 of a layer is the sum of its parent's row 3 and one.
// A function that is not nil replaces the honest step.
type chain struct {
	read    func(in puzzle.Source, parent puzzle.Cell) error // after the parent has been read
	missing func(error) error                                // turns the error of a missing parent into the answer
	write   func(out puzzle.Sink, w puzzle.Window) error
	tally   func(t *puzzle.Tally)
}

const chainLayers = 4

func chainCell(layer int) puzzle.Cell { return puzzle.Cell{Layer: layer, Key: "c"} }

func (c *chain) Identity() puzzle.Identity { return puzzle.Identity{Puzzle: "chain"} }
func (c *chain) Columns() []string         { return []string{"n"} }

func (c *chain) Layer(n int, _ puzzle.Results) ([]puzzle.CellPlan, error) {
	if n == chainLayers {
		return nil, puzzle.ErrNoLayer
	}
	plan := puzzle.CellPlan{Cell: chainCell(n), Addresses: 2 * puzzle.BlockAddresses, Cuts: []uint64{0}}
	if n > 0 {
		plan.Parents = []puzzle.Cell{chainCell(n - 1)}
	}
	return []puzzle.CellPlan{plan}, nil
}

func (c *chain) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (t puzzle.Tally, err error) {
	n := uint64(0)
	if w.Layer > 0 {
		parent := chainCell(w.Layer - 1)
		n, err = c.parent(ctx, in, parent)
		if err != nil {
			if c.missing != nil {
				err = c.missing(err)
			}
			return t, err
		}
		if err := t.AddIn(parent, uint128.From(n)); err != nil {
			return t, err
		}
	}
	n++
	write := c.write
	if write == nil {
		write = func(out puzzle.Sink, _ puzzle.Window) error { return honest(out, n) }
	}
	if err := write(out, w); err != nil {
		return t, err
	}
	in.Cache().Put(w.ID(), n, 8)
	if w.Layer < chainLayers-1 {
		if err := t.AddOut(chainCell(w.Layer+1), uint128.From(n)); err != nil {
			return t, err
		}
	}
	if err := t.AddSum("n", uint128.From(n)); err != nil {
		return t, err
	}
	if c.tally != nil {
		c.tally(&t)
	}
	return t, nil
}

// parent reads the number of a parent, from the cache or from its second block.
func (c *chain) parent(ctx context.Context, in puzzle.Source, cell puzzle.Cell) (n uint64, err error) {
	if c.read != nil {
		if err := c.read(in, cell); err != nil {
			return 0, err
		}
	}
	windows, err := in.Windows(cell)
	if err != nil {
		return 0, err
	}
	if v, ok := in.Cache().Get(windows[0].ID()); ok {
		return v.(uint64), nil
	}
	err = in.Blocks(ctx, windows[0], puzzle.BlockAddresses, 1, func(b *puzzle.Block) error {
		n += b.Column(0)[0]
		return nil
	})
	return n, err
}

// honest writes two blocks in one block's memory: a row of 100 in the first, n in the second.
func honest(out puzzle.Sink, n uint64) error {
	b := puzzle.Block{
		Addresses: puzzle.BlockAddresses,
		Occupied:  make([]uint64, puzzle.BlockAddresses/64),
		Columns:   [][]uint64{{100}},
	}
	b.Occupied[0] = 1 << 3
	if err := out.Block(&b); err != nil {
		return err
	}
	b.First, b.Columns[0][0] = puzzle.BlockAddresses, n
	return out.Block(&b)
}

func (c *chain) Summarise(known puzzle.Results) (s puzzle.Summary, err error) {
	t, ok := known.Layer(known.Layers() - 1)
	if !ok || !known.Complete() {
		return s, errors.New("the run is not complete")
	}
	s.AddCount("n", t.Sum("n"), "")
	return s, nil
}

// TestPlay plays the chain with every way to hand windows on.
func TestPlay(t *testing.T) {
	for _, o := range []Options{
		{Stored: true}, {Cached: true}, {Cached: true, Hoard: true}, {Cached: true, Stored: true},
	} {
		p, seen := &chain{}, 0
		o.Each = func(w puzzle.Window, b *puzzle.Block) error { seen += b.Rows(); return b.Check(w) }
		m := Play(t, p, o)
		if got := Fact(t, p, m, "n"); got != "4" || seen != 2*chainLayers {
			t.Errorf("%+v: %s at the end and %d rows, want 4 and %d", o, got, seen, 2*chainLayers)
		}
		rows := m.Rows(chainCell(2))
		if o.Stored && (len(rows) != 2 || rows[0].Columns[0][0] != 100 || rows[1].Columns[0][0] != 3) {
			t.Errorf("%+v: rows %v", o, rows)
		}
		if !o.Stored && len(rows) != 0 {
			t.Errorf("%+v: rows are kept", o)
		}
		if _, ok := m.Get(puzzle.WindowID{Cell: chainCell(0)}); ok != o.Hoard {
			t.Errorf("%+v: layer 0 is in the cache: %v", o, ok)
		}
		if _, err := m.Fact(p, "m"); err == nil {
			t.Errorf("%+v: a fact that is not there was found", o)
		}
		if part, err := PlayTo(t, p, o, 1); err != nil || part.Layers() != 2 || len(part.Tallies()) != 2 {
			t.Errorf("%+v: up to layer 1: %d layers, error %v", o, part.Layers(), err)
		}
	}
}

// TestBreaches breaks the contract in each way that is looked for, also where the puzzle hides it.
func TestBreaches(t *testing.T) {
	stored := Options{Stored: true}
	for name, c := range map[string]struct {
		p    chain
		o    Options
		want string
	}{
		"unsorted tally": {chain{tally: func(t *puzzle.Tally) {
			t.Sums = append(t.Sums, t.Sums[0])
		}}, stored, "window 0/c/0: tally is not canonical"},
		"name of a sum": {chain{tally: func(t *puzzle.Tally) {
			t.Sums = []puzzle.Scalar{{Name: "a/b", Value: uint128.From(1)}}
		}}, stored, `window 0/c/0: "a/b" is not a name of a scalar`},
		"name of a maximum": {chain{tally: func(t *puzzle.Tally) {
			t.Maxima = []puzzle.Scalar{{Value: uint128.From(1)}}
		}}, stored, `window 0/c/0: "" is not a name of a scalar`},
		"flow": {chain{tally: func(t *puzzle.Tally) {
			if len(t.In) > 0 {
				t.In[0].Amount = uint128.From(77)
			}
		}}, stored, "edge 0/c -> 1/c: 1 went out, 77 came in"},
		"flow from nowhere": {chain{tally: func(t *puzzle.Tally) {
			t.In = []puzzle.Flow{{Cell: puzzle.Cell{Key: "x"}, Amount: uint128.From(1)}}
		}}, stored, "cell 0/x is read before it is computed"},
		"block": {chain{write: func(out puzzle.Sink, _ puzzle.Window) error {
			_ = out.Block(&puzzle.Block{First: 1})
			return nil
		}}, stored, "window 0/c/0: block address 1 does not belong"},
		"blocks out of order": {chain{write: func(out puzzle.Sink, _ puzzle.Window) error {
			if err := honest(out, 1); err != nil {
				return err
			}
			_ = honest(out, 1)
			return puzzle.ErrOverflow
		}}, stored, "window 0/c/0: block 0 comes after address 131071"},
		"tally of an unknown cell": {chain{read: func(in puzzle.Source, parent puzzle.Cell) error {
			_, _ = in.Tally(puzzle.Cell{Layer: parent.Layer, Key: "x"})
			return nil
		}}, stored, "cell 0/x is read before it is computed"},
		"windows of an unknown cell": {chain{read: func(in puzzle.Source, parent puzzle.Cell) error {
			_, _ = in.Windows(chainCell(parent.Layer + 1))
			return nil
		}}, stored, "cell 1/c is read before it is computed"},
		"blocks of an unknown cell": {chain{read: func(in puzzle.Source, _ puzzle.Cell) error {
			return in.Blocks(context.Background(), puzzle.Window{Cell: chainCell(3)}, 0, 1, nil)
		}}, stored, "reads window 3/c/0, whose cell is not one of its parents"},
		"missing window left out": {chain{read: func(in puzzle.Source, parent puzzle.Cell) error {
			_ = in.Blocks(context.Background(), puzzle.Window{Cell: parent}, 0, 1, nil)
			return nil
		}}, Options{Cached: true}, "window 1/c/0: Compute did not pass on: window 0/c/0: window is not"},
		"missing window hidden": {chain{missing: func(err error) error {
			return errors.New("no parent: " + err.Error())
		}}, Options{}, "window 1/c/0: Compute did not pass on: window 0/c/0"},
	} {
		err := New(c.o).Play(context.Background(), &c.p)
		if !errors.Is(err, ErrContract) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// sparing is a chain that says that it reads nothing.
type sparing struct{ chain }

func (*sparing) Reads(puzzle.Window) ([]puzzle.Range, bool) { return nil, false }

// TestUndeclaredReads: a read outside the declared ranges is a breach, from the store and from the cache.
func TestUndeclaredReads(t *testing.T) {
	for _, o := range []Options{{Stored: true}, {Cached: true}} {
		err := New(o).Play(context.Background(), &sparing{})
		const want = "window 1/c/0 reads window 0/c/0, which is in none of the ranges"
		if !errors.Is(err, ErrContract) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}

// A grandchild is a chain that also reads the parents of its parents, which it does not name.
type grandchild struct{ chain }

func newGrandchild() *grandchild {
	return &grandchild{chain{read: func(in puzzle.Source, parent puzzle.Cell) error {
		if parent.Layer == 0 {
			return nil
		}
		w := puzzle.Window{Cell: chainCell(parent.Layer - 1), Addresses: 2 * puzzle.BlockAddresses}
		if _, ok := in.Cache().Get(w.ID()); ok {
			return nil
		}
		return in.Blocks(context.Background(), w, 0, 1, func(*puzzle.Block) error { return nil })
	}}}
}

// A doubled chain names its parents twice.
type doubled struct{ chain }

func (c *doubled) Layer(n int, known puzzle.Results) ([]puzzle.CellPlan, error) {
	cells, err := c.chain.Layer(n, known)
	for i := range cells {
		cells[i].Parents = append(cells[i].Parents, cells[i].Parents...)
	}
	return cells, err
}

// TestParents: a read of a cell that is no parent is a breach, from the store and from the cache, as is a parent that
// is named twice.
func TestParents(t *testing.T) {
	for _, o := range []Options{{Stored: true}, {Stored: true, Cached: true, Hoard: true}} {
		for want, p := range map[string]puzzle.Puzzle{
			"window 2/c/0 reads window 0/c/0, whose cell is not one of its parents": newGrandchild(),
			"cell 1/c names its parent 0/c twice":                                   &doubled{},
		} {
			if err := New(o).Play(context.Background(), p); !errors.Is(err, ErrContract) ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%+v: %v, want %q", o, err, want)
			}
		}
	}
}

// TestErrors says that errors of the computation are passed on as they are: a missing window, an error of Each.
func TestErrors(t *testing.T) {
	var missing *puzzle.MissingError
	m, err := PlayTo(t, &chain{}, Options{}, -1)
	if !errors.As(err, &missing) || missing.Window.Cell != chainCell(0) || errors.Is(err, ErrContract) {
		t.Errorf("a parent that nobody keeps: got %v", err)
	}
	if _, ok := m.Layer(1); ok || m.Complete() {
		t.Error("a run that failed says that it is complete")
	}
	if _, ok := m.Cell(chainCell(1)); ok {
		t.Error("a cell that failed says that it is complete")
	}
	broken := errors.New("broken")
	each := func(puzzle.Window, *puzzle.Block) error { return broken }
	_, err = PlayTo(t, &chain{}, Options{Stored: true, Each: each}, -1)
	if !errors.Is(err, broken) || errors.Is(err, ErrContract) {
		t.Errorf("an error of Each: got %v", err)
	}
	for range 2 { // computing again replaces
		m = Play(t, &chain{}, Options{Stored: true})
		if _, err := Compute(t.Context(), t, m, &chain{}, puzzle.Window{
			Cell: chainCell(3), Addresses: 2 * puzzle.BlockAddresses,
		}, m); err != nil || len(m.Rows(chainCell(3))) != 2 {
			t.Errorf("computing again: %d blocks, error %v", len(m.Rows(chainCell(3))), err)
		}
	}
}

// A fataler notes that a test was to end.
type fataler struct{ said string }

func (f *fataler) Helper()                           {}
func (f *fataler) Fatal(args ...any)                 { f.said += fmt.Sprint(args...) }
func (f *fataler) Fatalf(format string, args ...any) { f.said += fmt.Sprintf(format, args...) }

// TestFatal says which errors end a test.
func TestFatal(t *testing.T) {
	bad := &chain{tally: func(t *puzzle.Tally) { t.Sums = append(t.Sums, t.Sums[0]) }}
	m := Play(t, &chain{}, Options{Stored: true})
	w := puzzle.Window{Cell: chainCell(0), Addresses: 2 * puzzle.BlockAddresses}
	q := &puzzle.Question{Answer: func(context.Context, puzzle.Request) (*puzzle.Answer, error) {
		return nil, puzzle.ErrNotAsked
	}}
	for name, c := range map[string]struct {
		do    func(f *fataler)
		fatal bool
	}{
		"play, breach":    {func(f *fataler) { Play(f, bad, Options{}) }, true},
		"play, missing":   {func(f *fataler) { Play(f, &chain{}, Options{}) }, true},
		"playto, breach":  {func(f *fataler) { _, _ = PlayTo(f, bad, Options{}, -1) }, true},
		"playto, missing": {func(f *fataler) { _, _ = PlayTo(f, &chain{}, Options{}, -1) }, false},
		"compute, breach": {func(f *fataler) { _, _ = Compute(context.Background(), f, m, bad, w, m) }, true},
		"compute":         {func(f *fataler) { _, _ = Compute(context.Background(), f, m, &chain{}, w, m) }, false},
		"fact":            {func(f *fataler) { Fact(f, &chain{}, m, "n") }, false},
		"no fact":         {func(f *fataler) { Fact(f, &chain{}, m, "m") }, true},
		"no answer":       {func(f *fataler) { Ask(f, q, nil) }, true},
	} {
		var f fataler
		c.do(&f)
		if (f.said != "") != c.fatal {
			t.Errorf("%s: fatal with %q, want fatal %v", name, f.said, c.fatal)
		}
	}
}
