package sweeps

import (
	"context"
	"fmt"
	"strings"

	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// middleName begins the keys of the cells of the middle.
const middleName = "middle-"

// sumSweeps is the scalar for the solutions of so many sweeps.
func sumSweeps(n int) string { return fmt.Sprintf("sweeps_%d", n) }

// planMiddle plans the middle: a cell for each cell of the near side after so many jumps.
func (s *Puzzle) planMiddle() []puzzle.CellPlan {
	near, far := s.near(), s.far()
	left := s.jumps - s.middle - 1
	var cells []puzzle.CellPlan
	for _, p := range near.pass.Plan(s.middle) {
		_, v, err := near.pass.Place(p.Cell)
		if err != nil {
			continue // the pass planned it
		}
		list := near.chainParents(near.parents([]puzzle.Cell{p.Cell}, s.middle, v), s.middle, v)
		for _, e := range near.pass.Near.Space.OutEdges(v) {
			for _, u := range s.complements(e.End) {
				list = far.chainParents(far.parents(list, left, u), left, u)
			}
		}
		p.Cell, p.Parents, p.RowBytes = puzzle.Cell{Layer: s.last(), Key: middleName + v.Key()}, list, 0
		p.Work = 2 * workPerPosition * usual * near.positions(s.middle, v)
		p.WindowBytes = nil
		p.MemoryBytes += near.memoryOf(list) + far.memoryOf(list)
		cells = append(cells, p)
	}
	return cells
}

// complements lists the cells of the far side that the complements of a cell of the near space can lie in: the cell is
// named by one vector, and its positions have all images of it.
func (s *Puzzle) complements(v partition.Vector) []partition.Vector {
	near, far := s.near().pass.Near.Space, s.far().pass.Near.Space
	var list []partition.Vector
	for g := range near.Group {
		w := near.Image(g, v)
		var u partition.Vector
		for c, size := range near.ClassSize {
			for hole, class := range near.Board.Class {
				if int(class) == c {
					u[near.Board.Class[s.Turn()[hole]]] = size - w[c]
					break
				}
			}
		}
		u, _ = far.Canonical(u)
		list = append(list, u)
	}
	return list
}

// join computes one window of the middle: every jump from a position of the near side to one whose complement is on the
// far side.
func (s *Puzzle) join(ctx context.Context, w puzzle.Window, in puzzle.Source) (t puzzle.Tally, err error) {
	near, far := s.near(), s.far()
	v, err := partition.ParseKey(strings.TrimPrefix(w.Key, middleName))
	if err != nil || w.Layer != s.last() || !near.pass.Has(s.middle, v) {
		return t, fmt.Errorf("window %s: no such cell in this run", w)
	}
	from, err := near.passWindow(in, w, near.pass.Cell(s.middle, v), 1)
	if err != nil {
		return t, err
	}
	before, after := near.reader(in).chains(), far.reader(in).chains()
	left := s.jumps - s.middle - 1
	var all products
	var joined, rest poly
	longest, first, last := 0, 0, 0
	err = near.eachRow(ctx, in, from, func(_ int, q peg.Position, orbit int) error {
		at := before.spot(q, s.middle)
		here, row, ok, err := before.find(ctx, q, at)
		if err != nil || !ok {
			return err
		}
		for _, j := range s.Problem().Board.Jumps {
			if !j.Legal(q) {
				continue
			}
			x := s.Complement(j.Play(q))
			to := after.spot(x, left)
			there, place, ok, err := after.find(ctx, x, to)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			if err := before.at(ctx, q, at, uint8(j.From), here, row); err != nil {
				return err
			}
			if err := after.at(ctx, x, to, s.Turn()[j.To], there, place); err != nil {
				return err
			}
			longest = max(longest, before.longest+1+after.longest)
			if before.longest == s.middle {
				first = max(first, s.middle+1+after.longest)
			}
			if after.longest == left {
				last = max(last, left+1+before.longest)
			}
			joined, rest = before.fold(joined), after.fold(rest)
			if err := all.add(joined, rest, uint64(orbit)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return t, fmt.Errorf("window %s: %w", w, err)
	}
	sums, err := all.sums()
	for n, x := range sums {
		if !x.IsZero() && err == nil {
			err = t.AddSum(sumSweeps(n+1), x) // the piece with the jump of the middle is one more
		}
	}
	for _, m := range []struct {
		name  string
		jumps int
	}{{maxSweep, longest}, {maxFirst, first}, {maxLast, last}} {
		if err == nil {
			err = t.AddMax(m.name, uint128.From(uint64(m.jumps)))
		}
	}
	return t, err
}
