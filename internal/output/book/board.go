package book

import (
	"errors"
	"fmt"
	"slices"

	"pagoda/internal/puzzle/figure"
)

// mostCells bounds the cells of all boards of a record: a page draws them in full.
const mostCells = 250

// A Board is a picture of cells: a position, or a heat map. It is a [figure.Board] whose cells have one label each.
type Board struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Cells []Cell `json:"cells"`
}

// A Cell is one of a Board, as [figure.Cell].
type Cell struct {
	Row    float64       `json:"row"`
	Column float64       `json:"column"`
	Circle bool          `json:"circle,omitempty"`
	Fill   figure.Colour `json:"fill,omitempty"`
	Shade  float64       `json:"shade,omitempty"`
	Label  string        `json:"label,omitempty"`
	Detail string        `json:"detail,omitempty"`
}

// newBoards are those of the figures that are boards with one label for each cell, as many as a page takes.
func newBoards(figures []figure.Figure) []Board {
	list, n := []Board{}, 0 // an array, never null
	for _, f := range figures {
		if f.Board == nil || n+len(f.Board.Cells) > mostCells || slices.ContainsFunc(f.Board.Cells, rich) {
			continue
		}
		b := Board{Name: f.Name, Title: f.Title, Cells: []Cell{}}
		for _, c := range f.Board.Cells {
			b.Cells = append(b.Cells,
				Cell{c.Row, c.Column, c.Shape == figure.Circle, c.Fill, c.Shade, c.Label, c.Detail})
		}
		n += len(b.Cells)
		list = append(list, b)
	}
	return list
}

// rich reports whether a cell has more than a Cell says.
func rich(c figure.Cell) bool { return c.Inner+c.Ring != "" || c.Corner+c.Foot != "" }

// checkBoards returns an error about the first board that cannot be drawn.
func (r *Record) checkBoards() error {
	if r.Boards == nil {
		return errors.New("boards: null in place of a list")
	}
	names, n := map[string]bool{}, 0
	for _, b := range r.Boards {
		n += len(b.Cells)
		if !identifier.MatchString(b.Name) || names[b.Name] || len(b.Cells) == 0 || n > mostCells {
			return fmt.Errorf("board %.40q has no name of its own, no cells, or is one too many", b.Name)
		}
		names[b.Name] = true
		for _, c := range b.Cells {
			if min(c.Row, c.Column) < 0 || max(c.Row, c.Column) > 100 || c.Shade < 0 || c.Shade > 1 {
				return fmt.Errorf("board %s has a cell at row %g, column %g, of the shade %g", b.Name, c.Row, c.Column, c.Shade)
			}
		}
	}
	return nil
}

// figure is the board, to be drawn.
func (b *Board) figure() figure.Figure {
	board := &figure.Board{}
	for _, c := range b.Cells {
		cell := figure.Cell{Row: c.Row, Column: c.Column, Fill: c.Fill, Shade: c.Shade, Label: c.Label, Detail: c.Detail}
		if c.Circle {
			cell.Shape = figure.Circle
		}
		board.Cells = append(board.Cells, cell)
	}
	return figure.Figure{Name: b.Name, Title: b.Title, Board: board}
}
