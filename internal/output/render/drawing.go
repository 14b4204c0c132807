package render

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"pagoda/internal/puzzle/figure"
)

// figure draws a figure with characters.
func (s *Sheet) figure(f *figure.Figure) {
	s.Flush()
	switch {
	case f.Board != nil:
		s.board(f.Board)
	case f.Chart != nil:
		s.chart(f.Chart)
	case f.Graph != nil:
		s.graph(f.Graph)
	}
	s.Flush()
}

// board draws every cell by its glyph when all have one of a single character, otherwise by its label.
func (s *Sheet) board(b *figure.Board) {
	glyphs, width := true, 0
	for i := range b.Cells {
		glyphs = glyphs && b.Cells[i].Glyph != 0
	}
	text := func(c *figure.Cell) string {
		if glyphs {
			return string(c.Glyph)
		}
		return c.Label
	}
	halves := false
	for i := range b.Cells {
		width = max(width, utf8.RuneCountInString(text(&b.Cells[i])))
		halves = halves || b.Cells[i].Column != math.Trunc(b.Cells[i].Column)
	}
	if width++; halves {
		width += width % 2
	}
	cells := slices.Clone(b.Cells)
	slices.SortStableFunc(cells, func(a, b figure.Cell) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Column, b.Column))
	})
	row, at := 0, 0
	for i := range cells {
		c := &cells[i]
		if r := int(math.Round(c.Row)); r > row {
			s.Printf("%s", strings.Repeat("\n", r-row))
			row, at = r, 0
		}
		column := int(c.Column * float64(width))
		s.Printf("%s%*s", strings.Repeat(" ", max(0, column-at)), width, text(c))
		at = column + width
	}
	s.Printf("\n")
}

// chart writes the exact values of a chart, one line for each place of the horizontal axis.
func (s *Sheet) chart(c *figure.Chart) {
	s.Numbers()
	s.Printf("%s\t", c.X)
	for i := range c.Series {
		s.Printf("%s\t", cmp.Or(c.Series[i].Name, c.Y))
	}
	for _, x := range places(c) {
		s.Printf("\n%s\t", number(x))
		for i := range c.Series {
			text := ""
			for _, p := range c.Series[i].Points {
				if p.X == x {
					text = exact(&p)
				}
			}
			s.Printf("%s\t", text)
		}
	}
	s.Printf("\n")
}

// places are the places of the horizontal axis that have a value, in order.
func places(c *figure.Chart) []float64 {
	var list []float64
	for i := range c.Series {
		for _, p := range c.Series[i].Points {
			list = append(list, p.X)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// exact is the value of a point as text.
func exact(p *figure.Point) string { return cmp.Or(p.Exact, number(p.Y)) }

// graph writes the nodes of a graph level by level, each with the edges that leave it.
func (s *Sheet) graph(g *figure.Graph) {
	label := map[string]string{}
	for _, n := range g.Nodes {
		label[n.ID] = cmp.Or(n.Label, n.ID)
	}
	nodes := slices.Clone(g.Nodes)
	slices.SortStableFunc(nodes, func(a, b figure.Node) int { return cmp.Compare(a.Level, b.Level) })
	for _, n := range nodes {
		s.Printf("%s\n", label[n.ID])
		for _, e := range g.Edges {
			if e.From != n.ID {
				continue
			}
			if e.Label != "" {
				s.Printf("  %s -> %s\n", e.Label, label[e.To])
			} else {
				s.Printf("  -> %s\n", label[e.To])
			}
		}
	}
}
