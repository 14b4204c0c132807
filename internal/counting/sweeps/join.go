package sweeps

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// middleName begins the keys of the cells of the middle.
const middleName = "middle-"

// A middleJump is a jump that joins the two sides.
type middleJump struct {
	mask   peg.Position // its three holes
	need   peg.Position // those that hold a peg before it
	over   uint8        // the class of the middle hole
	turned peg.Position // its holes on the far side
	to     uint8        // where it ends there
}

// middleJumps lists the jumps of a board by the hole where they begin.
func middleJumps(b *peg.Board, turn peg.Perm) [][]middleJump {
	list := make([][]middleJump, b.Size())
	for _, j := range b.Jumps {
		list[j.From] = append(list[j.From], middleJump{j.Mask(), j.Need(), b.Class[j.Over], turn.Apply(j.Mask()), turn[j.To]})
	}
	return list
}

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
		its := need{cells: []puzzle.Cell{p.Cell}}
		its.add(near, s.middle, v)
		its.addChains(near, s.middle, v)
		var beyond []partition.Vector
		for _, e := range near.pass.Near.Space.OutEdges(v) {
			beyond = s.complements(beyond, e.End)
		}
		for _, u := range beyond {
			its.add(far, left, u)
			its.addChains(far, left, u)
		}
		p.Cell, p.Parents, p.RowBytes = puzzle.Cell{Layer: s.last(), Key: middleName + v.Key()}, its.cells, 0
		p.Work = 2 * workPerPosition * usual * near.positions(s.middle, v)
		p.WindowBytes = nil
		p.MemoryBytes += its.bytes
		cells = append(cells, p)
	}
	return cells
}

// complements adds the cells of the far side that the complements of a cell of the near space can lie in: the cell is
// named by one vector, and its positions have all images of it.
func (s *Puzzle) complements(list []partition.Vector, v partition.Vector) []partition.Vector {
	near, far := s.near().pass.Near.Space, s.far().pass.Near.Space
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
		if u, _ = far.Canonical(u); !slices.Contains(list, u) {
			list = append(list, u)
		}
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
	var joined, rest, part poly
	longest, first, last := 0, 0, 0
	at := before.spotOf(spotPlace{s.middle, v}) // of all positions
	var beyond [len(partition.Vector{})]*spot   // of their complements after a jump, by the class of its middle hole
	err = near.eachRow(ctx, in, from, func(_ int, q peg.Position, orbit int) error {
		here, row, ok, err := before.find(ctx, q, at)
		if err != nil || !ok {
			return err
		}
		turned := s.Complement(q)
		for hole, jumps := range s.middleJumps {
			rest.clear()
			for _, j := range jumps {
				if q&j.mask != j.need {
					continue
				}
				x := turned ^ j.turned
				if beyond[j.over] == nil {
					beyond[j.over] = after.spot(x, left)
				}
				to := beyond[j.over]
				there, place, ok, err := after.find(ctx, x, to)
				if err != nil {
					return err
				}
				if !ok {
					continue
				}
				if len(rest) == 0 {
					if err := before.at(ctx, q, at, uint8(hole), here, row); err != nil {
						return err
					}
				}
				if err := after.at(ctx, x, to, j.to, there, place); err != nil {
					return err
				}
				longest = max(longest, before.longest+1+after.longest)
				if before.longest == s.middle {
					first = max(first, s.middle+1+after.longest)
				}
				if after.longest == left {
					last = max(last, left+1+before.longest)
				}
				part = after.fold(part)
				if err := rest.addAll(part); err != nil {
					return err
				}
			}
			if len(rest) == 0 {
				continue
			}
			// All jumps from that hole continue the same sequences.
			joined = before.fold(joined)
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
