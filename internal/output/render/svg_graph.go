package render

import (
	"html"
	"unicode/utf8"

	"pagoda/internal/puzzle/figure"
)

// Measures of a graph, in pixels.
const (
	nodeHeight  = 26.0
	nodeGap     = 18.0
	levelGap    = 54.0
	brickWidth  = 16.0
	brickHeight = 9.0
	pileGap     = 4.0
	pileMargin  = 7.0
)

// nodeSize is the width and the height of a node.
func nodeSize(n *figure.Node) (width, height float64) {
	if n.Piles == nil {
		return 16 + letterWidth*float64(utf8.RuneCountInString(nodeText(n))), nodeHeight
	}
	return 2*pileMargin + float64(len(n.Piles))*(brickWidth+pileGap) - pileGap,
		max(nodeHeight, 2*pileMargin+brickHeight*float64(highest(n.Piles)))
}

// graph draws nodes level by level, each level centred, and straight edges between them.
func (p *picture) graph(g *figure.Graph) {
	type place struct{ x, y, width, height float64 }
	widths, heights := map[int]float64{}, map[int]float64{} // of each level
	last := 0
	for i := range g.Nodes {
		n := &g.Nodes[i]
		width, height := nodeSize(n)
		widths[n.Level] += width + nodeGap
		heights[n.Level] = max(heights[n.Level], height)
		p.width = max(p.width, widths[n.Level])
		last = max(last, n.Level)
	}
	tops, top := map[int]float64{}, 1.0
	for level := range last + 1 {
		tops[level] = top
		top += max(heights[level], nodeHeight) + levelGap
	}
	if len(g.Nodes) > 0 {
		p.height = max(p.height, top-levelGap+1)
	}
	at, next := map[string]place{}, map[int]float64{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if next[n.Level] == 0 {
			next[n.Level] = (p.width-widths[n.Level])/2 + nodeGap/2
		}
		width, height := nodeSize(n)
		at[n.ID] = place{next[n.Level], tops[n.Level] + (heights[n.Level]-height)/2, width, height}
		next[n.Level] += width + nodeGap
	}
	for _, e := range g.Edges {
		from, ok1 := at[e.From]
		to, ok2 := at[e.To]
		if !ok1 || !ok2 {
			continue
		}
		x1, y1, x2, y2 := from.x+from.width/2, from.y+from.height, to.x+to.width/2, to.y
		switch {
		case to.y+to.height < from.y:
			y1, y2 = from.y, to.y+to.height
		case to.y < from.y+from.height:
			y1, y2 = from.y+from.height/2, to.y+to.height/2
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
		fill, stroke, thick := shade(n.Fill), shades[figure.Ink], ""
		if n.Piles != nil {
			fill, thick = shades[figure.White], ` stroke-width="2"`
			if n.Fill != figure.None {
				stroke = shade(n.Fill)
			}
		}
		p.printf(`<rect x="%s" y="%s" width="%s" height="%s" rx="5" fill="%s" stroke="%s"%s/>`+"\n", px(q.x), px(q.y),
			px(q.width), px(q.height), fill, stroke, thick)
		if n.Piles == nil {
			p.text(q.x+q.width/2, q.y+17, 12, "middle", over(n.Fill, 1), nodeText(n))
		}
		p.piles(n.Piles, q.x+pileMargin, q.y+(q.height+brickHeight*float64(highest(n.Piles)))/2)
		p.printf("</g>\n")
	}
}

// piles draws piles that stand on one ground, the first of them from x on.
func (p *picture) piles(piles [][]figure.Brick, x, ground float64) {
	for i, pile := range piles {
		left := x + float64(i)*(brickWidth+pileGap)
		for k, b := range pile {
			top := ground - brickHeight*float64(len(pile)-k)
			p.printf(`<rect x="%s" y="%s" width="%s" height="%s" fill="%s" stroke="%s" stroke-width="0.8"/>`+"\n", px(left),
				px(top), px(brickWidth), px(brickHeight), shade(b.Fill), shades[figure.Ink])
			p.text(left+brickWidth/2, top+brickHeight-1.5, 8, "middle", over(b.Fill, 1), b.Label)
		}
	}
}

// highest is the number of bricks of the highest pile.
func highest(piles [][]figure.Brick) (n int) {
	for _, pile := range piles {
		n = max(n, len(pile))
	}
	return n
}

func nodeText(n *figure.Node) string {
	if n.Label != "" {
		return n.Label
	}
	return n.ID
}
