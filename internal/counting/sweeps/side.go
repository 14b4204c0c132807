package sweeps

import (
	"context"
	"fmt"
	"strings"

	"pagoda/internal/counting/ways"
	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// A side is the positions of a pass that lie at most depth jumps from its start.
type side struct {
	pass  *ways.Pass
	name  string // what the keys of its cells begin with
	first int    // layer of the run that has the positions after one jump
	depth int
	holes int
	whole string // the scalar for the longest sweep that is all of a sequence
	// back says that sequences are played from the goal, on complements. A jump is the same jump there, only the order is
	// the other one: what matters of the last jump is not where it ended but where it began, and the next one goes on with
	// its sweep when it ends there.
	back bool
}

func (s *side) cell(n int, v partition.Vector) puzzle.Cell {
	return puzzle.Cell{Layer: s.first + n - 1, Key: s.name + v.Key()}
}

// place is the inverse of cell.
func (s *side) place(c puzzle.Cell) (n int, v partition.Vector, err error) {
	key, ok := strings.CutPrefix(c.Key, s.name)
	v, err = partition.ParseKey(key)
	if n = c.Layer - s.first + 1; err != nil || !ok || n < 1 || n > s.depth || !s.pass.Has(n, v) {
		return n, v, fmt.Errorf("cell %d/%s: no such cell in this run", c.Layer, c.Key)
	}
	return n, v, nil
}

// stride is the number of addresses that a position after n jumps has: for each hole, one for the longest sweep and one
// for each number of sweeps.
func (s *side) stride(n int) uint64 { return uint64(s.holes * (n + 1)) }

// plan plans the positions after n jumps. Their cells are those of the pass, with a stride of addresses for each of its
// addresses; the rows of the pass take the first of them, in order.
func (s *side) plan(n int) []puzzle.CellPlan {
	if n < 1 || n > s.depth {
		return nil
	}
	var cells []puzzle.CellPlan
	for _, p := range s.pass.Plan(n) {
		_, v, err := s.pass.Place(p.Cell)
		if err != nil {
			continue // the pass planned it
		}
		from := p.Cell
		p.Cell, p.Parents = s.cell(n, v), []puzzle.Cell{from}
		for _, e := range s.pass.Near.Edges(v, n) {
			p.Parents = s.parents(p.Parents, n-1, e.End)
		}
		for _, parent := range p.Parents[1:] {
			if _, u, err := s.place(parent); err == nil {
				p.MemoryBytes += s.memory(n-1, u)
			}
		}
		addresses := float64(p.Addresses)
		p.Work, p.RowBytes = addresses*rowsPerAddress*workPerRow, addresses*rowsPerAddress*20
		cuts := make([]uint64, len(p.Cuts))
		for i, at := range p.Cuts {
			cuts[i] = at * s.stride(n)
		}
		p.Cuts, p.Addresses = cuts, p.Addresses*s.stride(n)
		cells = append(cells, p)
	}
	return cells
}

// Rates that plans are made with, as on the English board.
const (
	rowsPerAddress = 0.05 // addresses of a pass that have a row: 0.02 from centre to centre, 0.04 from r0c2 to r0c2
	mostRows       = 0.1  // the same, of a whole cell that is large
	workPerRow     = 3000 // of a pass, in units of package counting
	meanHoles      = 5    // where the last jump of a position can have ended
)

// memory is what the states of a cell after n jumps take when they are read.
func (s *side) memory(n int, v partition.Vector) uint64 {
	counts := countBytes * float64(n+1)
	position := stateBytes + counts + meanHoles*(holeBytes+counts)
	return uint64(mostRows * position * float64(s.pass.Near.Space.Addresses(v)))
}

// parents adds the cells that have the states of a cell after n jumps.
func (s *side) parents(list []puzzle.Cell, n int, v partition.Vector) []puzzle.Cell {
	if n < 1 || !s.pass.Has(n, v) {
		return list
	}
	for _, c := range []puzzle.Cell{s.pass.Cell(n, v), s.cell(n, v)} {
		known := false
		for _, have := range list {
			known = known || have == c
		}
		if !known {
			list = append(list, c)
		}
	}
	return list
}

// canonical returns the cell of a position, the address of its canonical form and an element that takes it there; ok is
// false when the enumeration has no cell for it after n jumps.
func (s *side) canonical(p peg.Position, n int) (v partition.Vector, address uint64, element peg.Perm, ok bool) {
	space := s.pass.Near.Space
	v, address, ok = s.pass.Near.Locate(p, n)
	if !ok || !s.pass.Has(n, v) {
		return v, 0, nil, false
	}
	if len(space.Group) == 1 {
		return v, address, space.Group[0], true
	}
	x := space.Layout(v).Ordered(address)
	for g, perm := range space.Group {
		if space.Move(g, space.Ordered(p)) == x {
			return v, address, perm, true
		}
	}
	return v, 0, nil, false
}

// A reader looks up the states of positions of a side.
type reader struct {
	*side
	in      puzzle.Source
	cells   map[cellPlace][]*window
	scratch scratch
}

// A cellPlace is a cell of a side: the positions of a vector after so many jumps.
type cellPlace struct {
	jumps  int
	vector partition.Vector
}

func (s *side) reader(in puzzle.Source) *reader {
	return &reader{side: s, in: in, cells: map[cellPlace][]*window{}}
}

// of returns the states of a position after n jumps, and the element that takes its holes to theirs; nil when it is not
// both reachable and winnable.
func (r *reader) of(ctx context.Context, p peg.Position, n int) (*states, peg.Perm, error) {
	if n == 0 {
		if p != r.pass.Near.Start {
			return nil, nil, nil
		}
		return startStates, r.pass.Near.Space.Group[0], nil
	}
	v, address, element, ok := r.canonical(p, n)
	if !ok {
		return nil, nil, nil
	}
	ws, ok := r.cells[cellPlace{n, v}]
	if !ok {
		list, err := r.in.Windows(r.pass.Cell(n, v))
		if err != nil {
			return nil, nil, err
		}
		for _, w := range list {
			ws = append(ws, &window{Window: w})
		}
		r.cells[cellPlace{n, v}] = ws
	}
	for _, w := range ws {
		if address-w.First >= w.Addresses {
			continue
		}
		if w.rows == nil {
			if err := r.load(ctx, w, n, v); err != nil {
				return nil, nil, err
			}
		}
		if row, ok := w.rows.Row(address); ok && row < len(w.states) {
			return w.states[row], element, nil
		}
		break
	}
	return nil, nil, nil
}
