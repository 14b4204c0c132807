package tiles

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
)

var tablesQuestion = puzzle.Question{
	Name:  "tables",
	Short: "the tables of the method by hand: the final states of every 2x2 block, by their borders",
	Long: `Lists for every 2x2 block of a grid the states in which it can end alone. A border of a block is two cells:
their tiles, with < between them when the first cell must be covered before the second, > when after, and - when either
way will do. Two blocks side by side, or one below the other, agree where these borders are the same. The table borders
says how many states of a block have each border, and the table pairs in how many ways two neighbouring blocks agree.`,
	Examples: []string{"RV/BW", "RVR/BWB --output csv --table pairs"},
	Args:     []puzzle.Argument{{Name: argGrid, Doc: "initial grid, such as RV/BW"}},
	Flags:    []setting.Setting{coloursFlag},
	Outputs:  []puzzle.Output{puzzle.Tables},
	Answer:   answerTables,
}

// sides are the borders of a block, as its cells.
var sides = []struct {
	name string
	x, y int
}{{"top", 0, 1}, {"bottom", 2, 3}, {"left", 0, 2}, {"right", 1, 3}}

// border writes two cells of a final state of a block.
func (b *blockFinal) border(letters string, x, y int) string {
	sign := [4]string{"-", "<", ">"}[b.order(x, y)]
	return letters[b.f[x]:b.f[x]+1] + sign + letters[b.f[y]:b.f[y]+1]
}

func answerTables(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	g, err := Parse(r.Args[0], int(r.Flags.Uint(settingColours)))
	if err != nil {
		return nil, &setting.Error{Setting: argGrid, Err: err, Hint: gridHint}
	}
	states := puzzle.Table{Name: "states", Columns: []puzzle.Column{
		worded("block", "its first cell"), worded("state", "the tiles at the end"),
	}}
	for _, s := range sides {
		states.Columns = append(states.Columns, worded(s.name, "the border"))
	}
	borders := puzzle.Table{Name: "borders", Columns: []puzzle.Column{
		worded("block", "its first cell"), worded("side", "of the block"), worded("border", "two tiles and their order"),
		numbered("states", "states of the block that have it"),
	}}
	pairs := puzzle.Table{Name: "pairs", Columns: []puzzle.Column{
		worded("first", "the first cell of a block"), worded("second", "that of the next one to the right, or below"),
		numbered("ways", "pairs of states that agree on the border between them"),
	}}
	counts := map[string]map[string]int{} // by block and side, then by border
	for row := range g.shape.Rows - 1 {
		for col := range g.shape.Cols - 1 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			at := g.shape.at(row, col)
			below := g.shape.at(row+1, col)
			block := g.shape.ref(at).String()
			list := blockFinals([4]uint8{g.cells[at], g.cells[at+1], g.cells[below], g.cells[below+1]}, g.shape.Colours)
			for i := range list {
				b := &list[i]
				var cells [4]string
				for c, v := range b.f {
					cells[c] = g.letters[v : v+1]
				}
				line := []puzzle.Value{{S: block}, {S: cells[0] + cells[1] + "/" + cells[2] + cells[3]}}
				for _, s := range sides {
					border := b.border(g.letters, s.x, s.y)
					line = append(line, puzzle.Value{S: border})
					key := block + " " + s.name
					if counts[key] == nil {
						counts[key] = map[string]int{}
					}
					counts[key][border]++
				}
				states.Rows = append(states.Rows, line)
			}
			for _, s := range sides {
				borders.Rows = append(borders.Rows, borderRows(block, s.name, counts[block+" "+s.name])...)
			}
			if col > 0 {
				pairs.Rows = append(pairs.Rows, pairRow(counts, g.shape.ref(at-1).String(), "right", block, "left"))
			}
			if row > 0 {
				above := g.shape.ref(g.shape.at(row-1, col)).String()
				pairs.Rows = append(pairs.Rows, pairRow(counts, above, "bottom", block, "top"))
			}
		}
	}
	a := &puzzle.Answer{}
	blocks := (g.shape.Rows - 1) * (g.shape.Cols - 1)
	a.Summary.Problem.Add("grid", fmt.Sprintf("%s, %v, %s", g, g.shape, plural.Of(blocks, "block")))
	a.Summary.AddText("grid", g.String(), "the initial grid")
	a.Summary.AddNumber("blocks", uint64(blocks), "blocks of the grid")
	a.Summary.Tables = []puzzle.Table{states, borders}
	if len(pairs.Rows) > 0 {
		a.Summary.Tables = append(a.Summary.Tables, pairs)
	}
	return a, nil
}

// borderRows are the borders of one side of a block, in order.
func borderRows(block, side string, counts map[string]int) (rows [][]puzzle.Value) {
	for border, n := range counts {
		rows = append(rows, []puzzle.Value{{S: block}, {S: side}, {S: border}, number(uint64(n))})
	}
	slices.SortFunc(rows, func(a, b []puzzle.Value) int { return strings.Compare(a[2].S, b[2].S) })
	return rows
}

// pairRow counts the pairs of states of two blocks that agree on a border. An order that either way will do agrees with
// both.
func pairRow(counts map[string]map[string]int, first, side, second, other string) []puzzle.Value {
	ways := 0
	for a, n := range counts[first+" "+side] {
		for b, m := range counts[second+" "+other] {
			if a[0] == b[0] && a[2] == b[2] && (a[1] == b[1] || a[1] == '-' || b[1] == '-') {
				ways += n * m
			}
		}
	}
	return []puzzle.Value{{S: first}, {S: second}, number(uint64(ways))}
}
