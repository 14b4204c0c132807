package tiles

import (
	"errors"
	"fmt"
)

// Bounds of the shapes that the package handles. The upper bound on the sides lets a set of cells fit in one word.
const (
	MinSide    = 2
	MaxSide    = 8
	MinColours = 5
	MaxColours = 6
	maxCells   = MaxSide * MaxSide
)

// ErrShape is wrapped by every error about a size or a number of colours that the package does not handle.
var ErrShape = errors.New("no such tile-grid game")

// A Shape is a size of grid and the number of colours that are to be had.
type Shape struct {
	Rows, Cols int // 2..8
	Colours    int // 5 or 6; with four nothing could ever be played
}

// Check returns an error that wraps ErrShape if s is out of bounds.
func (s Shape) Check() error {
	for _, side := range []struct {
		name string
		n    int
	}{{"rows", s.Rows}, {"columns", s.Cols}} {
		if side.n < MinSide || side.n > MaxSide {
			return fmt.Errorf("%w: %d %s, want %d to %d", ErrShape, side.n, side.name, MinSide, MaxSide)
		}
	}
	if s.Colours < MinColours || s.Colours > MaxColours {
		return fmt.Errorf("%w: %d colours, want %d to %d", ErrShape, s.Colours, MinColours, MaxColours)
	}
	return nil
}

// Cells returns the number of cells. Cell i is in row i/Cols and column i%Cols.
func (s Shape) Cells() int { return s.Rows * s.Cols }

func (s Shape) String() string {
	return fmt.Sprintf("%dx%d with %d colours", s.Rows, s.Cols, s.Colours)
}

// cells holds one colour per cell, in row order; the rest past Cells() is zero. A fixed array keeps the hot paths free
// of bounds checks and allocation.
type cells [maxCells]uint8

// at returns the index of the cell in row r and column c, -1 when it is off the grid.
func (s Shape) at(r, c int) int {
	if r < 0 || r >= s.Rows || c < 0 || c >= s.Cols {
		return -1
	}
	return r*s.Cols + c
}

// neighbours lists the up to eight neighbours of every cell, in ascending order.
func (s Shape) neighbours() [][]int {
	out := make([][]int, s.Cells())
	for i := range out {
		r, c := i/s.Cols, i%s.Cols
		for dr := -1; dr <= 1; dr++ {
			for dc := -1; dc <= 1; dc++ {
				if j := s.at(r+dr, c+dc); j >= 0 && j != i {
					out[i] = append(out[i], j)
				}
			}
		}
	}
	return out
}

// arrangements returns k!/(k-j)!, the ways to give j different things k colours.
func arrangements(k, j int) uint64 {
	n := uint64(1)
	for i := range j {
		n *= uint64(k - i)
	}
	return n
}
