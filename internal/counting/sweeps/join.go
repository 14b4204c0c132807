package sweeps

import (
	"context"
	"fmt"
	"strings"

	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// middleName is what the keys of the cells of the middle begin with.
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
		list := near.parents([]puzzle.Cell{p.Cell}, s.middle, v)
		for _, e := range near.pass.Near.Space.OutEdges(v) {
			for _, u := range s.complements(e.End) {
				list = far.parents(list, left, u)
			}
		}
		p.Cell, p.Parents, p.RowBytes = puzzle.Cell{Layer: s.last(), Key: middleName + v.Key()}, list, 0
		p.Work = 2 * workPerRow * rowsPerAddress * float64(p.Addresses)
		p.MemoryBytes += near.memory(s.middle, v)
		for _, c := range list {
			if _, u, err := far.place(c); err == nil {
				p.MemoryBytes += far.memory(left, u)
			}
		}
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
	before, after := near.reader(in), far.reader(in)
	var all, jumped, left poly
	longest, first, last := 0, 0, 0
	err = near.eachRow(ctx, in, from, func(_ int, q peg.Position, orbit int) error {
		here, element, err := before.of(ctx, q, s.middle)
		if err != nil || here == nil {
			return err
		}
		for _, j := range near.pass.Near.Space.Board.Jumps {
			if !j.Legal(q) {
				continue
			}
			there, turn, err := after.of(ctx, s.Complement(j.Play(q)), s.jumps-s.middle-1)
			if err != nil {
				return err
			}
			if there == nil {
				continue
			}
			a := here.at(int(element[j.From]))
			b := there.at(int(turn[s.Turn()[j.To]]))
			longest = max(longest, a.longest+1+b.longest)
			if one := a.counts.at(1); s.middle == 0 || !one.IsZero() {
				first = max(first, s.middle+1+b.longest)
			}
			if one, n := b.counts.at(1), s.jumps-s.middle-1; n == 0 || !one.IsZero() {
				last = max(last, n+1+a.longest)
			}
			jumped.clear()
			if err := jumped.addJump(here.total, a.counts); err != nil {
				return err
			}
			if left, err = joining(left, there.total, b.counts); err != nil {
				return err
			}
			if err := all.addProduct(jumped, left, uint64(orbit)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return t, fmt.Errorf("window %s: %w", w, err)
	}
	for n := range all {
		if x := all[n]; !x.IsZero() && err == nil {
			err = t.AddSum(sumSweeps(n), x)
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
