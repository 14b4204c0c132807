package sweeps

import (
	"context"
	"fmt"
	"math/bits"
	"sort"

	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// A reader looks up the totals of positions of a side. It is not safe for concurrent use.
type reader struct {
	*side
	in        puzzle.Source
	canonical map[partition.Vector]canonical
	cells     map[cellPlace]*cell // nil where the pass has none
}

// canonical says where the positions of a vector are found: in which cell, and which elements of the group take them
// there.
type canonical struct {
	vector partition.Vector
	coset  uint64
}

// A cellPlace is a cell of a side: the positions of a vector after so many jumps.
type cellPlace struct {
	jumps  int
	vector partition.Vector
}

// A cell holds the layout, the windows and the totals of a cell for a reader.
type cell struct {
	layout *partition.Layout
	pass   []puzzle.Window
	own    []puzzle.Window
	totals []*totals // by window, nil until it is read
}

func (s *side) reader(in puzzle.Source) *reader {
	return &reader{
		side: s, in: in, canonical: map[partition.Vector]canonical{}, cells: map[cellPlace]*cell{},
	}
}

// of returns the totals of a position after n jumps and its row there; ok is false when it is not both reachable and
// winnable.
func (r *reader) of(ctx context.Context, p peg.Position, n int) (t *totals, row int, ok bool, err error) {
	return r.find(ctx, p, r.pass.Near.Space.Vector(p), n)
}

// find is of, for a position whose class-count vector is known.
func (r *reader) find(
	ctx context.Context, p peg.Position, v partition.Vector, n int,
) (t *totals, row int, ok bool, err error) {
	if n == 0 {
		return startTotals, 0, p == r.pass.Near.Start, nil
	}
	space := r.pass.Near.Space
	home, known := r.canonical[v]
	if !known {
		home.vector, home.coset = space.Canonical(v)
		r.canonical[v] = home
	}
	c, known := r.cells[cellPlace{n, home.vector}]
	if !known {
		if c, err = r.open(n, home.vector); err != nil {
			return nil, 0, false, err
		}
	}
	if c == nil {
		return nil, 0, false, nil
	}
	x := space.Ordered(p)
	if len(space.Group) > 1 {
		least := ^uint64(0)
		for g := home.coset; g != 0; g &= g - 1 {
			least = min(least, space.Move(bits.TrailingZeros64(g), x))
		}
		x = least
	}
	address, ok := c.layout.Address(x)
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
		if t, err = loadTotals(ctx, r.in, c.own[i], c.pass[i], r.stride(n)); err != nil {
			return nil, 0, false, err
		}
		c.totals[i] = t
	}
	row, ok = t.rows.Row(address)
	return t, row, ok && row < len(t.places) && t.places[row].n > 0, nil
}

// open makes a cell ready, nil when the pass has none.
func (r *reader) open(n int, v partition.Vector) (*cell, error) {
	var c *cell
	if r.pass.Has(n, v) {
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
		c = &cell{r.pass.Near.Space.Layout(v), pass, own, make([]*totals, len(pass))}
	}
	r.cells[cellPlace{n, v}] = c
	return c, nil
}
