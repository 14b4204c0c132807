package counting

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// An Enumeration visits, layer by layer, the positions that can be reached from one start, with the number of ways
// to each. A puzzle has one enumeration (all games) or several that it joins (solutions).
type Enumeration struct {
	Name            string // begins the keys of its cells; empty in a run with one enumeration
	Start           peg.Position
	windowAddresses uint64
	// Unit is the count of the start: 1. Counts are linear in it, so tests that make it large get counts of any size,
	// and the overflow of 128 bits, from small boards.
	Unit uint128.Uint128
	// everywhere says that every position begins with Unit, not the start alone: see NewEverywhere.
	everywhere bool
	// split says that counts are chances: see Split.
	split bool
	// feeder, where there is one, gives positions counts that do not come by a jump; then there is no start: see NewFed.
	feeder Feeder
	Pegs   int // of the positions of the first layer

	Space           *partition.Space
	*Moves          // along which counts are pulled from the layer before
	representatives representativeTable
	orbits          func() *peg.Orbits // of exported positions, made when they are first needed

	Lattice [][]partition.Vector     // the cells that jumps can lead to
	Layers  [][]partition.Vector     // those of them that are computed: see Restrict
	cells   map[partition.Vector]int // their layers

	watched map[partition.Vector][]watched // by cell
	several bool                           // positions are watched: see WatchAll

	first func() ([]map[partition.Vector]uint64, bool) // findFirst, once

	mu    sync.Mutex
	plans map[int][]puzzle.CellPlan
	reads map[partition.Vector]*reads // of some cells, see readsOf

	merge   uint64 // addresses of a cell of several vectors, at most: see Merge
	mergeMu sync.Mutex
	byLayer map[int]*cellLayer
}

// New prepares an enumeration under the symmetries that fix the start.
func New(b *peg.Board, start peg.Position, windowAddresses uint64, name string) (*Enumeration, error) {
	return NewUnder(b, peg.Stabiliser(b.Symmetries(), start), start, windowAddresses, name)
}

// NewCut is New with addresses in an order in which a window reads a small part of its parents, where windows are many:
// see partition.NewCutSpace.
func NewCut(b *peg.Board, start peg.Position, windowAddresses uint64, name string) (*Enumeration, error) {
	space, err := partition.NewCutSpace(b, peg.Stabiliser(b.Symmetries(), start), start, windowAddresses)
	if err != nil {
		return nil, err
	}
	return NewIn(space, windowAddresses, name)
}

// NewIn prepares an enumeration of the cells of a space.
func NewIn(space *partition.Space, windowAddresses uint64, name string) (*Enumeration, error) {
	return newEnumeration(space, space.Lattice(), windowAddresses, name)
}

// NewUnder prepares an enumeration under a group of symmetries that fix the start.
func NewUnder(
	b *peg.Board, group []peg.Perm, start peg.Position, windowAddresses uint64, name string,
) (*Enumeration, error) {
	space, err := partition.NewSpace(b, group, start)
	if err != nil {
		return nil, err
	}
	return NewIn(space, windowAddresses, name)
}

// NewEverywhere prepares an enumeration of all positions of a board, by pegs missing. Every position begins with one:
// its count is that of the jump sequences from anywhere to it, the one without a jump among them.
func NewEverywhere(b *peg.Board, windowAddresses uint64, name string) (*Enumeration, error) {
	space, err := partition.NewWholeSpace(b, b.Symmetries())
	if err != nil {
		return nil, err
	}
	e, err := newEnumeration(space, space.Vectors(), windowAddresses, name)
	if err == nil {
		e.everywhere = true
	}
	return e, err
}

// newEnumeration prepares an enumeration of the cells of a lattice, layer by layer.
func newEnumeration(
	space *partition.Space, lattice [][]partition.Vector, windowAddresses uint64, name string,
) (*Enumeration, error) {
	b := space.Board
	if least := uint64(space.MaxLow()); windowAddresses > 0 && windowAddresses < least {
		return nil, fmt.Errorf("%w: %d, the least on %s is %d", ErrWindowAddresses, windowAddresses, b.Name, least)
	}
	s := &Enumeration{
		Name: name, Start: space.Start, Pegs: space.Start.Pegs(), windowAddresses: windowAddresses, Unit: uint128.From(1),
	}
	s.Space, s.Moves = space, NewMoves(space, false)
	s.first = sync.OnceValues(s.findFirst)
	s.orbits = sync.OnceValue(func() *peg.Orbits { return peg.NewOrbits(space.Group) })
	s.plans = map[int][]puzzle.CellPlan{}
	s.Lattice = lattice
	s.Restrict(nil)
	return s, nil
}

// Watch makes the enumeration tally the paths to a position, where the lattice has it.
func (s *Enumeration) Watch(goal peg.Position) {
	s.watched = map[partition.Vector][]watched{}
	s.watch(goal)
}

// watched is an address whose paths are tallied, as often as it stands for a position that is asked for, and how often
// for one without a jump.
type watched struct {
	at          uint64
	times, dead uint64
}

// WatchAll makes the enumeration tally the paths to several positions together, and those that end there.
func (s *Enumeration) WatchAll(goals iter.Seq[peg.Position]) {
	s.watched, s.several = map[partition.Vector][]watched{}, true
	for goal := range goals {
		s.watch(goal)
	}
}

func (s *Enumeration) watch(goal peg.Position) {
	v, canonical, _ := s.Space.Locate(goal)
	if n, ok := s.cells[v]; !ok || n != s.Pegs-goal.Pegs() {
		return
	}
	at, ok := s.Space.Layout(v).Address(canonical)
	if !ok {
		return
	}
	list := s.watched[v]
	i, known := slices.BinarySearchFunc(list, at, func(w watched, at uint64) int { return cmp.Compare(w.at, at) })
	if !known {
		list = slices.Insert(list, i, watched{at: at})
	}
	list[i].times++
	if s.Space.Board.Dead(goal) {
		list[i].dead++
	}
	s.watched[v] = list
}

// Key names the cell of a canonical vector that has a cell of its own; Vector is the inverse.
func (s *Enumeration) Key(v partition.Vector) string { return s.Name + v.Key() }

// Plan plans the positions after n jumps; n is below len(s.Layers).
func (s *Enumeration) Plan(n int) []puzzle.CellPlan {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.plans[n]; ok {
		return p
	}
	var plans []puzzle.CellPlan
	for _, c := range s.cellsOf(n).list {
		plans = append(plans, s.planMerged(n, c))
	}
	s.plans[n] = plans
	return plans
}

// planCell plans the cell of a vector of layer n, as if it had no other.
func (s *Enumeration) planCell(n int, v partition.Vector) puzzle.CellPlan {
	addresses := s.Space.Addresses(v)
	share, rowBytes := s.Rows(n, v)
	bytes := share * rowBytes // of an address
	p := puzzle.CellPlan{
		Cell:      puzzle.Cell{Layer: n, Key: s.Key(v)},
		Addresses: addresses,
		Cuts:      s.Space.Cuts(v, s.windowAddresses),
		Work:      s.workPerAddress(bytes) * float64(addresses),
		RowBytes:  bytes * float64(addresses),
		Flows:     n > 0 && s.feeder == nil, // a feeder's counts are counted on this side only
	}
	edges := s.Edges(v, n)
	for _, e := range edges {
		p.Parents = AppendCell(p.Parents, s.cellOf(n-1, e.End))
	}
	held, each := s.held(n, &p, v, edges)
	if s.feeder != nil {
		for _, c := range s.feeder.Cells(n, v) {
			p.Parents = AppendCell(p.Parents, c)
		}
		held += s.feeder.Addresses(n, v)
	}
	p.MemoryBytes = countBytes * held
	for _, n := range each {
		p.WindowBytes = append(p.WindowBytes, countBytes*n)
	}
	p.LeastBytes = min(s.leastBytes(n, &p, edges), p.MemoryBytes)
	return p
}

// Moves are the tables by which the jumps of a board take counts from one cell to another. All windows share them.
type Moves struct {
	table *jumpTable
	pairs *pairTable
	steps stepTables
}

// NewMoves makes the tables for taking counts along jumps, or against them: reversed.
func NewMoves(s *partition.Space, reversed bool) *Moves {
	m := &Moves{table: newJumpTable(s, reversed)}
	m.pairs = newPairTable(s, m.table.shapes)
	m.steps.space, m.steps.table = s, m.table
	return m
}

// Edges lists the edges into a cell of layer n whose parents are in the lattice.
func (s *Enumeration) Edges(v partition.Vector, n int) []partition.Edge {
	var list []partition.Edge
	for _, e := range s.Space.Edges(v) {
		if layer, ok := s.cells[e.End]; ok && layer == n-1 {
			list = append(list, e)
		}
	}
	return list
}

// AppendCell adds c unless it is there: two edges of a cell can lead to the same parent orbit.
func AppendCell(list []puzzle.Cell, c puzzle.Cell) []puzzle.Cell {
	for _, have := range list {
		if have == c {
			return list
		}
	}
	return append(list, c)
}

// ComputeWindow computes one window of the enumeration.
func (s *Enumeration) ComputeWindow(
	ctx context.Context,
	w puzzle.Window,
	in puzzle.Source,
	out puzzle.Sink,
) (puzzle.Tally, error) {
	c, err := s.named(w.Cell)
	if err != nil {
		return puzzle.Tally{}, fmt.Errorf("window %s: %w", w, err)
	}
	kept := &keeper{Source: in, kept: map[puzzle.WindowID]any{}}
	if c.several() {
		return s.computeCell(ctx, c, w, kept, out)
	}
	if s.merge > 0 {
		in = kept
	}
	v := c.vectors[0]
	barren, err := s.barren(ctx, v, w, in)
	if err != nil {
		return puzzle.Tally{}, err
	}
	if barren != nil {
		return barren.tally.finish()
	}
	k, err := s.newKernel(ctx, v, w, in, nil)
	if err != nil {
		return puzzle.Tally{}, err
	}
	return k.compute(ctx, out)
}

// barren returns a kernel without counts for a window that has no row because no parent of its vector has one, and nil
// for any other. Layouts, which take most of the time of such a window, are not made. On a large board most vectors are
// so when few positions can be reached.
func (s *Enumeration) barren(
	ctx context.Context, v partition.Vector, w puzzle.Window, in puzzle.Source,
) (*Kernel, error) {
	if w.Layer == 0 || s.everywhere || s.feeder != nil || w.First+w.Addresses > s.Space.Addresses(v) {
		return nil, nil
	}
	for _, e := range s.Edges(v, w.Layer) {
		x := s.edge(w.Layer-1, e)
		largest, err := x.largest(ctx, s, in, MaxPaths)
		if err != nil || !largest.IsZero() {
			return nil, err
		}
	}
	k := &Kernel{g: s, Window: w, Vector: v, in: in, moves: s.Moves}
	k.tally.init(k)
	return k, nil
}
