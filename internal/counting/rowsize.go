package counting

import (
	"math"

	"pagoda/internal/peg"
)

// What the rows of an enumeration take on disk, fitted to whole runs of six boards (english from its centre and from
// r0c2, french, square5, hexagon19, triangle6 and triangle7): the sum over a run is 0.9 to 1.35 times the real one.
//
// A row takes leastRow bytes and, where counts are large, bytesPerJump for each jump more, less firstJumps.
const leastRow, bytesPerJump, firstJumps = 2, 0.33, 1.6

// The share of the addresses that have a row grows with the share of the holes that are vacant, along a logistic curve:
// to most, half of which it is where a share of half is vacant.
type rowShare struct{ most, half, steepness float64 }

// On a triangular board there are more jumps.
var squareRows, triangularRows = rowShare{1, 0.54, 13.5}, rowShare{1, 0.445, 13.5}

// rowsOf has boards on which whole runs from the centre have found another curve: without them, predictions were 2.4
// and 2.0 times the real rows. A diamond has sixteen holes, of 41, that no peg can jump over.
var rowsOf = map[string]rowShare{"diamond": {0.31, 0.495, 12}, "wiegleb": {0.6, 0.565, 15}}

// rowBytesPerAddress predicts the stored bytes for each address of the cells of layer n.
func (s *Enumeration) rowBytesPerAddress(n int) float64 {
	row := max(leastRow, bytesPerJump*float64(n)-firstJumps)
	if s.everywhere {
		return row // every position has a count
	}
	share, known := rowsOf[s.Space.Board.Name]
	switch {
	case known:
	case s.Space.Board.Lattice == peg.Triangular:
		share = triangularRows
	default:
		share = squareRows
	}
	holes := float64(len(s.Space.Board.Holes))
	vacant := (holes - float64(s.Pegs-n)) / holes
	return row * share.most / (1 + math.Exp(share.steepness*(share.half-vacant)))
}
