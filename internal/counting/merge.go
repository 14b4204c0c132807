package counting

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
)

// A window has a fixed price: a task, a report, a record in the ledger, a digest. Where cells of one vector are small,
// that is more than computing them. So neighbours in a layer can be one cell, with one window: see Merge.

// A cell is the class-count vectors of a cell of the plan. Their addresses come one after the other.
type cell struct {
	id      puzzle.Cell
	vectors []partition.Vector
	// bases and ends are where the addresses of the vectors begin, multiples of 64, and end. Addresses between the end of
	// a vector and the base of the next have no rows.
	bases, ends []uint64
}

// several reports whether the cell has several vectors. Then it has one window.
func (c *cell) several() bool { return len(c.vectors) > 1 }

// addresses returns the size of the cell.
func (c *cell) addresses() uint64 { return c.ends[len(c.ends)-1] }

// at returns the vector, by index, that an address of the cell belongs to.
func (c *cell) at(address uint64) int {
	return sort.Search(len(c.vectors)-1, func(i int) bool { return c.bases[i+1] > address })
}

// A spot is the place of a vector in its cell.
type spot struct {
	*cell
	index int
}

// A cellLayer is the cells of a layer.
type cellLayer struct {
	list  []*cell
	spots map[partition.Vector]spot
}

// Merge makes cells of several vectors of a layer, neighbours that have at most so many addresses together, or as many
// as a window. It comes before anything is planned. Spaces with a lead have large cells and stay as they are: the reads
// of a window are known there by the leads of single vectors.
func (s *Enumeration) Merge(addresses uint64) {
	if s.Space.Lead.Bits > 0 || s.feeder != nil {
		return
	}
	s.merge = addresses
	if s.windowAddresses > 0 {
		s.merge = min(s.merge, s.windowAddresses)
	}
}

// MergedAddresses bounds the addresses of a cell of several vectors. It is 0 where every vector is a cell.
func (s *Enumeration) MergedAddresses() uint64 { return s.merge }

// cellsOf returns the cells of layer n. A layer that the lattice does not have has none.
func (s *Enumeration) cellsOf(n int) *cellLayer {
	s.mergeMu.Lock()
	defer s.mergeMu.Unlock()
	if l, ok := s.byLayer[n]; ok {
		return l
	}
	l := &cellLayer{spots: map[partition.Vector]spot{}}
	s.byLayer[n] = l
	if n < 0 || n >= len(s.Layers) {
		return l
	}
	var c *cell
	for _, v := range s.Layers[n] {
		addresses := s.Space.Addresses(v)
		if c != nil {
			if base := (c.addresses() + 63) &^ 63; base+addresses <= s.merge {
				l.spots[v] = spot{c, len(c.vectors)}
				c.vectors = append(c.vectors, v)
				c.bases, c.ends = append(c.bases, base), append(c.ends, base+addresses)
				continue
			}
		}
		c = &cell{
			id:      puzzle.Cell{Layer: n, Key: s.Key(v)},
			vectors: []partition.Vector{v}, bases: []uint64{0}, ends: []uint64{addresses},
		}
		l.list, l.spots[v] = append(l.list, c), spot{c, 0}
	}
	return l
}

// cellOf names the cell of a vector of layer n. A vector that the lattice does not have there has a cell of its own.
func (s *Enumeration) cellOf(n int, v partition.Vector) puzzle.Cell {
	if at, ok := s.cellsOf(n).spots[v]; ok {
		return at.id
	}
	return puzzle.Cell{Layer: n, Key: s.Key(v)}
}

// named returns the cell of that name.
func (s *Enumeration) named(id puzzle.Cell) (*cell, error) {
	if rest, ok := strings.CutPrefix(id.Key, s.Name); ok {
		if v, err := partition.ParseKey(rest); err == nil {
			if at, ok := s.cellsOf(id.Layer).spots[v]; ok && at.index == 0 {
				return at.cell, nil
			}
		}
	}
	return nil, fmt.Errorf("cell %d/%s: no such cell in this run", id.Layer, id.Key)
}

// Vector returns the class counts of a cell of one vector.
func (s *Enumeration) Vector(id puzzle.Cell) (partition.Vector, error) {
	c, err := s.named(id)
	if err == nil && c.several() {
		err = fmt.Errorf("cell %d/%s has %d vectors", id.Layer, id.Key, len(c.vectors))
	}
	if err != nil {
		return partition.Vector{}, err
	}
	return c.vectors[0], nil
}

// planMerged plans a cell of layer n. Beside its own counts, a window holds those of its parents of several vectors,
// and of the others those of one vector at a time; at least it holds the parents of one vector.
func (s *Enumeration) planMerged(n int, c *cell) puzzle.CellPlan {
	p := s.planCell(n, c.vectors[0])
	if !c.several() {
		return p
	}
	var joints, most, least uint64 // of parents
	var seen []*cell
	p.Parents, p.Work, p.RowBytes = nil, 0, 0
	for _, v := range c.vectors {
		q, own := s.planCell(n, v), countBytes*s.Space.Addresses(v)
		p.Work, p.RowBytes = p.Work+q.Work, p.RowBytes+q.RowBytes
		least = max(least, q.LeastBytes-own)
		single := q.MemoryBytes - own
		var of []*cell // this vector
		for _, e := range s.Edges(v, n) {
			at := s.cellsOf(n - 1).spots[e.End]
			p.Parents = AppendCell(p.Parents, at.id)
			if !at.several() || slices.Contains(of, at.cell) {
				continue
			}
			of = append(of, at.cell)
			single -= countBytes * at.addresses()
			if !slices.Contains(seen, at.cell) {
				seen = append(seen, at.cell)
				joints += countBytes * at.addresses()
			}
		}
		most = max(most, single)
	}
	all := countBytes * c.addresses()
	p.Addresses, p.WindowBytes, p.MemoryBytes, p.LeastBytes = c.addresses(), nil, all+joints+most, all+least
	return p
}
