package counting

import (
	"pagoda/internal/partition"
	"pagoda/internal/peg"
)

// Rates of the rows of an enumeration, on disk and to compute. They fit whole runs of six boards, english, french,
// square5, hexagon19, triangle6 and triangle7 from one start or all, and part of hexagon37.
const (
	// A row takes leastRow bytes and, where counts are large, bytesPerJump for each jump more, less firstJumps.
	leastRow, bytesPerJump, firstJumps = 2, 0.33, 1.6
	// A row of a chance takes as many bytes in any layer: the English board has 12.4.
	chanceRow = 12.5
	// An address takes baseWork, and one that has a row as much more for each jump of the board and byte of the row: so
	// many jumps lead to it, from as wide counts.
	baseWork, rowWork = 3.2, 0.047
)

// knownRows bounds the rows of the first layers that a prediction finds itself.
const knownRows = 1 << 14

// findFirst counts the rows of the first layers, cell by cell, as far as there are knownRows in all. over says that no
// jump is left after them: later layers have no row.
func (s *Enumeration) findFirst() (layers []map[partition.Vector]uint64, over bool) {
	if s.everywhere || s.feeder != nil {
		return nil, false
	}
	here := make(map[peg.Position]partition.Vector)
	here[s.Start], _, _ = s.Space.Locate(s.Start)
	for total := 1; len(here) > 0; total += len(here) {
		rows, next := map[partition.Vector]uint64{}, map[peg.Position]partition.Vector{}
		for p, v := range here {
			rows[v]++
			for _, j := range s.Space.Board.Jumps {
				if j.Legal(p) && total+len(next) <= knownRows {
					v, x, _ := s.Space.Locate(j.Play(p))
					next[s.Space.Position(x)] = v
				}
			}
		}
		if layers = append(layers, rows); total+len(next) > knownRows {
			return layers, false
		}
		here = next
	}
	return layers, true
}

// density predicts the share of the addresses of a cell of layer n that have a row.
func (s *Enumeration) density(n int, v partition.Vector, addresses uint64) float64 {
	if s.everywhere {
		return 1 // every position has a count
	}
	switch layers, over := s.first(); {
	case n < len(layers):
		return float64(layers[n][v]) / float64(addresses)
	case over:
		return 0
	}
	return partition.Density(s.Space.Board, s.Pegs-n)
}

// Rows predicts the rows of a cell after n jumps: the share of its addresses that have one, and the stored bytes of
// each.
func (s *Enumeration) Rows(n int, v partition.Vector) (share, bytes float64) {
	return s.density(n, v, s.Space.Addresses(v)), s.rowBytes(n)
}

// rowBytes predicts the stored bytes of a row of layer n.
func (s *Enumeration) rowBytes(n int) float64 {
	if s.split {
		return chanceRow
	}
	return max(leastRow, bytesPerJump*float64(n)-firstJumps)
}

// workPerAddress predicts the elementary steps for each address of a cell that has so many stored bytes an address.
func (s *Enumeration) workPerAddress(bytes float64) float64 {
	return baseWork + rowWork*float64(len(s.Space.Board.Jumps))*bytes
}
