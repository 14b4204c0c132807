package counting

import (
	"math"

	"pagoda/internal/partition"
	"pagoda/internal/peg"
)

// A CellSet is cells of one enumeration, layer by layer.
type CellSet []map[partition.Vector]bool

// Add adds the cell of a vector to a layer.
func (c CellSet) Add(layer int, v partition.Vector) { c[layer][v] = true }

// Restrict restricts the enumeration to the cells of a set; nil stands for the whole lattice.
func (s *Enumeration) Restrict(set CellSet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.plans)
	s.byLayer = map[int]*cellLayer{}
	s.Layers, s.cells = nil, map[partition.Vector]int{}
	for n, layer := range s.Lattice {
		var kept []partition.Vector
		for _, v := range layer {
			if set == nil || set[n][v] {
				kept = append(kept, v)
				s.cells[v] = n
			}
		}
		s.Layers = append(s.Layers, kept)
	}
}

// LayerOf returns after how many jumps the enumeration computes the cell of a canonical vector.
func (s *Enumeration) LayerOf(v partition.Vector) (n int, ok bool) {
	n, ok = s.cells[v]
	return n, ok
}

// AddressTotals returns, for each n up to most, the addresses of the layers 0 to n.
func (s *Enumeration) AddressTotals(most int) []uint64 {
	return s.totals(most, func(_ int, v partition.Vector) uint64 { return s.Space.Addresses(v) })
}

// workTotals predicts, for each n up to most, the elementary steps of the layers 0 to n, in whole numbers: so every
// process finds the same meeting.
func (s *Enumeration) workTotals(most int) []uint64 {
	return s.totals(most, func(n int, v partition.Vector) uint64 {
		share, bytes := s.Rows(n, v)
		return uint64(math.Round(s.workPerAddress(share*bytes) * float64(s.Space.Addresses(v))))
	})
}

// totals adds up, for each n up to most, the price of every cell of the layers 0 to n.
func (s *Enumeration) totals(most int, price func(n int, v partition.Vector) uint64) []uint64 {
	totals := make([]uint64, most+1)
	var sum uint64
	for n := range totals {
		if n < len(s.Layers) {
			for _, v := range s.Layers[n] {
				sum += price(n, v)
			}
		}
		totals[n] = sum
	}
	return totals
}

// Meeting returns after how many jumps of near, at least least, two enumerations of one problem meet. Near goes up to
// there and far over the rest of the jumps, which is the least work together. Their addresses are much the same
// wherever they meet, but counts of many jumps are wide. Earlier programs took the fewest addresses all the same.
func Meeting(near, far *Enumeration, jumps, least int, earlier bool) int {
	if earlier {
		return cheapest(near.AddressTotals(jumps), far.AddressTotals(jumps), least)
	}
	return cheapest(near.workTotals(jumps), far.workTotals(jumps), least)
}

// cheapest returns the first n, at least least, at which near's price up to n and far's for the rest are the least.
func cheapest(near, far []uint64, least int) int {
	best, rest := least, len(far)-1
	for n := least; n <= rest; n++ {
		if near[n]+far[rest-n] < near[best]+far[rest-best] {
			best = n
		}
	}
	return best
}

// LeastWindows returns how many windows the layers before n have at least.
func (s *Enumeration) LeastWindows(n int) (windows uint64) {
	for layer := range s.Layers[:min(n, len(s.Layers))] {
		for _, c := range s.cellsOf(layer).list {
			windows++
			if s.windowAddresses > 0 {
				windows += (c.addresses() - 1) / s.windowAddresses
			}
		}
	}
	return windows
}

// Locate returns the cell of a position after n jumps of an enumeration and its address in it; ok is false when it has
// none, so that the enumeration does not reach it.
func (s *Enumeration) Locate(p peg.Position, n int) (v partition.Vector, address uint64, ok bool) {
	v, x, _ := s.Space.Locate(p)
	if layer, known := s.cells[v]; !known || layer != n {
		return v, 0, false
	}
	address, ok = s.Space.Layout(v).Address(x)
	return v, address, ok
}
