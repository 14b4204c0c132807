package render

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"pagoda/internal/puzzle/figure"
)

// beside is the blank space between two boards, in columns.
const beside = 3

// figures draws figures with characters: boards side by side as far as they fit, charts and graphs below each other.
func (s *Sheet) figures(list []figure.Figure) {
	s.Flush()
	for len(list) > 0 {
		n := 0
		for n < len(list) && list[n].Board != nil {
			n++
		}
		if n > 0 {
			s.boards(list[:n])
		} else {
			s.figure(&list[0])
		}
		list = list[max(n, 1):]
	}
}

// boards draws boards in rows, with their titles above them.
func (s *Sheet) boards(list []figure.Figure) {
	drawings := make([][]inked, len(list))
	width := 0
	for i := range list {
		title := inked{text: []rune(list[i].Title)}
		drawings[i] = append([]inked{title}, drawn(list[i].Board)...)
		for _, line := range drawings[i] {
			width = max(width, len(line.text))
		}
	}
	across := max(1, (s.room()+beside)/(width+beside))
	for row := range slices.Chunk(drawings, across) {
		height := 0
		for _, d := range row {
			height = max(height, len(d))
		}
		s.Printf("\n")
		for y := range height {
			line, blank := "", 0
			for _, d := range row {
				n := 0
				if y < len(d) {
					if n = len(d[y].text); n > 0 {
						line += strings.Repeat(" ", blank) + d[y].painted(s.Style)
						blank = 0
					}
				}
				blank += width - n + beside
			}
			s.Printf("%s\n", line)
		}
	}
}

// inked is a line of characters, some of which have an ink.
type inked struct {
	text []rune
	inks map[int]ink // by place in text
}

// put writes characters that end before a place.
func (l *inked) put(end int, text string, k ink) {
	begin := end - utf8.RuneCountInString(text)
	for len(l.text) < end {
		l.text = append(l.text, ' ')
	}
	for i, r := range []rune(text) {
		l.text[begin+i] = r
		if k != noInk {
			if l.inks == nil {
				l.inks = map[int]ink{}
			}
			l.inks[begin+i] = k
		}
	}
}

// painted is the line in the colours of a style.
func (l *inked) painted(st Style) string {
	var b strings.Builder
	for i := 0; i < len(l.text); {
		k, from := l.inks[i], i
		for i < len(l.text) && l.inks[i] == k {
			i++
		}
		b.WriteString(st.paint(k, string(l.text[from:i])))
	}
	return b.String()
}

// drawn draws a board, line by line: every cell by its glyph when all have one of a single character, otherwise by its
// label. A ring is drawn as parentheses.
func drawn(b *figure.Board) []inked {
	glyphs, halves, width := true, false, 0
	for i := range b.Cells {
		glyphs = glyphs && b.Cells[i].Glyph != 0
		halves = halves || b.Cells[i].Column != math.Trunc(b.Cells[i].Column)
	}
	text := func(c *figure.Cell) string {
		if glyphs {
			return string(c.Glyph)
		}
		return c.Label
	}
	for i := range b.Cells {
		width = max(width, utf8.RuneCountInString(text(&b.Cells[i])))
	}
	if width++; halves {
		width += width % 2
	}
	cells := slices.Clone(b.Cells)
	slices.SortStableFunc(cells, func(a, b figure.Cell) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Column, b.Column))
	})
	var lines []inked
	for i := range cells {
		c := &cells[i]
		for len(lines) <= int(math.Round(c.Row)) {
			lines = append(lines, inked{})
		}
		line, k := &lines[len(lines)-1], noInk
		end := int(c.Column*float64(width)) + width
		switch {
		case c.Ring != figure.None:
			k = marked
			line.put(end-utf8.RuneCountInString(text(c)), "(", k)
			line.put(end+1, ")", k)
		case glyphs && c.Fill == figure.None:
			k = faint
		}
		line.put(end, text(c), k)
	}
	return lines
}
