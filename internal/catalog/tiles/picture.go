package tiles

import (
	"fmt"
	"strings"

	"pagoda/internal/puzzle/figure"
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
