package explore

import "pagoda/internal/puzzle/figure"

// The pictures of an answer as JSON: the fields of package figure, by their names in lower case.
type (
	figureDoc struct {
		Name  string    `json:"name"`
		Title string    `json:"title"`
		Board []cellDoc `json:"board,omitempty"`
		Parts []partDoc `json:"parts,omitempty"`
		Chart *chartDoc `json:"chart,omitempty"`
		Graph *graphDoc `json:"graph,omitempty"`
	}
	cellDoc struct {
		Row    float64 `json:"row"`
		Column float64 `json:"column"`
		Circle bool    `json:"circle,omitempty"`
		Fill   string  `json:"fill,omitempty"`
		Shade  float64 `json:"shade,omitempty"`
		Ring   string  `json:"ring,omitempty"`
		Inner  string  `json:"inner,omitempty"`
		Label  string  `json:"label,omitempty"`
		Corner string  `json:"corner,omitempty"`
		Foot   string  `json:"foot,omitempty"`
		Glyph  string  `json:"glyph,omitempty"`
		Detail string  `json:"detail,omitempty"`
	}
	partDoc struct {
		Name  string `json:"name"`
		Title string `json:"title"`
		Cells []int  `json:"cells"`
	}
	chartDoc struct {
		X           string      `json:"x"`
		Y           string      `json:"y"`
		Series      []seriesDoc `json:"series"`
		Lines       bool        `json:"lines,omitempty"`
		Linear      bool        `json:"linear,omitempty"`
		Logarithmic bool        `json:"logarithmic,omitempty"`
	}
	seriesDoc struct {
		Name   string     `json:"name"`
		Points []pointDoc `json:"points"`
	}
	pointDoc struct {
		X     float64 `json:"x"`
		Y     float64 `json:"y"`
		Exact string  `json:"exact,omitempty"`
	}
	graphDoc struct {
		Nodes []nodeDoc `json:"nodes"`
		Edges []edgeDoc `json:"edges"`
	}
	nodeDoc struct {
		ID     string       `json:"id"`
		Label  string       `json:"label,omitempty"`
		Level  int          `json:"level"`
		Fill   string       `json:"fill,omitempty"`
		Detail string       `json:"detail,omitempty"`
		Piles  [][]brickDoc `json:"piles,omitempty"`
	}
	brickDoc struct {
		Fill  string `json:"fill"`
		Label string `json:"label,omitempty"`
	}
	edgeDoc struct {
		From   string `json:"from"`
		To     string `json:"to"`
		Label  string `json:"label,omitempty"`
		Stroke string `json:"stroke,omitempty"`
	}
)

func newFigure(f *figure.Figure) figureDoc {
	doc := figureDoc{Name: f.Name, Title: f.Title}
	if f.Board != nil {
		for i := range f.Board.Cells {
			doc.Board = append(doc.Board, newCell(&f.Board.Cells[i]))
		}
		for _, p := range f.Board.Parts {
			doc.Parts = append(doc.Parts, partDoc(p))
		}
	}
	if c := f.Chart; c != nil {
		doc.Chart = &chartDoc{X: c.X, Y: c.Y, Lines: c.Lines, Linear: c.Linear, Logarithmic: c.Logarithmic}
		for _, s := range c.Series {
			series := seriesDoc{Name: s.Name, Points: []pointDoc{}}
			for _, p := range s.Points {
				series.Points = append(series.Points, pointDoc(p))
			}
			doc.Chart.Series = append(doc.Chart.Series, series)
		}
	}
	if g := f.Graph; g != nil {
		doc.Graph = &graphDoc{Nodes: []nodeDoc{}, Edges: []edgeDoc{}}
		for _, n := range g.Nodes {
			node := nodeDoc{ID: n.ID, Label: n.Label, Level: n.Level, Fill: string(n.Fill), Detail: n.Detail}
			for _, pile := range n.Piles {
				var bricks []brickDoc
				for _, b := range pile {
					bricks = append(bricks, brickDoc{string(b.Fill), b.Label})
				}
				node.Piles = append(node.Piles, bricks)
			}
			doc.Graph.Nodes = append(doc.Graph.Nodes, node)
		}
		for _, e := range g.Edges {
			doc.Graph.Edges = append(doc.Graph.Edges,
				edgeDoc{From: e.From, To: e.To, Label: e.Label, Stroke: string(e.Stroke)})
		}
	}
	return doc
}

func newCell(c *figure.Cell) cellDoc {
	doc := cellDoc{Row: c.Row, Column: c.Column, Circle: c.Shape == figure.Circle, Fill: string(c.Fill), Shade: c.Shade,
		Ring: string(c.Ring), Inner: string(c.Inner), Label: c.Label, Corner: c.Corner, Foot: c.Foot, Detail: c.Detail}
	if c.Glyph != 0 {
		doc.Glyph = string(c.Glyph)
	}
	return doc
}
