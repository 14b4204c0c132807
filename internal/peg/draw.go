package peg

import (
	"fmt"
	"strings"
)

// Draw makes a board from a drawing, one line of text for each row; a slash does for a line break.
//
//	o  .       a hole (what it holds does not matter here)
//	space  -   no hole
//
// Blank lines and columns around the drawing do not matter. On the square lattice neighbours stand side by side and one
// above the other:
//
//	  ooo
//	  ooo
//	ooooooo
//
// On the triangular lattice a drawing is a picture. Neighbours of a row are two characters apart, and those of the rows
// above and below stand one character to the left and right:
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
// It is a picture when all holes fit the one grid of a picture.
//
// Draw also reads the drawings of others. A peg is one of O X x # * @ 1 ● •; an empty hole is one of _ 0 ○ · ◦, or o
// beside * ● •. There may be blanks between all signs, a byte order mark and any line breaks. A drawing may also be a
// table with a tab or one of , ; | between its cells, or an array of 1 and 0 with -1 for no hole. A drawing with two
// readings is refused when both give boards, and these differ: such as one in which # may be a peg or no hole.
//
// The error wraps ErrBoard and says line and column, both from 1.
func Draw(name string, l Lattice, drawing string) (*Board, error) {
	return DrawRule(name, l, drawing, "")
}

// DrawRule is [Draw] for a board with a rule; see [Board.WithRule]. No two of its holes need be neighbours.
func DrawRule(name string, l Lattice, drawing, rule string) (*Board, error) {
	return small(DrawLayout(name, l, drawing, rule))
}

// DrawLayout is [DrawRule] for a board of any size.
func DrawLayout(name string, l Lattice, drawing, rule string) (*Layout, error) {
	return drawLayout(name, l, drawing, rule, spreadOf(rule))
}

// ReadLine makes a layout of a drawing that [Layout.Line] wrote, and of its rule. Where that is no drawing of a new
// board, its holes are apart from all others without a rule.
func ReadLine(name string, l Lattice, line, rule string) (*Layout, error) {
	b, err := DrawLayout(name, l, line, rule)
	if err != nil && rule == "" {
		if b, failed := drawLayout(name, l, line, rule, apart); failed == nil {
			return b, nil
		}
	}
	return b, err
}

// drawLayout is [DrawLayout] with holes that may be so far apart.
func drawLayout(name string, l Lattice, drawing, rule string, are spread) (*Layout, error) {
	list, failed := readings(l, drawing, false, are)
	boards, err := outlines(name, l, list, rule)
	switch {
	case len(boards) == 1:
		return boards[0], nil
	case len(boards) == 0 && failed != nil:
		return nil, fmt.Errorf("%w %q: %w", ErrBoard, name, failed)
	case len(boards) == 0:
		return nil, err
	}
	a, b := boards[0], boards[1]
	return nil, fmt.Errorf("%w %q: two readings: %s (%d holes), or %s (%d holes); write o for each hole and - for none",
		ErrBoard, name, a.FullLine(), a.Size(), b.FullLine(), b.Size())
}

// picture returns the text place of a hole in a drawing of b, from 0 and not yet moved to the left edge.
func (b *Layout) picture(h Hole) int {
	if b.Lattice == Triangular {
		return 2*h.Col - h.Row
	}
	return h.Col
}

// FormatPosition draws p: o for a peg, . for an empty hole, lines without trailing blanks joined by line breaks. On the
// triangular lattice it is the picture of [Draw], so that triangles stand centred and hexagons look like hexagons.
// Draw and [ParseStart] read it back.
//
// A row without holes is written as a slash, which is a line break too, because empty lines between all others are
// refused.
func FormatPosition(b *Board, p Position) string {
	return strings.ReplaceAll(b.format(p.Has, ' ', "\n"), "\n\n", "//\n")
}

// FormatLine draws p in one line: as FormatPosition, with - for blanks and slashes for line breaks. It fits a flag, an
// environment variable or a field of a table.
func FormatLine(b *Board, p Position) string { return b.format(p.Has, '-', "/") }

// Line is [FormatLine] for a board of any size.
func (b *Layout) Line(p Pegs) string { return b.format(p.Has, '-', "/") }

// FullLine draws the board with a peg in every hole.
func (b *Layout) FullLine() string { all := b.All(); return b.Line(&all) }

// LineRule is the rule with which [DrawLayout] reads FullLine as b: that of b, or the directions of the lattice where
// the holes are apart from all others, and the drawing would be refused without a rule.
func (b *Layout) LineRule() string {
	if b.Rule != "" {
		return b.Rule
	}
	if _, err := DrawLayout(b.Name, b.Lattice, b.FullLine(), ""); err != nil {
		return b.vectorText(bothWays(b.Lattice.directions()...))
	}
	return ""
}

// PatternLine draws a set of goals in one line: the holes of pegs have one, and those of free may.
func (b *Layout) PatternLine(pegs, free Set) string {
	line, hole := b.Line(&pegs), -1
	return strings.Map(func(c rune) rune {
		if c == 'o' || c == '.' {
			if hole++; free.Has(hole) {
				return eitherSign
			}
		}
		return c
	}, line)
}

func (b *Layout) format(has func(int) bool, blank byte, sep string) string {
	left := b.picture(b.Holes[0])
	for _, h := range b.Holes {
		left = min(left, b.picture(h))
	}
	lines := make([]string, b.Holes[len(b.Holes)-1].Row+1)
	for i, h := range b.Holes {
		line := lines[h.Row]
		line += strings.Repeat(string(blank), b.picture(h)-left-len(line))
		if has(i) {
			line += "o"
		} else {
			line += "."
		}
		lines[h.Row] = line
	}
	return strings.Join(lines, sep)
}
