package reach

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// Winnable finds the positions that can be reached from a start and from which a goal can be reached, and few others.
// It implements puzzle.Puzzle and puzzle.Regrouper.
//
// From the start all positions are found up to half of the jumps, and so are those from the complement of the goal.
// Then either side goes on with the positions whose complements the other side has. These are winnable, and a position
// before a winnable one is winnable, so none is missed. The near side has the winnable positions of the second half of
// the game, the far side the complements of those of the first half. Where the complement of the goal is the start, and
// the number of jumps is odd, both sides are one.
type Winnable struct {
	params Params
	jumps  int
	half   int // the last layer in which the near side has all positions
	group  []peg.Perm
	orbits func() *peg.Orbits
	sides  []*side // none when it is known beforehand that the goal cannot be reached
	reason string  // why it cannot
}

// A side is an enumeration of all positions, up to layer last, and the one that goes on.
type side struct {
	all, winnable *enumeration
	last          int
}

// bundleWords bounds the words of a cell of several vectors: 8 million addresses.
const bundleWords = 1 << 17

// NewWinnable prepares the run of p, which has a goal. The error is one of those of New.
func NewWinnable(p Params) (*Winnable, error) {
	w := &Winnable{params: p, jumps: p.jumps()}
	w.half = (w.jumps - 1) / 2
	w.group = setStabiliser(peg.Stabiliser(p.Board.Symmetries(), p.Start), p.goals())
	w.orbits = sync.OnceValue(func() *peg.Orbits { return peg.NewOrbits(w.group) })
	s, err := newScheme(p.Board, []peg.Position{p.Start}, w.group, nil)
	if err != nil {
		return nil, err
	}
	near, err := newEnumeration(s, p.WindowAddresses, "", sumPositions)
	if err != nil {
		return nil, err
	}
	var ends []peg.Position
	if ends, w.reason = p.ends(); w.reason != "" {
		return w, nil
	}
	far := near
	if len(ends) > 1 || ends[0] != p.Start || w.jumps%2 == 0 {
		t, err := newScheme(p.Board, ends, w.group, s)
		if err != nil {
			return nil, err
		}
		if far, err = newEnumeration(t, p.WindowAddresses, "back-", sumPositions); err != nil {
			return nil, err
		}
	}
	confine(near, far, w.jumps)
	if len(near.cells) == 0 {
		return w, nil
	}
	near.bundles.words, far.bundles.words = bundleWords, bundleWords
	w.sides = []*side{{near, near.continued("win-", w.half+1, far, w.jumps), w.half}}
	if far != near {
		last := w.jumps - w.half - 1
		w.sides = append(w.sides, &side{far, far.continued("backwin-", last+1, near, w.jumps), last})
	}
	return w, nil
}

// Identity names the parameters that decide the result.
func (r *Winnable) Identity() puzzle.Identity {
	b := r.params.Board
	return puzzle.Identity{Puzzle: "peg", Params: []puzzle.Param{
		{Name: "count", Value: "positions"},
		{Name: "only", Value: "winnable"},
		{Name: "lattice", Value: b.Pattern()},
		{Name: "board", Value: peg.FormatLine(b, b.Full())},
		{Name: "start", Value: peg.FormatLine(b, r.params.Start)},
		{Name: "goal", Value: r.params.goalText()},
		{Name: "window_addresses", Value: strconv.FormatUint(r.params.WindowAddresses, 10)},
	}}
}

// Columns is empty: that an address has a row is all there is to know of it.
func (r *Winnable) Columns() []string { return nil }

// Layer plans the positions after n jumps of either side. All layers are known beforehand.
func (r *Winnable) Layer(n int, _ puzzle.Results) (cells []puzzle.CellPlan, err error) {
	if n > r.jumps || len(r.sides) == 0 {
		return nil, puzzle.ErrNoLayer
	}
	for _, s := range r.sides {
		if n <= s.last {
			cells = append(cells, s.all.plan(n)...)
		}
	}
	for _, s := range r.sides {
		if n > s.last {
			cells = append(cells, s.winnable.plan(n)...)
		}
	}
	return cells, nil
}

// enumeration is the one that has a cell.
func (r *Winnable) enumeration(c puzzle.Cell) *enumeration {
	for _, s := range r.sides {
		for _, w := range []*enumeration{s.winnable, s.all} {
			if w.name != "" && strings.HasPrefix(c.Key, w.name) {
				return w
			}
		}
	}
	return r.sides[0].all
}

// Compute computes one window.
func (r *Winnable) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (puzzle.Tally, error) {
	return r.enumeration(w.Cell).compute(ctx, w, in, out)
}

// CheckTally implements puzzle.TallyChecker.
func (r *Winnable) CheckTally(w puzzle.Window, rows uint64, t *puzzle.Tally) error {
	return r.enumeration(w.Cell).checkTally(w, rows, t)
}

// has is the side that has the winnable positions after n jumps, and the layer in which they or their complements are.
func (r *Winnable) has(n int) (s *side, layer int) {
	if n > r.half {
		return r.sides[0], n
	}
	return r.sides[len(r.sides)-1], r.jumps - n
}

// Summarise gives the totals and the table of layers, of the layers that are complete.
func (r *Winnable) Summarise(known puzzle.Results) (puzzle.Summary, error) {
	layers := puzzle.Table{Name: "layers", Columns: append(layerColumns[:2:2], winnableColumns...)}
	var all counted
	for n := 0; n <= r.jumps && len(r.sides) > 0; n++ {
		t, ok := r.layer(n, known)
		if !ok {
			continue
		}
		c, err := burnside(t.Sum(sumPositions), t.Sum(sumSymmetries), len(r.group))
		if err != nil {
			return puzzle.Summary{}, err
		}
		if err := all.add(c); err != nil {
			return puzzle.Summary{}, err
		}
		layers.Rows = append(layers.Rows,
			[]puzzle.Value{number(n), number(r.params.Start.Pegs() - n), {N: c.classes}, {N: c.positions}})
	}
	s := puzzle.Summary{Tables: []puzzle.Table{layers}}
	r.params.describe(&s, r.reason)
	if known.Complete() {
		addWinnable(&s, all)
	}
	return s, nil
}

// layer is the tally of the winnable positions after n jumps; ok is false while it is not known.
func (r *Winnable) layer(n int, known puzzle.Results) (t puzzle.Tally, ok bool) {
	s, layer := r.has(n)
	if layer >= known.Layers() {
		return t, false
	}
	for _, b := range s.winnable.bound(layer).list {
		c, ok := known.Cell(b.cell)
		if !ok || t.Merge(&c) != nil {
			return t, false
		}
	}
	return t, true
}

// RowColumns describes the exported rows: one for each class of winnable positions.
func (r *Winnable) RowColumns() []puzzle.Column { return rowColumns }

// RowLayers implements puzzle.Regrouper: a layer for each number of jumps, none where nothing is counted.
func (r *Winnable) RowLayers() int {
	if len(r.sides) == 0 {
		return 0
	}
	return r.jumps + 1
}

// RowLayer implements puzzle.Regrouper.
func (r *Winnable) RowLayer(n int) int {
	_, layer := r.has(n)
	return layer
}

// RowLayerColumn implements puzzle.Regrouper.
func (r *Winnable) RowLayerColumn() int { return jumpsColumn }

// ExportRows emits the symmetry classes of a block of winnable positions: canonical position, jumps, size of the class.
// Where one side is both, a row gives its complement, too.
func (r *Winnable) ExportRows(c puzzle.Cell, b *puzzle.Block, emit func(row []puzzle.Value) error) error {
	w := r.enumeration(c)
	if w.far == nil {
		return nil // not all of its positions are winnable
	}
	row := make([]puzzle.Value, len(rowColumns))
	class := func(p peg.Position, jumps, orbit int) error {
		row[0].S, row[jumpsColumn], row[2] = r.params.Board.Hex(r.orbits().Least(p)), number(jumps), number(orbit)
		return emit(row)
	}
	return w.eachClass(c, b, func(p peg.Position, orbit int) error {
		if w == r.sides[0].winnable {
			if err := class(p, c.Layer, orbit); err != nil {
				return err
			}
		}
		if w == r.sides[len(r.sides)-1].winnable {
			return class(r.params.Board.Complement(p), r.jumps-c.Layer, orbit)
		}
		return nil
	})
}
