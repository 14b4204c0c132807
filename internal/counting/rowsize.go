package counting

import (
	"math"

	"pagoda/internal/peg"
)

// What the rows of an enumeration take on disk, fitted to whole runs of six boards (english from its centre and from
// r0c2, french, square5, hexagon19, triangle6 and triangle7): the sum over a run is 0.9 to 1.35 times the real one.
const (
	// The share of the addresses that have a row grows with the share of the holes that are vacant, along a logistic
	// curve with its middle at halfSquare, or halfTriangular where there are more jumps.
	halfSquare, halfTriangular, steepness = 0.54, 0.445, 13.5
	// A row takes leastRow bytes and, where counts are large, bytesPerJump for each jump more, less firstJumps.
	leastRow, bytesPerJump, firstJumps = 2, 0.33, 1.6
)

// rowBytesPerAddress predicts the stored bytes for each address of the cells of layer n.
func (s *Enumeration) rowBytesPerAddress(n int) float64 {
	row := max(leastRow, bytesPerJump*float64(n)-firstJumps)
	if s.everywhere {
		return row // every position has a count
	}
	half := halfSquare
	if s.Space.Board.Lattice == peg.Triangular {
		half = halfTriangular
	}
	holes := float64(len(s.Space.Board.Holes))
	vacant := (holes - float64(s.Pegs-n)) / holes
	return row / (1 + math.Exp(steepness*(half-vacant)))
}
