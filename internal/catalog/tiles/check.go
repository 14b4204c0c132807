package tiles

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

var checkQuestion = puzzle.Question{
	Name:  "check",
	Short: "check an order of tiles, step by step",
	Long: `Lays tiles on a grid in the given order, says of each whether it can be laid and why not, and how many final
grids the game can end in after it. It ends at the first tile that cannot be laid. A step is a cell and a tile:
r0c2=J.`,
	Examples: []string{"RVRV/BWBW r0c0=J r1c1=R"},
	Args: []puzzle.Argument{
		{Name: argGrid, Doc: "initial grid, and perhaps tiles: RVRV/BWBW:J.../...."},
		{Name: argStep, Doc: "cell and tile, such as r0c2=J", Repeated: true},
	},
	Flags:   []setting.Setting{coloursFlag},
	Outputs: []puzzle.Output{puzzle.Pictures, puzzle.Tables},
	Answer:  answerCheck,
}

const argStep = "STEP"

// parseStep reads a cell and a tile.
func (g *Grid) parseStep(text string) (i int, v uint8, err error) {
	var at CellRef
	cell, tile, ok := strings.Cut(text, "=")
	if n, err := fmt.Sscanf(cell, "r%dc%d", &at.Row, &at.Col); err != nil || n != 2 || at.String() != cell || !ok {
		return 0, 0, fmt.Errorf("%s is no step; write a cell and a tile, such as r0c2=%c", setting.Quote(text), g.letters[0])
	}
	if at.Row >= g.shape.Rows || at.Col >= g.shape.Cols {
		return 0, 0, fmt.Errorf("%s: the grid is %v, counted from r0c0", setting.Quote(text), g.shape)
	}
	k := strings.Index(g.letters, strings.ToUpper(tile))
	if len(tile) != 1 || k < 0 {
		return 0, 0, fmt.Errorf("%s: the colours are %s", setting.Quote(text), g.letters)
	}
	return g.shape.at(at.Row, at.Col), uint8(k), nil
}

func answerCheck(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	p, err := parseCovering(r.Args[0], int(r.Flags.Uint(settingColours)))
	if err != nil {
		return nil, &setting.Error{Setting: argGrid, Err: err, Hint: gridHint}
	}
	table := puzzle.Table{Name: "steps", Columns: []puzzle.Column{
		{Name: "step", Kind: puzzle.Number, Doc: "number of the step, from 1"},
		{Name: "move", Kind: puzzle.Text, Doc: "the cell and the tile"},
		{Name: "position", Kind: puzzle.Text, Doc: "the grid in play after it"},
		{Name: "finals", Kind: puzzle.Number, Doc: "final grids that the game can end in then"},
	}}
	states, wrong := []covering{p}, ""
	for k, text := range r.Args[1:] {
		i, v, err := p.parseStep(text)
		if err != nil {
			return nil, &setting.Error{Setting: argStep, Err: err}
		}
		if why, _ := p.obstacle(i, v); why != "" {
			wrong = fmt.Sprintf("step %d, %s, cannot be played: %s", k+1, text, why)
			break
		}
		p = p.lay(i, v)
		states = append(states, p)
	}
	left := make([]uint64, len(states))
	if err := p.finals(ctx, func(f *cells) {
		for k := range states {
			if !states[k].agrees(f) {
				break // no later state agrees
			}
			left[k]++
		}
	}); err != nil {
		return nil, manyFinals(err)
	}
	for k := range states[1:] {
		table.Rows = append(table.Rows, []puzzle.Value{{N: uint128.From(uint64(k + 1))}, {S: r.Args[k+1]},
			{S: states[k+1].String()}, {N: uint128.From(left[k+1])}})
	}
	var verdict string
	last := left[len(left)-1]
	switch {
	case wrong != "":
		verdict = wrong
	case last == 0:
		since := "the beginning"
		if lost := slices.Index(left, 0); lost > 0 {
			since = "step " + fmt.Sprint(lost) + ", " + r.Args[lost]
		}
		verdict = "every step can be played, and the game cannot be finished since " + since
	case bits.OnesCount64(p.covered) == p.shape.Cells():
		verdict = "every step can be played, and every cell has a tile"
	default:
		verdict = "every step can be played, and the game can be finished"
	}
	a := &puzzle.Answer{Figures: []figure.Figure{p.picture()}}
	a.Summary.Problem = p.understood()
	a.Summary.AddText("verdict", verdict, "what the check has found")
	a.Summary.AddText("position", p.String(), "the grid in play after the last step that can be played")
	a.Summary.AddNumber("finals", last, "final grids that the game can end in")
	a.Summary.Tables = []puzzle.Table{table}
	return a, nil
}
