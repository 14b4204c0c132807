package tiles

import (
	"fmt"
	"strings"

	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/plural"
)

// named are the colours that letters name: those of the source, which is French, and of English.
var named = map[byte]figure.Colour{
	'R': figure.Red, 'B': figure.Blue, 'V': figure.Green, 'W': figure.White, 'J': figure.Yellow, // rouge ... vert, jaune
	'G': figure.Green, 'Y': figure.Yellow, 'O': figure.Orange, 'P': figure.Purple, 'K': figure.Black, 'N': figure.Black,
}

// others are the colours of letters and digits that name none, or one that another letter has, in this order.
var others = []figure.Colour{
	figure.Red, figure.Blue, figure.Green, figure.Yellow, figure.White, figure.Purple, figure.Orange, figure.Black,
}

// hues gives each of a grid's letters the colour that it names, and the others those that are left.
func hues(letters string) map[byte]figure.Colour {
	of, taken := map[byte]figure.Colour{}, map[figure.Colour]bool{}
	for i := range len(letters) {
		if c, ok := named[letters[i]]; ok && !taken[c] {
			of[letters[i]], taken[c] = c, true
		}
	}
	for i := range len(letters) {
		for _, c := range others {
			if of[letters[i]] == figure.None && !taken[c] {
				of[letters[i]], taken[c] = c, true
			}
		}
	}
	return of
}

// Picture draws final i of the list as the source does: every cell shows its initial colour (background, small letter
// at the top left), its tile (square, large letter) and when it is laid (bottom right). It returns the bare initial
// grid when the list is shorter.
func (sol *Solution) Picture(i int) figure.Figure {
	of := hues(sol.Letters)
	start := strings.ReplaceAll(sol.Grid, "/", "")
	f := figure.Figure{Name: "grid", Title: "Initial grid " + sol.Grid, Board: &figure.Board{}}
	tiles := ""
	if i < len(sol.List) {
		tiles = strings.ReplaceAll(sol.List[i].Grid, "/", "")
		f.Name = fmt.Sprintf("final%d", i+1)
		f.Title = fmt.Sprintf("From %s to %s: initial colour, tile, order of play", sol.Grid, sol.List[i].Grid)
	}
	for c := range len(start) {
		cell := figure.Cell{Row: float64(c / sol.Cols), Column: float64(c % sol.Cols), Fill: of[start[c]],
			Corner: start[c : c+1]}
		if tiles != "" {
			cell.Inner, cell.Label = of[tiles[c]], tiles[c:c+1]
			cell.Foot = fmt.Sprint(sol.List[i].Turns[c])
		}
		f.Board.Cells = append(f.Board.Cells, cell)
	}
	return f
}

// orderPicture draws which cells must be covered before which in final i of the list, each below all that it waits for.
func (sol *Solution) orderPicture(i int) figure.Figure {
	f, of := &sol.List[i], hues(sol.Letters)
	tiles := strings.ReplaceAll(f.Grid, "/", "")
	waits := map[CellRef][]CellRef{}
	for _, b := range f.Before {
		waits[b[1]] = append(waits[b[1]], b[0])
	}
	levels := map[CellRef]int{}
	var level func(c CellRef) int
	level = func(c CellRef) int {
		if l, ok := levels[c]; ok {
			return l
		}
		l := 0
		for _, d := range waits[c] {
			l = max(l, level(d)+1)
		}
		levels[c] = l
		return l
	}
	g := &figure.Graph{}
	for c := range len(tiles) {
		at, tile := CellRef{c / sol.Cols, c % sol.Cols}, tiles[c:c+1]
		g.Nodes = append(g.Nodes, figure.Node{ID: at.String(), Label: at.String() + "=" + tile, Level: level(at),
			Fill: of[tile[0]], Detail: fmt.Sprintf("waits for %s", plural.Of(len(waits[at]), "cell"))})
	}
	for _, b := range f.Before {
		g.Edges = append(g.Edges, figure.Edge{From: b[0].String(), To: b[1].String()})
	}
	return figure.Figure{Name: "order", Title: "Which cells are covered before which: from " + sol.Grid + " to " + f.Grid,
		Graph: g}
}
