package sweeps

import (
	"context"
	"fmt"
	"sort"

	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// A reader looks up the totals of positions of a side. It is not safe for concurrent use.
type reader struct {
	*side
	in    puzzle.Source
	spots map[spotPlace]*spot
	cells map[spotPlace]*cell // by the vector of the cell
}

// A spotPlace is the positions of a vector after so many jumps.
type spotPlace struct {
	jumps  int
	vector partition.Vector
}

// A spot says where the positions of a vector after so many jumps are found: in which cell, and which element of the
// group takes them there.
type spot struct {
	spotPlace
	home   partition.Vector // Of the cell.
	best   []uint8          // Which element, by prefix.
	cell   *cell            // Nil where none of the positions is both reachable and winnable.
	opened bool             // Whether cell is known.
	// The spots of a jump before, by the class of its middle hole; nil until they are needed.
	before [len(partition.Vector{})]*spot
}

// A cell holds the layout, the windows and the totals of a cell for a reader.
type cell struct {
	layout *partition.Layout
	pass   []puzzle.Window
	own    []puzzle.Window
	totals []*totals // by window, nil until it is read
}

func (s *side) reader(in puzzle.Source) *reader {
	return &reader{side: s, in: in, spots: map[spotPlace]*spot{}, cells: map[spotPlace]*cell{}}
}

// spot returns the spot of a position after n jumps.
func (r *reader) spot(p peg.Position, n int) *spot {
	return r.spotOf(spotPlace{n, r.pass.Near.Space.Vector(p)})
}

// before returns the spot from which a jump over a hole of a class leads to at.
func (r *reader) before(at *spot, over uint8) *spot {
	s := at.before[over]
	if s == nil {
		place := spotPlace{at.jumps - 1, at.vector}
		place.vector[over]++
		s = r.spotOf(place)
		at.before[over] = s
	}
	return s
}

func (r *reader) spotOf(place spotPlace) *spot {
	s := r.spots[place]
	if s == nil {
		s = &spot{spotPlace: place}
		home, coset := r.pass.Near.Space.Canonical(place.vector)
		s.home, s.best = home, r.pass.Near.Space.BestElement(coset)
		r.spots[place] = s
	}
	return s
}

// of returns the totals of a position after n jumps and its row there; ok is false when it is not both reachable and
// winnable.
func (r *reader) of(ctx context.Context, p peg.Position, n int) (t *totals, row int, ok bool, err error) {
	return r.find(ctx, p, r.spot(p, n))
}

// find is of, for a position whose spot is known.
func (r *reader) find(ctx context.Context, p peg.Position, s *spot) (t *totals, row int, ok bool, err error) {
	if s.jumps == 0 {
		return startTotals, 0, p == r.pass.Near.Start, nil
	}
	if !s.opened {
		if s.cell, err = r.open(s.jumps, s.home); err != nil {
			return nil, 0, false, err
		}
		s.opened = true
	}
	c := s.cell
	if c == nil {
		return nil, 0, false, nil
	}
	address, ok := c.layout.ClassAddress(s.best, r.pass.Near.Space.Ordered(p))
	if !ok {
		return nil, 0, false, nil
	}
	i := 0
	if len(c.pass) > 1 {
		i = sort.Search(len(c.pass), func(k int) bool { return c.pass[k].First > address }) - 1
	}
	if i < 0 || address-c.pass[i].First >= c.pass[i].Addresses {
		return nil, 0, false, nil
	}
	if t = c.totals[i]; t == nil {
		if t, err = loadTotals(ctx, r.in, c.own[i], c.pass[i], r.stride(s.jumps)); err != nil {
			return nil, 0, false, err
		}
		c.totals[i] = t
	}
	row, ok = t.rows.Row(address)
	return t, row, ok && row < len(t.places) && t.places[row].n > 0, nil
}

// open makes a cell ready, nil when the pass has none.
func (r *reader) open(n int, v partition.Vector) (*cell, error) {
	at := spotPlace{n, v}
	if c := r.cells[at]; c != nil || !r.pass.Has(n, v) {
		return c, nil
	}
	pass, err := r.in.Windows(r.pass.Cell(n, v))
	if err != nil {
		return nil, err
	}
	own, err := r.in.Windows(r.cell(n, v))
	if err != nil {
		return nil, err
	}
	if len(own) != len(pass) {
		return nil, fmt.Errorf("cell %d/%s has %d windows, and its positions %d", r.cell(n, v).Layer, r.cell(n, v).Key,
			len(own), len(pass))
	}
	c := &cell{r.pass.Near.Space.Layout(v), pass, own, make([]*totals, len(pass))}
	r.cells[at] = c
	return c, nil
}
