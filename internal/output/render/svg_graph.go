package render

import (
	"html"
	"unicode/utf8"

	"pagoda/internal/puzzle/figure"
)

// Measures of a graph, in pixels.
const (
	nodeHeight = 26.0
	nodeGap    = 18.0
	levelGap   = 54.0
)

// graph draws nodes level by level, each level centred, and straight edges between them.
func (p *picture) graph(g *figure.Graph) {
	type place struct{ x, y, width float64 }
	levels := map[int]float64{} // width of each
	wide := func(n *figure.Node) float64 { return 16 + letterWidth*float64(utf8.RuneCountInString(nodeText(n))) }
	for i := range g.Nodes {
		n := &g.Nodes[i]
		levels[n.Level] += wide(n) + nodeGap
		p.width = max(p.width, levels[n.Level])
		p.height = max(p.height, float64(n.Level+1)*(nodeHeight+levelGap)-levelGap+2)
	}
	at, next := map[string]place{}, map[int]float64{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if next[n.Level] == 0 {
			next[n.Level] = (p.width-levels[n.Level])/2 + nodeGap/2
		}
		at[n.ID] = place{next[n.Level], float64(n.Level)*(nodeHeight+levelGap) + 1, wide(n)}
		next[n.Level] += wide(n) + nodeGap
	}
	for _, e := range g.Edges {
		from, ok1 := at[e.From]
		to, ok2 := at[e.To]
		if !ok1 || !ok2 {
			continue
		}
		x1, y1, x2, y2 := from.x+from.width/2, from.y+nodeHeight, to.x+to.width/2, to.y
		switch {
		case to.y < from.y:
			y1, y2 = from.y, to.y+nodeHeight
		case to.y == from.y:
			y1, y2 = from.y+nodeHeight/2, to.y+nodeHeight/2
		}
		stroke := shades[figure.Ink]
		if e.Stroke != figure.None {
			stroke = shade(e.Stroke)
		}
		p.printf(`<path d="M%s %sL%s %s" stroke="%s"/>`+"\n", px(x1), px(y1), px(x2), px(y2), stroke)
		p.text((x1+x2)/2+3, (y1+y2)/2, 10, "start", shades[figure.Ink], e.Label)
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		q := at[n.ID]
		p.printf("<g>")
		if n.Detail != "" {
			p.printf("<title>%s</title>", html.EscapeString(n.Detail))
		}
		p.printf(`<rect x="%s" y="%s" width="%s" height="%s" rx="5" fill="%s" stroke="%s"/>`+"\n", px(q.x), px(q.y),
			px(q.width), px(nodeHeight), shade(n.Fill), shades[figure.Ink])
		p.text(q.x+q.width/2, q.y+17, 12, "middle", over(n.Fill, 1), nodeText(n))
		p.printf("</g>\n")
	}
}

func nodeText(n *figure.Node) string {
	if n.Label != "" {
		return n.Label
	}
	return n.ID
}
