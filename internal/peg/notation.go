package peg

import (
	"fmt"
	"strings"
)

// Label is the short name of hole i in lists of jumps. On the square lattice it is two digits as in the literature:
// column and row, both from 1, from the left and the top. So 44 is the middle of the English board. On the triangular
// lattice (rows and columns are axial) and on boards wider or higher than nine it is a letter for the column and a
// number for the row. So a1 is the top of a triangle, and c4 the third hole of its fourth row. Boards of more than 26
// columns have [Board.HoleName].
func (b *Layout) Label(i int) string {
	var rows, cols int
	for _, h := range b.Holes {
		rows, cols = max(rows, h.Row+1), max(cols, h.Col+1)
	}
	h := b.Holes[i]
	switch {
	case b.Lattice == Square && rows <= 9 && cols <= 9:
		return fmt.Sprintf("%d%d", h.Col+1, h.Row+1)
	case cols <= 26:
		return b.letters(i)
	}
	return b.HoleName(i)
}

// letters is the name of hole i by a letter for the column and a number for the row, which has one reading on any
// board. Beyond column z it is [Board.HoleName].
func (b *Layout) letters(i int) string {
	h := b.Holes[i]
	if h.Col >= 26 {
		return b.HoleName(i)
	}
	return fmt.Sprintf("%c%d", 'a'+h.Col, h.Row+1)
}

// Labels returns the labels of the holes of p, in their order.
func (b *Board) Labels(p Position) []string {
	labels := make([]string, 0, p.Pegs())
	for i := range b.Holes {
		if p.Has(i) {
			labels = append(labels, b.Label(i))
		}
	}
	return labels
}

// FormatJump writes a jump as where it begins and where it ends, such as 46x44.
func FormatJump(b Grid, j Jump) string {
	return b.Laid().Label(int(j.From)) + "x" + b.Laid().Label(int(j.To))
}

// FormatJumps writes jumps one by one, with blanks between them.
func FormatJumps(b Grid, jumps []Jump) string {
	texts := make([]string, len(jumps))
	for i, j := range jumps {
		texts[i] = FormatJump(b, j)
	}
	return strings.Join(texts, " ")
}

// FormatSweeps writes jumps as moves: consecutive jumps of one peg are a sweep, such as 75x73x53. It returns the number
// of moves too.
func FormatSweeps(b Grid, jumps []Jump) (text string, moves int) {
	var s strings.Builder
	for i, j := range jumps {
		switch {
		case i > 0 && jumps[i-1].To == j.From:
			s.WriteString("x" + b.Laid().Label(int(j.To)))
			continue
		case i > 0:
			s.WriteByte(' ')
		}
		s.WriteString(FormatJump(b, j))
		moves++
	}
	return s.String(), moves
}
