package counting

import "pagoda/internal/partition"

// What the rows of an enumeration take, on disk and to compute, fitted to whole runs of six boards: english, french,
// square5, hexagon19, triangle6 and triangle7 from one start or all, and what was seen of hexagon37.
const (
	// A row takes leastRow bytes and, where counts are large, bytesPerJump for each jump more, less firstJumps.
	leastRow, bytesPerJump, firstJumps = 2, 0.33, 1.6
	// An address takes baseWork, and one that has a row as much more for each jump of the board and byte of the row: so
	// many jumps lead to it, from as wide counts.
	baseWork, rowWork = 3.2, 0.047
)

// density predicts the share of the addresses of layer n that have a row.
func (s *Enumeration) density(n int) float64 {
	if s.everywhere {
		return 1 // every position has a count
	}
	return partition.Density(s.Space.Board, s.Pegs-n)
}

// rowBytes predicts the stored bytes of a row of layer n.
func rowBytes(n int) float64 { return max(leastRow, bytesPerJump*float64(n)-firstJumps) }

// bytesPerAddress predicts the stored bytes for each address of the cells of layer n.
func (s *Enumeration) bytesPerAddress(n int) float64 { return s.density(n) * rowBytes(n) }

// workPerAddress predicts the elementary steps for each address of the cells of layer n.
func (s *Enumeration) workPerAddress(n int) float64 {
	return baseWork + rowWork*float64(len(s.Space.Board.Jumps))*s.bytesPerAddress(n)
}
