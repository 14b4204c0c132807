package render

import (
	"cmp"
	"slices"

	"pagoda/internal/puzzle/figure"
)

// figure draws a figure with characters.
func (s *Sheet) figure(f *figure.Figure) {
	s.Flush()
	s.Printf("\n%s\n", f.Title)
	switch {
	case f.Chart != nil:
		s.chart(f.Chart)
	case f.Graph != nil:
		s.graph(f.Graph)
	}
	s.Flush()
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
