package peg

import (
	"fmt"
	"slices"
	"strings"
)

// Draw makes a board from a drawing, one line of text for each row; a slash does for a line break.
//
//	.  o  *   a hole (what it holds does not matter here)
//	space  -  no hole
//
// Blank lines and columns around the drawing do not matter. On the square lattice neighbours stand side by side and one
// above the other:
//
//	  ooo
//	  ooo
//	ooooooo
//
// On the triangular lattice a drawing is a picture, in which neighbours of a row are two characters apart and those
// of the rows above and below stand one character to the left and right:
//
//	  o            or, in one line,  --o--/-o-o-/o-o-o
//	 o o
//	o o o
//
// or else it is compact, one character for each axial column, with - and not a space where there is no hole:
//
//	o
//	oo
//	ooo
//
// It is a picture when all holes fit the one grid of a picture. The error wraps ErrBoard and says line and column, both
// from 1.
func Draw(name string, l Lattice, drawing string) (*Board, error) {
	marks, err := readDrawing(l, drawing)
	if err != nil {
		return nil, fmt.Errorf("%w %q: %w", ErrBoard, name, err)
	}
	holes := make([]Hole, len(marks))
	for i, m := range marks {
		holes[i] = m.hole
	}
	return newBoard(name, l, holes)
}

// A mark is a hole as it was drawn.
type mark struct {
	hole      Hole
	peg       bool
	line, col int // in the text, from 1
}

// readDrawing returns the holes of a drawing in row-major order, their bounding box moved to start at 0. There are at
// least 1 and at most MaxHoles of them. Errors are for the caller to wrap.
func readDrawing(l Lattice, text string) ([]mark, error) {
	if l != Square && l != Triangular {
		return nil, fmt.Errorf("there is no %v", l)
	}
	var marks []mark
	spaces := false
	for y, line := range strings.Split(strings.ReplaceAll(text, "/", "\n"), "\n") {
		line = strings.TrimRight(line, " \r")
		for x, c := range []rune(line) {
			switch c {
			case '.', 'o', '*':
				if len(marks) == MaxHoles {
					return nil, fmt.Errorf("line %d, column %d: hole number %d: at most %d holes are possible",
						y+1, x+1, MaxHoles+1, MaxHoles)
				}
				marks = append(marks, mark{Hole{y, x}, c != '.', y + 1, x + 1})
			case ' ':
				spaces = true
			case '-':
			default:
				return nil, fmt.Errorf("line %d, column %d: %q is neither a hole (. o *) nor blank (space -)", y+1, x+1, c)
			}
		}
	}
	if len(marks) == 0 {
		return nil, fmt.Errorf("the drawing is empty: it has no hole (. o *)")
	}
	if l == Triangular {
		if err := toAxial(marks, spaces); err != nil {
			return nil, err
		}
	}
	low := marks[0].hole
	for _, m := range marks {
		low = Hole{min(low.Row, m.hole.Row), min(low.Col, m.hole.Col)}
	}
	for i := range marks {
		m := &marks[i]
		m.hole = m.hole.minus(low)
		if m.hole.Row >= maxSpan || m.hole.Col >= maxSpan {
			return nil, fmt.Errorf("line %d, column %d: a hole in row %d and column %d of the board: both must be below %d",
				m.line, m.col, m.hole.Row, m.hole.Col, maxSpan)
		}
	}
	return marks, nil
}

// toAxial turns the text places of a triangular drawing into axial coordinates.
func toAxial(marks []mark, spaces bool) error {
	odd := func(m mark) int { return (m.hole.Row + m.hole.Col) & 1 }
	off := slices.IndexFunc(marks, func(m mark) bool { return odd(m) != odd(marks[0]) })
	if off < 0 {
		// A picture: one step right is two characters, one step down-right is one line and one character.
		for i := range marks {
			h := &marks[i].hole
			h.Col = (h.Row + h.Col) >> 1
		}
		return nil
	}
	for i := 1; i < len(marks) && !spaces; i++ {
		if marks[i].hole == marks[i-1].hole.plus(Hole{0, 1}) {
			return nil // compact: the text places are the axial ones
		}
	}
	m := marks[off]
	return fmt.Errorf("line %d, column %d: this hole is out of line with the first: on a triangular lattice neighbours "+
		"of a row are two characters apart and every row is shifted by one", m.line, m.col)
}

// picture returns the text place of a hole in a drawing of b, from 0 and not yet moved to the left edge.
func (b *Board) picture(h Hole) int {
	if b.Lattice == Triangular {
		return 2*h.Col - h.Row
	}
	return h.Col
}

// FormatPosition draws p: o for a peg, . for an empty hole, lines without trailing blanks joined by line breaks. On the
// triangular lattice it is the picture of [Draw], so that triangles stand centred and hexagons look like hexagons.
// Draw and [ParseStart] read it back.
func FormatPosition(b *Board, p Position) string { return b.format(p, ' ', "\n") }

// FormatLine draws p in one line: as FormatPosition, with - for blanks and slashes for line breaks. It fits a flag, an
// environment variable or a field of a table.
func FormatLine(b *Board, p Position) string { return b.format(p, '-', "/") }

func (b *Board) format(p Position, blank byte, sep string) string {
	left := b.picture(b.Holes[0])
	for _, h := range b.Holes {
		left = min(left, b.picture(h))
	}
	lines := make([]string, b.Holes[len(b.Holes)-1].Row+1)
	for i, h := range b.Holes {
		line := lines[h.Row]
		line += strings.Repeat(string(blank), b.picture(h)-left-len(line))
		if p.Has(i) {
			line += "o"
		} else {
			line += "."
		}
		lines[h.Row] = line
	}
	return strings.Join(lines, sep)
}
