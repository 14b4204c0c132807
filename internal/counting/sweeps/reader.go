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
	home   partition.Vector               // of the cell
	best   []uint8                        // the element, by prefix
	cell   *cell                          // nil where none of the positions is both reachable and winnable
	opened bool                           // whether cell is known
	before [len(partition.Vector{})]*spot // a jump before, by the class of its middle hole; nil where not yet needed
}

// A cell holds the layout, the windows and the totals of a cell for a reader.
type cell struct {
	jumps  int
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

// A lookup asks for the totals of a position.
type lookup struct {
	position peg.Position
	at       *spot  // of the position
	by       uint16 // the hole of the peg that has jumped, or the joint that leads there

	address uint64
	t       *totals
	row     int  // of t
	ok      bool // whether the position is both reachable and winnable; t and row mean nothing otherwise
}

// look carries out look-ups. One step of all of them is done before the next one, because each waits for memory.
func (r *reader) look(ctx context.Context, list []lookup) error {
	for i := range list {
		x := &list[i]
		if x.at.jumps == 0 {
			x.t, x.row, x.ok = startTotals, 0, x.position == r.pass.Near.Start
			continue
		}
		if !x.at.opened {
			if err := r.open(x.at); err != nil {
				return err
			}
		}
		if x.t, x.ok = nil, x.at.cell != nil; x.ok {
			x.address, x.ok = x.at.cell.layout.ClassAddress(x.at.best, r.pass.Near.Space.Ordered(x.position))
		}
	}
	for i := range list {
		x := &list[i]
		if !x.ok || x.t != nil {
			continue
		}
		var err error
		if x.t, err = r.totals(ctx, x.at.cell, x.address); err != nil {
			return err
		}
		if x.ok = x.t != nil; x.ok {
			x.row, x.ok = x.t.rows.Row(x.address)
		}
	}
	for i := range list {
		x := &list[i]
		x.ok = x.ok && x.row < len(x.t.places) && x.t.places[x.row].n > 0
	}
	return nil
}

// find is look for one position after n jumps.
func (r *reader) find(ctx context.Context, p peg.Position, n int) (lookup, error) {
	x := []lookup{{position: p, at: r.spot(p, n)}}
	err := r.look(ctx, x)
	return x[0], err
}

// totals returns the totals of the window of a cell that has an address, nil when the pass has no such window.
func (r *reader) totals(ctx context.Context, c *cell, address uint64) (t *totals, err error) {
	i := 0
	if len(c.pass) > 1 {
		i = sort.Search(len(c.pass), func(k int) bool { return c.pass[k].First > address }) - 1
	}
	if i < 0 || address-c.pass[i].First >= c.pass[i].Addresses {
		return nil, nil
	}
	if c.totals[i] == nil {
		c.totals[i], err = loadTotals(ctx, r.in, c.own[i], c.pass[i], r.stride(c.jumps))
	}
	return c.totals[i], err
}

// open finds the cell of a spot, nil when the pass has none.
func (r *reader) open(s *spot) error {
	s.opened = true
	at := spotPlace{s.jumps, s.home}
	if s.cell = r.cells[at]; s.cell != nil || !r.pass.Has(s.jumps, s.home) {
		return nil
	}
	pass, err := r.in.Windows(r.pass.Cell(s.jumps, s.home))
	if err != nil {
		return err
	}
	its := r.cell(s.jumps, s.home)
	own, err := r.in.Windows(its)
	if err != nil {
		return err
	}
	if len(own) != len(pass) {
		return fmt.Errorf("cell %d/%s has %d windows, and its positions %d", its.Layer, its.Key, len(own), len(pass))
	}
	s.cell = &cell{s.jumps, r.pass.Near.Space.Layout(s.home), pass, own, make([]*totals, len(pass))}
	r.cells[at] = s.cell
	return nil
}
