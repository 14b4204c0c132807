package sweeps

import (
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/counting/ways"
	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// A side is the positions of a pass that lie at most depth jumps from its start.
type side struct {
	pass  *ways.Pass
	name  string // begins the keys of its cells
	first int    // layer of the run that has the positions after one jump
	depth int
	whole string       // scalar: the longest sweep that is all of a sequence
	ends  [][]backJump // by the hole where the last jump of a chain ends: the jumps
	overs [][]uint8    // by class of a peg: the classes that it jumps over
	// back says that sequences are played from the goal, on complements. A jump is the same jump there, only the order is
	// the other one: the last jump matters by the hole where it began, not by the one where it ended. The next one goes on
	// with its sweep when it ends there.
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

// stride is the number of addresses that a position after n jumps has: one for each number of sweeps.
func (s *side) stride(n int) uint64 { return uint64(n) }

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
		its := need{cells: []puzzle.Cell{p.Cell}}
		its.addChains(s, n, v)
		p.Cell, p.Parents = s.cell(n, v), its.cells
		p.MemoryBytes += its.bytes
		p.WindowBytes = nil
		positions := s.positions(n, v)
		p.Work = usual * positions * workPerPosition
		p.RowBytes = positions * s.counts(n) * bytesPerJump * float64(n)
		cuts := make([]uint64, len(p.Cuts))
		for i, at := range p.Cuts {
			cuts[i] = at * s.stride(n)
		}
		p.Cuts, p.Addresses = cuts, p.Addresses*s.stride(n)
		cells = append(cells, p)
	}
	return cells
}

// Rates that plans are made with.
const (
	usual           = 0.25 // Positions from centre to centre of the English board, as a share of the most of a pass.
	workPerPosition = 3000 // In units of package counting.
	bytesPerJump    = 0.18 // Of a count on disk, for each jump that has led to it.
	widthPerJump    = 0.2  // Of a count in memory, where those of a position are as wide as its largest.
)

// counts is how many counts a position has after n jumps: the most of whole runs on the English board and, from the
// start, on 6x6. After 15 jumps these had 2.5 to 3.4 from the start, and 6.0 to 7.5 from the goal.
func (s *side) counts(n int) float64 {
	if s.back {
		return max(1, 0.57*float64(n)-0.9)
	}
	return max(1, 0.35*float64(n)-1.7)
}

// positions bounds the positions of a cell after n jumps.
func (s *side) positions(n int, v partition.Vector) float64 {
	share, _ := s.pass.Rows(n, v)
	return share * float64(s.pass.Near.Space.Addresses(v))
}

// A need is the cells that a window reads, and the memory of their totals. The order of the cells is part of the plan's
// digest.
type need struct {
	cells []puzzle.Cell
	bytes uint64
}

// add adds the cells that have the totals of a cell after n jumps.
func (r *need) add(s *side, n int, v partition.Vector) {
	if n < 1 || !s.pass.Has(n, v) {
		return
	}
	own, pass := s.cell(n, v), s.pass.Cell(n, v)
	if slices.Contains(r.cells, own) {
		return
	}
	if !slices.Contains(r.cells, pass) { // which both sides may read
		r.cells = append(r.cells, pass)
	}
	r.cells = append(r.cells, own)
	width := max(1, widthPerJump*float64(n))
	r.bytes += uint64(s.positions(n, v) * (placeBytes + width*s.counts(n)))
}

// addChains adds the cells that have the totals of the positions from which consecutive jumps of one peg lead to those
// of a cell after n jumps: a jump keeps its peg in its class and removes one of another.
func (r *need) addChains(s *side, n int, v partition.Vector) {
	space := s.pass.Near.Space
	for _, overs := range s.overs {
		at := []partition.Vector{v}
		for k := n - 1; k >= 1 && len(at) > 0; k-- {
			var before []partition.Vector
			for _, u := range at {
				for _, over := range overs {
					w := u
					if w[over]++; w[over] > space.ClassSize[over] || slices.Contains(before, w) {
						continue
					}
					if rep, _ := space.Canonical(w); s.pass.Has(k, rep) {
						before = append(before, w)
						r.add(s, k, rep)
					}
				}
			}
			at = before
		}
	}
}

// oversByClass lists the classes of the holes that pegs of each class jump over.
func oversByClass(b *peg.Board) [][]uint8 {
	var list [len(partition.Vector{})][]uint8
	for _, j := range b.Jumps {
		from, over := b.Class[j.From], b.Class[j.Over]
		if !slices.Contains(list[from], over) {
			list[from] = append(list[from], over)
		}
	}
	return list[:]
}
