package solitaire

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/catalog/solitaire/army"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
)

const (
	argLevel  = "LEVEL"
	mostLevel = 1_000_000
)

var armyQuestion = puzzle.Question{
	Name:  "army",
	Short: "find the least army that brings a peg to a level above its line",
	Long: `Find the least number of pegs below a line on the square lattice without end (Conway's soldiers) of which one
can come to a level above the line, with a game, and why fewer do not do. No army reaches level 5 or those above: the
proof is verified in exact arithmetic. docs/theory.md has it.

Places are column and height: the target is 0,LEVEL, and the army stands at heights of 0 and less.`,
	Examples: []string{"4", "3 --output json", "4 --output svg --out army.svg"},
	Args:     []puzzle.Argument{{Name: argLevel, Doc: "level above the line, 1 or more"}},
	Outputs:  []puzzle.Output{puzzle.Pictures},
	Answer:   answerArmy,
}

func answerArmy(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	n, err := setting.IntegerArgument(argLevel, r.Args[0], 1, mostLevel, "")
	if err != nil {
		return nil, err
	}
	result, err := army.Least(ctx, int(n))
	if err != nil {
		return nil, err
	}
	var about puzzle.Summary
	about.Problem.Add("board", fmt.Sprintf("the square lattice without end, a line, and level %d above it", n))
	if !result.Reachable {
		result.Army, result.Jumps, result.Bounds = []army.Point{}, []army.Jump{}, []army.Bound{}
		text := fmt.Sprintf("level %d: no army of finitely many pegs reaches it\n", n)
		return &puzzle.Answer{Summary: about, Document: result, Text: text}, nil
	}
	var text strings.Builder
	fmt.Fprintf(&text, "level %d: %s\n", n, plural.Of(result.Pegs, "peg"))
	light := 0
	for _, b := range result.Bounds {
		if b.Searched > 0 {
			fmt.Fprintf(&text, "not %d: they can weigh enough, but a search of %s finds no game\n", b.Pegs,
				plural.Of(b.Searched, "position"))
		} else {
			light = max(light, b.Pegs)
		}
	}
	fmt.Fprintf(&text, "not %d or fewer: they weigh less than the target\n", light)
	return &puzzle.Answer{Summary: about, Text: text.String(), Drawn: true, Document: result, Figures: battle(result)}, nil
}

// battle draws the places of a game, before the first jump and after each.
func battle(r *army.Result) []figure.Figure {
	top := r.Level
	var left, right, bottom int
	pegs := map[army.Point]bool{}
	for _, p := range r.Army {
		pegs[p] = true
		left, right, bottom = min(left, p.X), max(right, p.X), min(bottom, p.Y)
	}
	for _, j := range r.Jumps {
		left, right = min(left, j.To.X), max(right, j.To.X)
	}
	board := func(ringed ...army.Point) *figure.Board {
		b := &figure.Board{}
		for y := top; y >= bottom; y-- {
			for x := left; x <= right; x++ {
				c := figure.Cell{Row: float64(top - y), Column: float64(x - left), Shape: figure.Circle, Glyph: '.',
					Detail: fmt.Sprintf("%d,%d", x, y)}
				if y > 0 {
					c.Glyph = '\''
				}
				if pegs[army.Point{X: x, Y: y}] {
					c.Fill, c.Glyph = figure.Accent, 'o'
				}
				if slices.Contains(ringed, army.Point{X: x, Y: y}) {
					c.Ring = figure.Orange
				}
				b.Cells = append(b.Cells, c)
			}
		}
		return b
	}
	list := []figure.Figure{{Name: "army", Title: "army (' above the line)", Board: board()}}
	for i, j := range r.Jumps {
		delete(pegs, j.From)
		delete(pegs, army.Point{X: (j.From.X + j.To.X) / 2, Y: (j.From.Y + j.To.Y) / 2})
		pegs[j.To] = true
		list = append(list, figure.Figure{Name: fmt.Sprintf("jump-%d", i+1),
			Title: fmt.Sprintf("%d  %d,%d to %d,%d", i+1, j.From.X, j.From.Y, j.To.X, j.To.Y), Board: board(j.From, j.To)})
	}
	return list
}
