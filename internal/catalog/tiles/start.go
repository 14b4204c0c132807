package tiles

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
)

var startQuestion = puzzle.Question{
	Name:  "start",
	Short: "draw an initial grid at random, one that can be solved",
	Long: `Draws colours at random, cell by cell, of those that the blocks allow, until the grid has a final grid. Grids
are not equally likely. The same seed gives the same grid.`,
	Examples: []string{"4x4 --seed 3"},
	Args:     []puzzle.Argument{{Name: argSize, Doc: "rows x columns, such as 4x4"}},
	Flags:    []setting.Setting{coloursFlag, puzzle.SeedFlag("the grid")},
	Answer:   answerStart,
}

const argSize = "SIZE"

// startLetters are those of the source's colours, and O.
const startLetters = "RVBWJO"

// mostDrawn bounds the grids that are drawn until one can be solved.
const mostDrawn = 10_000

func answerStart(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	s := Shape{Colours: int(r.Flags.Uint(settingColours))}
	rows, columns, _ := strings.Cut(r.Args[0], "x")
	m, err := setting.ParseInteger(rows)
	n, err2 := setting.ParseInteger(columns)
	if err != nil || err2 != nil || m > MaxSide || n > MaxSide {
		return nil, &setting.Error{Setting: argSize, Err: fmt.Errorf("%s is no size; write 4x4, with sides of %d to %d",
			setting.Quote(r.Args[0]), MinSide, MaxSide)}
	}
	s.Rows, s.Cols = int(m), int(n)
	if err := s.Check(); err != nil {
		return nil, &setting.Error{Setting: argSize, Err: err}
	}
	random := rand.New(puzzle.Draws(r.Flags))
	for range mostDrawn {
		g, err := Parse(s.write(s.draw(random), startLetters), s.Colours)
		if err != nil {
			return nil, err
		}
		solved := false
		if err := g.finals(ctx, func(*cells) { solved = true }); err != nil && !solved {
			return nil, err
		}
		if solved {
			a := &puzzle.Answer{Text: g.String() + "\n"}
			a.Summary.AddText("position", g.String(), "the initial grid")
			return a, nil
		}
	}
	return nil, &setting.Error{Setting: argSize, Hint: "take another size, or another --seed",
		Err: fmt.Errorf("none of %d grids at random can be solved", mostDrawn)}
}

// draw colours the cells in order, each at random with one of the colours that the blocks leave. Of five colours at
// least one is left, because no cell has more than four neighbours before it.
func (s Shape) draw(random *rand.Rand) *cells {
	var g cells
	for i, near := range s.neighbours() {
		var left []uint8
		for v := range uint8(s.Colours) {
			free := true
			for _, j := range near {
				free = free && (j >= i || g[j] != v)
			}
			if free {
				left = append(left, v)
			}
		}
		g[i] = left[random.IntN(len(left))]
	}
	return &g
}
