package tiles

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
)

var startQuestion = puzzle.Question{
	Name:  "start",
	Short: "draw an initial grid at random, one that can be solved",
	Long: `Draws colours at random, cell by cell, of those that the blocks allow, and a row again until the rows so far
have a final grid. Grids are not equally likely. The same seed gives the same grid.`,
	Examples: []string{"4x4 --seed 3", "8x8"},
	Args:     []puzzle.Argument{{Name: argSize, Doc: "rows x columns, such as 4x4"}},
	Flags:    []setting.Setting{coloursFlag, puzzle.SeedFlag("the grid")},
	Answer:   answerStart,
}

const argSize = "SIZE"

// startLetters are those of the source's colours, and O.
const startLetters = "RVBWJO"

// mostDrawn bounds the draws of a row, before the row above it is drawn again.
const mostDrawn = 50

// mostSteps bounds the search for a final grid of rows that are drawn: rows that take more are drawn again. drawnLevel
// is the limit of its levels: one final grid is enough, and short levels lead to it soon.
const (
	mostSteps  = 1 << 17
	drawnLevel = 1 << 8
)

func answerStart(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	s, err := parseSize(r)
	if err != nil {
		return nil, err
	}
	g, err := s.solvable(ctx, rand.New(puzzle.Draws(r.Flags)))
	if err != nil {
		return nil, err
	}
	a := &puzzle.Answer{Text: g.String() + "\n"}
	a.Summary.AddText("position", g.String(), "the initial grid")
	return a, nil
}

// parseSize reads the argument SIZE, and the number of colours.
func parseSize(r puzzle.Request) (Shape, error) {
	s := Shape{Colours: int(r.Flags.Uint(settingColours))}
	rows, columns, _ := strings.Cut(r.Args[0], "x")
	m, err := setting.ParseInteger(rows)
	n, err2 := setting.ParseInteger(columns)
	if err != nil || err2 != nil || m > MaxSide || n > MaxSide {
		return s, &setting.Error{Setting: argSize, Err: fmt.Errorf("%s is no size; write 4x4, with sides of %d to %d",
			setting.Quote(r.Args[0]), MinSide, MaxSide)}
	}
	s.Rows, s.Cols = int(m), int(n)
	if err := s.Check(); err != nil {
		return s, &setting.Error{Setting: argSize, Err: err}
	}
	return s, nil
}

// solvable draws row after row, each again until the rows so far have a final grid of their own: without that the whole
// grid has none. After too many draws in vain the row before is drawn again, too. Of 10000 grids of 8x8 in five colours
// that were drawn whole, none could be solved.
func (s Shape) solvable(ctx context.Context, random *rand.Rand) (*Grid, error) {
	var g cells
	for rows, drawn := 0, 0; rows < s.Rows; {
		s.draw(random, &g, rows)
		if drawn++; drawn > mostDrawn {
			rows, drawn = max(rows-2, 0), 0
			continue
		}
		if rows > 0 {
			top, err := Parse(Shape{rows + 1, s.Cols, s.Colours}.write(&g, startLetters), s.Colours)
			if err != nil {
				return nil, err
			}
			if solved, err := top.solved(ctx); err != nil {
				return nil, err
			} else if !solved {
				continue
			}
		}
		rows, drawn = rows+1, 0
	}
	return Parse(s.write(&g, startLetters), s.Colours)
}

// solved reports whether a final grid of g is found within mostSteps.
func (g *Grid) solved(ctx context.Context) (found bool, err error) {
	solver, err := g.solver()
	if err != nil {
		return false, err
	}
	solver.most, solver.limit = mostSteps, drawnLevel
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	err = solver.solve(ctx, &g.cells, func(*planes) {
		found = true
		stop()
	})
	if found || errors.Is(err, errSteps) {
		return found, nil
	}
	return false, err
}

// draw colours the cells of a row, each at random with one of the colours that the blocks leave. Of five colours at
// least one is left, because no cell has more than four neighbours before it.
func (s Shape) draw(random *rand.Rand, g *cells, row int) {
	near := s.neighbours()
	for i := row * s.Cols; i < (row+1)*s.Cols; i++ {
		var left []uint8
		for v := range uint8(s.Colours) {
			free := true
			for _, j := range near[i] {
				free = free && (j >= i || g[j] != v)
			}
			if free {
				left = append(left, v)
			}
		}
		g[i] = left[random.IntN(len(left))]
	}
}
