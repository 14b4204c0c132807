package ways

import (
	"context"
	"fmt"
	"strings"

	"pagoda/internal/counting"
	"pagoda/internal/counting/join"
	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
)

// A Pass goes back over an enumeration, from the layer where it meets the other one to its start. For every position
// that the enumeration reached it counts the ways from it to the goal:
//
//	ways(P) = far(complement of P)           in the layer where near and far meet
//	ways(P) = sum of ways(Q) over the jumps from P to Q     in those before
//
// Only positions with paths and with ways get a row, which holds both counts: they are the positions that are reachable
// and winnable. A cell of the pass has the addresses and windows of the enumeration's cell of the same positions.
type Pass struct {
	*join.Join        // the pass goes back over near; near and far meet after Jumps jumps of near
	name       string // begins the keys of its cells and the names of its scalars
	first      int    // layer of the run where they meet; the layer after it has the positions one jump less
	back       *counting.Moves
	cells      []map[partition.Vector]bool // by jumps of near
}

func newPass(j *join.Join, name string, first int) *Pass {
	p := &Pass{Join: j, name: name, first: first, back: counting.NewMoves(j.Near.Space, true)}
	for n := range j.Jumps + 1 {
		cells := map[partition.Vector]bool{}
		if n < len(j.Near.Layers) {
			for _, v := range j.Near.Layers[n] {
				if _, ok := p.complementCell(v, j.Jumps+j.FarJumps-n); ok {
					cells[v] = true
				}
			}
		}
		p.cells = append(p.cells, cells)
	}
	return p
}

// complementCell returns the cell of far, after the given number of its jumps, that has the complements of the
// positions of a cell of near; ok is false when far has none, so that none of them is winnable.
func (p *Pass) complementCell(v partition.Vector, farJumps int) (u partition.Vector, ok bool) {
	u, _ = p.Far.Space.Canonical(p.Complement(v, p.Turn))
	n, ok := p.Far.LayerOf(u)
	return u, ok && n == farJumps
}

// layer returns the layer of the run that has the pass over the positions after n jumps of near.
func (p *Pass) layer(n int) int { return p.first + p.Jumps - n }

func (p *Pass) key(v partition.Vector) string { return p.name + "-" + v.Key() }

// Cell is the cell of the run that has the ways of the positions of a cell after n jumps of near.
func (p *Pass) Cell(n int, v partition.Vector) puzzle.Cell {
	return puzzle.Cell{Layer: p.layer(n), Key: p.key(v)}
}

// Has reports whether the pass has a cell after n jumps of near.
func (p *Pass) Has(n int, v partition.Vector) bool { return n >= 0 && n <= p.Jumps && p.cells[n][v] }

// owns reports whether a cell is one of the pass, going by its key.
func (p *Pass) owns(c puzzle.Cell) bool {
	return c.Layer >= p.first && strings.HasPrefix(c.Key, p.name+"-")
}

// Place is the inverse of Cell.
func (p *Pass) Place(c puzzle.Cell) (n int, v partition.Vector, err error) {
	key, ok := strings.CutPrefix(c.Key, p.name+"-")
	v, err = partition.ParseKey(key)
	if n = p.Jumps - (c.Layer - p.first); err != nil || !ok || n < 0 || n > p.Jumps || !p.cells[n][v] {
		return n, v, fmt.Errorf("cell %d/%s: no such cell in this run", c.Layer, c.Key)
	}
	return n, v, nil
}

// passWork is the work of a cell of a pass, as a multiple of that of the enumeration's cell: on the English board a
// twelfth of the addresses that have paths have ways too, and half of the stretches need no look.
const passWork = 0.5

// mostOfBoth bounds the share of the addresses that are reachable and winnable, as a multiple of the product of the two
// shares. Whole runs from one vacant hole to one peg had, in the large layer with most, 0.2 from the centre of the
// English board to itself, 0.4 from r0c2 and 1.23 from r2c2 there, 1.24 from r0c0 to r3c3 on 6x6, 0.7 from r0c2 to r1c2
// on 5x5, 0.8 from r1c0 to r2c0 on the triangle of side 7, 0.2 from r2c3 to r1c3 on the French board.
const mostOfBoth = 1.25

// Rows bounds the rows of the pass over the positions of a cell after n jumps of near: the share of its addresses that
// have one, and the stored bytes of each. A bound of the whole layer, it is no bound of every cell.
func (p *Pass) Rows(n int, v partition.Vector) (share, bytes float64) {
	farJumps := p.Jumps + p.FarJumps - n
	u, ok := p.complementCell(v, farJumps)
	if !ok {
		return 0, 0
	}
	near, paths := p.Near.Rows(n, v)
	far, ways := p.Far.Rows(farJumps, u)
	return min(near, far, mostOfBoth*near*far), paths + ways
}

// Plan plans the pass over the positions after n jumps of near, 0 to jumps.
func (p *Pass) Plan(n int) []puzzle.CellPlan {
	if n < 0 || n > p.Jumps || n >= len(p.Near.Layers) {
		return nil
	}
	var list []puzzle.CellPlan
	for i, c := range p.Near.Plan(n) {
		v := p.Near.Layers[n][i]
		if !p.cells[n][v] {
			continue
		}
		share, bytes := p.Rows(n, v)
		largest := uint64(0)
		for i := range c.Cuts {
			largest = max(largest, c.Window(i).Addresses)
		}
		plan := puzzle.CellPlan{
			Cell:      p.Cell(n, v),
			Addresses: c.Addresses,
			Cuts:      c.Cuts,
			Work:      passWork * c.Work,
			RowBytes:  share * bytes * float64(c.Addresses),
			Parents:   []puzzle.Cell{c.Cell},
		}
		held := 2 * largest // paths and ways
		if n == p.Jumps {
			u, _ := p.complementCell(v, p.FarJumps)
			plan.Parents = counting.AppendCell(plan.Parents, puzzle.Cell{Layer: p.FarJumps, Key: p.Far.Key(u)})
			held += p.Far.Space.Addresses(u)
		}
		for _, e := range p.edges(n, v) {
			if before := len(plan.Parents); len(counting.AppendCell(plan.Parents, e.Cell)) > before {
				plan.Parents = append(plan.Parents, e.Cell)
				held += p.Near.Space.Addresses(e.End)
			}
		}
		plan.MemoryBytes = 16 * held
		list = append(list, plan)
	}
	return list
}

// edges lists the edges from a cell to those cells of the pass that its jumps lead to.
func (p *Pass) edges(n int, v partition.Vector) []counting.Edge {
	if n == p.Jumps {
		return nil
	}
	var list []counting.Edge
	for _, e := range p.Near.Space.OutEdges(v) {
		if p.cells[n+1][e.End] {
			list = append(list, counting.NewEdge(e, p.Cell(n+1, e.End), columnWays))
		}
	}
	return list
}

// compute computes one window of the pass.
func (p *Pass) compute(ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink) (puzzle.Tally, error) {
	n, v, err := p.Place(w.Cell)
	if err != nil {
		return puzzle.Tally{}, fmt.Errorf("window %s: %w", w, err)
	}
	k, err := p.newKernel(ctx, w, n, v, in)
	if err != nil {
		return puzzle.Tally{}, err
	}
	if k.Mask != nil {
		if n == p.Jumps {
			err = k.meet(ctx)
		} else {
			err = k.pullBack(ctx, p.edges(n, v))
		}
		if err == nil {
			err = k.write(out)
		}
		if err != nil {
			return puzzle.Tally{}, err
		}
	}
	return k.report()
}

// check compares the numbers that a window of the pass reports: a solution passes through every position of its rows.
func (p *Pass) check(w puzzle.Window, rows uint64, t *puzzle.Tally) error {
	v, err := partition.ParseKey(strings.TrimPrefix(w.Key, p.name+"-"))
	if err != nil {
		return err
	}
	positions, solutions := t.Sum(p.sum(counting.SumPositions)), t.Sum(p.sum(sumSolutions))
	if solutions.Cmp(positions) < 0 || solutions.IsZero() != positions.IsZero() {
		return fmt.Errorf("%v solutions through %v positions", solutions, positions)
	}
	orbit := uint64(p.Near.Space.OrbitSize(v))
	return counting.CheckSizes(p.Near.Space, orbit, rows, t.Sum(p.sum(counting.SumClasses)), positions)
}
