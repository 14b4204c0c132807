// Package figure describes pictures without drawing them: boards, charts and graphs as lists of their parts. A puzzle
// answers with figures; package render turns any of them into text, SVG or DOT, so that the same answer can be read in
// a terminal, in a file and in a browser.
//
// Lengths are in cells, not pixels, and colours are named by their meaning. Exact numbers travel as text: a figure's
// float64 decides where a mark is drawn, never what its label says.
package figure

// A Figure is one picture. Exactly one of Board, Chart and Graph is set.
type Figure struct {
	Name  string // [a-z0-9_-]+, unique among the figures of an answer
	Title string
	Board *Board
	Chart *Chart
	Graph *Graph
}

// A Colour names a role or a hue. The renderer chooses shades that can be told apart in print and on both light and
// dark backgrounds.
type Colour string

// The colours. Hues are those that puzzles name; the others say what is marked.
const (
	None    Colour = ""
	Ink     Colour = "ink"     // lines and text
	Faint   Colour = "faint"   // grid lines, empty holes
	Accent  Colour = "accent"  // the series of a chart, pegs
	Good    Colour = "good"    // won, feasible
	Bad     Colour = "bad"     // lost, infeasible
	Neutral Colour = "neutral" // undecided

	Red    Colour = "red"
	Blue   Colour = "blue"
	Green  Colour = "green"
	Yellow Colour = "yellow"
	Purple Colour = "purple"
	White  Colour = "white"
	Black  Colour = "black"
	Orange Colour = "orange"
)

// A Shape is how a cell of a board is drawn.
type Shape int

// The shapes of cells.
const (
	Square Shape = iota
	Circle
)

// A Board is cells in the plane: a board of pegs, a grid of tiles, piles of bricks, a deck of cards.
type Board struct {
	Cells []Cell
	// Parts are the groups of cells that a player presses; nil on a board that is only looked at.
	Parts []Part
}

// A Part is cells that are pressed as one: a card, a pile, a token.
type Part struct {
	Name  string // moves name parts by it; parts of one name are as good as each other
	Title string // for people
	Cells []int  // indices of Board.Cells
}

// Add appends cells that are a part.
func (b *Board) Add(name, title string, cells ...Cell) {
	p := Part{Name: name, Title: title}
	for _, c := range cells {
		p.Cells = append(p.Cells, len(b.Cells))
		b.Cells = append(b.Cells, c)
	}
	b.Parts = append(b.Parts, p)
}

// A Cell is one place of a board.
type Cell struct {
	// Row and Column are the centre, in cells from the top left; triangular boards use halves.
	Row, Column float64
	Shape       Shape
	Fill        Colour
	// Shade is the strength of Fill from 0 to 1, for heat maps; 0 means full strength, as does 1.
	Shade float64
	// Ring, when set, marks the cell, such as the holes of the last jump.
	Ring Colour
	// Inner, when set, is a smaller square of that colour upon the cell, with Label on it.
	Inner Colour
	// Label is the text in the middle; Corner and Foot are small texts at the top left and the bottom right.
	Label, Corner, Foot string
	// Glyph is the character that stands for the cell in a drawing of one character each, 0 for the first of Label.
	Glyph rune
	// Detail is the exact text that is shown when pointed at.
	Detail string
}

// A Chart is one or more series over a common horizontal axis.
type Chart struct {
	X, Y   string // the quantities on the axes, with the unit
	Series []Series
	// Lines joins the points of each series; without it they are bars, side by side.
	Lines bool
	// The vertical axis is logarithmic when the positive values span more than two decades. Linear forbids that, and
	// Logarithmic demands it.
	Linear, Logarithmic bool
}

// A Series is a named list of points in ascending X.
type Series struct {
	Name   string
	Points []Point
}

// A Point is one value. Exact is the number as text, shown when pointed at and printed in text.
type Point struct {
	X, Y  float64
	Exact string
}

// A Graph is nodes in levels with edges between them.
type Graph struct {
	Nodes []Node
	Edges []Edge
}

// A Node is drawn in row Level, counted from 0 at the top, in the order of the list.
type Node struct {
	ID     string // unique
	Label  string
	Level  int
	Fill   Colour
	Detail string
	// Piles, when not nil, are drawn in place of Label: piles of bricks side by side, each from the top down.
	Piles [][]Brick
}

// A Brick is one of a pile. Label is the text on it, for a colour without a hue.
type Brick struct {
	Fill  Colour
	Label string
}

// An Edge leads from one node to another, by their IDs.
type Edge struct {
	From, To string
	Label    string
	Stroke   Colour // None: Ink
}
