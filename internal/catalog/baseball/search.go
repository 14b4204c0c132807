package baseball

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Params choose a search.
type Params struct {
	Bases   int
	Board   Board
	Methods bool // run the source's methods on every configuration as well
	// WindowAddresses bounds the size of a window in ranks; a window holds at least all ranks that share the tokens of
	// base 0. 0 means no bound but the search's own. It changes no result.
	WindowAddresses uint64
}

// ErrBases is wrapped by New when the number of bases is out of range.
var ErrBases = errors.New("no such search")

// A Search finds the distance of every configuration from the goal. It is a puzzle with one layer for each distance,
// and one more for the methods. A layer has a cell for each free base, whose addresses are ranks (see order); a rank
// has a row when its configuration is at that distance. On the ring the cells of bases past the middle are left out:
// they are reflections. Safe for concurrent use.
type Search struct {
	params  Params
	order   *order
	swapper *swapper
	total   uint64  // configurations of the board
	cells   [][]way // of each free base that has a cell: the ways to fill base 0
	windows [][]int // of each cell: the first way of every window, and the number of ways
}

var (
	_ puzzle.Puzzle     = (*Search)(nil)
	_ puzzle.Exporter   = (*Search)(nil)
	_ puzzle.Forecaster = (*Search)(nil)
)

// goodWindow is the size of windows in ranks unless they are asked for smaller.
const goodWindow = 1 << 25

// New returns a search. The error wraps ErrBases.
func New(p Params) (*Search, error) {
	if p.Bases < 2 || p.Bases > MaxBases {
		return nil, fmt.Errorf("%w: %d bases; choose 2 to %d", ErrBases, p.Bases, MaxBases)
	}
	s := &Search{params: p, order: newOrder(p.Bases)}
	s.swapper = &swapper{order: s.order}
	s.total = uint64(p.Bases) * s.order.ranks()
	if s.params.WindowAddresses == 0 || s.params.WindowAddresses > goodWindow {
		s.params.WindowAddresses = goodWindow
	}
	last := p.Bases - 1
	if p.Board == Ring {
		last = p.Bases / 2
	}
	for h := range last + 1 {
		ways := s.order.pairs(nil, all(p.Bases))
		if h == 0 {
			ways = s.order.singles(nil, all(p.Bases))
		}
		s.cells = append(s.cells, ways)
		var firsts []int
		for i, w := range ways {
			if i == 0 || w.at+w.size-ways[firsts[len(firsts)-1]].at > s.params.WindowAddresses {
				firsts = append(firsts, i)
			}
		}
		s.windows = append(s.windows, append(firsts, len(ways)))
	}
	return s, nil
}

// Identity implements puzzle.Puzzle.
func (s *Search) Identity() puzzle.Identity {
	return puzzle.Identity{Puzzle: "baseball", Params: []puzzle.Param{
		{Name: "bases", Value: strconv.Itoa(s.params.Bases)},
		{Name: "board", Value: s.params.Board.String()},
		{Name: "count", Value: "distances"},
		{Name: "methods", Value: strconv.FormatBool(s.params.Methods)},
		{Name: "window_addresses", Value: strconv.FormatUint(s.params.WindowAddresses, 10)},
	}}
}

// Columns implements puzzle.Puzzle: that there is a row says it all.
func (s *Search) Columns() []string { return nil }

// folded reports whether configurations stand for their reflections.
func (s *Search) folded() bool { return s.params.Board == Ring && s.params.Bases > 2 }

// bipartite reports whether the parity of the free base's number changes with every move.
func (s *Search) bipartite() bool { return s.params.Board == Line || s.params.Bases%2 == 0 }

// own reports whether the reflections of a cell are in the cell itself.
func (s *Search) own(h int) bool { return s.folded() && 2*h%s.params.Bases == 0 }

// images is the number of configurations that one of a cell stands for.
func (s *Search) images(h int) uint64 {
	if s.folded() && !s.own(h) {
		return 2
	}
	return 1
}

func cellOf(layer, h int) puzzle.Cell {
	return puzzle.Cell{Layer: layer, Key: "free" + strconv.Itoa(h)}
}

// exists reports whether a layer has the cell of a free base: whether the free place can get there in that many moves.
func (s *Search) exists(layer, h int) bool {
	return h >= 0 && h < len(s.cells) && h <= layer && (!s.bipartite() || (layer-h)%2 == 0)
}

// crosses reports whether the free place of cell h has a neighbour past the middle of an odd ring, which is the
// reflection of h.
func (s *Search) crosses(h int) bool {
	return s.folded() && 2*h+1 == s.params.Bases
}

// sources are the cells of the layer before from which moves lead to cell h.
func (s *Search) sources(layer, h int) []int {
	var out []int
	for _, g := range []int{h - 1, h, h + 1} {
		if (g != h || s.crosses(h)) && s.exists(layer-1, g) {
			out = append(out, g)
		}
	}
	return out
}

// before are the cells with those configurations that have a neighbour in the layer before and are not new.
func (s *Search) before(layer, h int) []puzzle.Cell {
	var out []puzzle.Cell
	for l := layer - 2; l < layer; l++ {
		if l >= 0 && s.exists(l, h) {
			out = append(out, cellOf(l, h))
		}
	}
	return out
}

// Compute implements puzzle.Puzzle.
func (s *Search) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (puzzle.Tally, error) {
	if w.Key == methodsKey {
		return s.computeMethods(ctx, w, in)
	}
	h, firsts, err := s.locate(w)
	if err != nil {
		return puzzle.Tally{}, err
	}
	c := computation{Search: s, ctx: ctx, in: in, layer: w.Layer, h: h, to: newField(w.First, w.Addresses)}
	c.mirror = reflector{order: s.order, known: map[uint32][]tail{}}
	if err := c.window(firsts[0], firsts[1]); err != nil {
		return puzzle.Tally{}, err
	}
	in.Cache().Put(w.ID(), c.to, 8*uint64(len(c.to.words)))
	if err := write(c.to, w, out); err != nil {
		return puzzle.Tally{}, err
	}
	var t puzzle.Tally
	rows := c.to.count()
	if err := t.AddSum(sumRows, uint128.From(rows)); err != nil {
		return t, err
	}
	return t, t.AddSum(sumConfigurations, uint128.From(rows*s.images(h)))
}

// locate returns the free base of a window and its range of ways to fill base 0.
func (s *Search) locate(w puzzle.Window) (h int, ways []int, err error) {
	for h := range s.cells {
		if w.Cell != cellOf(w.Layer, h) || !s.exists(w.Layer, h) || w.Part < 0 || w.Part+1 >= len(s.windows[h]) {
			continue
		}
		p := s.planCell(w.Layer, h)
		if p.Window(w.Part) == w {
			return h, s.windows[h][w.Part : w.Part+2], nil
		}
	}
	return 0, nil, fmt.Errorf("window %v of ranks %d+%d does not belong to the search of %d bases on the %v",
		w, w.First, w.Addresses, s.params.Bases, s.params.Board)
}

// write writes a window's rows in blocks.
func write(f *field, w puzzle.Window, out puzzle.Sink) error {
	for first := uint64(0); first < w.Addresses; first += puzzle.BlockAddresses {
		n := min(puzzle.BlockAddresses, w.Addresses-first)
		b := puzzle.Block{First: w.First + first, Addresses: int(n), Occupied: f.words[first/64 : (first+n+63)/64]}
		if b.Rows() == 0 {
			continue
		}
		if err := out.Block(&b); err != nil {
			return err
		}
	}
	return nil
}

// CheckTally implements puzzle.TallyChecker: the tally has the number of rows, and a row stands for as many
// configurations as its base has images.
func (s *Search) CheckTally(w puzzle.Window, rows uint64, t *puzzle.Tally) error {
	if w.Key == methodsKey {
		return nil
	}
	h, _, err := s.locate(w)
	if err != nil {
		return err
	}
	if n := t.Sum(sumRows); n != uint128.From(rows) {
		return fmt.Errorf("%s %v, but %d rows", sumRows, n, rows)
	}
	if n := t.Sum(sumConfigurations); n != uint128.Mul(rows, s.images(h)) {
		return fmt.Errorf("%v configurations, but %d rows that stand for %d each", n, rows, s.images(h))
	}
	return nil
}
