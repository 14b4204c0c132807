package baseball

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

// shortestName is the value of the flag method that asks for a shortest way.
const shortestName = "shortest"

const argConfiguration = "CONFIGURATION"

var configurationArgs = []puzzle.Argument{{Name: argConfiguration, Doc: "The tokens base by base."}}

var solveQuestion = puzzle.Question{
	Name:  "solve",
	Short: "bring the tokens of a configuration home, move by move",
	Long: `A configuration is written base by base from base 0, "_" for the free place: 44|0_|11|22|33. There are two
tokens of every colour but 0, and one of colour 0. Colours past 9 are the letters a to z.

A shortest way is found from both sides. The methods of the source need no search: "one_base_at_a_time" fills one base
after the other from the right, here with the choices that make the fewest or the most moves, or at random, with the
mean over all choices; "best_push" runs the free place to and fro. Both are for the line, which the ring contains.`,
	Examples: []string{"'44|0_|11|22|33'", "'44|0_|11|22|33' --method best_push"},
	Args:     configurationArgs,
	Outputs:  []puzzle.Output{puzzle.Pictures, puzzle.Tables},
	Flags: []setting.Setting{boardSetting, {
		Name: nameMethod, Kind: setting.Choice, Default: shortestName,
		Choices: append([]string{shortestName, randomName}, MethodNames...),
		Doc:     "a shortest way, or the moves of a method of the source",
	}, puzzle.SeedFlag("the choices of " + randomName)},
	Answer: solve,
}

func solve(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	c, err := askedConfiguration(r)
	if err != nil {
		return nil, err
	}
	board, name := boardOf(r.Flags), r.Flags.Text(nameMethod)
	var way []Move
	if name == randomName {
		way = playRandom(c, rand.New(puzzle.Draws(r.Flags)))
	} else {
		way, err = find(ctx, c, board, name)
	}
	if errors.Is(err, ErrLimit) {
		return nil, &setting.Error{
			Setting: nameMethod, Err: err, Hint: "best_push finds a way at once, though not a short one",
		}
	}
	if err != nil {
		return nil, err
	}
	steps := puzzle.Table{Name: "way", Columns: []puzzle.Column{
		{Name: "move", Kind: puzzle.Number, Doc: "number of the move; 0 is the start"},
		{Name: "token", Kind: puzzle.Text, Doc: "colour of the token that moves"},
		{Name: "from", Kind: puzzle.Text, Doc: "base that it leaves"},
		{Name: "to", Kind: puzzle.Text, Doc: "base that it enters"},
		{Name: "configuration", Kind: puzzle.Text, Doc: "after the move"},
	}}
	var a puzzle.Answer
	s := &a.Summary
	s.Problem = understood(c.Bases(), board)
	s.AddText("configuration", c.String(), "the start")
	s.AddNumber("bases", uint64(c.Bases()), "number of bases")
	s.AddText("board", board.String(), "ring or line")
	s.AddText("method", name, "how the way was found")
	s.AddNumber("moves", uint64(len(way)), "number of moves")
	if name == randomName {
		if err := addRandom(s, c); err != nil {
			return nil, err
		}
	}
	picture := figure.Figure{
		Name: "way", Title: fmt.Sprintf("%v: %s on the %v, %s", c, plural.Of(len(way), "move"), board, name),
		Board: &figure.Board{},
	}
	steps.Rows = append(steps.Rows, []puzzle.Value{{}, {}, {}, {}, {S: c.String()}})
	drawBases(picture.Board, c.Bases())
	draw(picture.Board, &c, 0, nil)
	for i, m := range way {
		c = c.After(m)
		steps.Rows = append(steps.Rows, []puzzle.Value{
			{N: uint128.From(uint64(i + 1))}, {S: symbols[m.Colour : m.Colour+1]},
			{S: strconv.Itoa(m.From)}, {S: strconv.Itoa(m.To)}, {S: c.String()},
		})
		draw(picture.Board, &c, i+1, &m)
	}
	s.Tables = []puzzle.Table{steps}
	a.Figures = []figure.Figure{picture}
	return &a, nil
}

// askedConfiguration reads the argument of configurationArgs.
func askedConfiguration(r puzzle.Request) (Configuration, error) {
	c, err := Parse(r.Args[0])
	if err != nil {
		return c, &setting.Error{
			Setting: argConfiguration, Err: err, Hint: "write all bases from base 0 up, such as 44|0_|11|22|33",
		}
	}
	return c, nil
}

func find(ctx context.Context, c Configuration, board Board, name string) ([]Move, error) {
	for m := range methods {
		if m.String() == name {
			return m.Play(c, DefaultLimit)
		}
	}
	return Shortest(ctx, c, board, DefaultLimit)
}

// hues are the colours of bases and tokens 1, 2, 3, ...; base 0 is black as in the source.
var hues = []figure.Colour{
	figure.Red, figure.Blue, figure.Green, figure.Yellow, figure.Purple, figure.Orange, figure.White,
}

func hue(colour int) figure.Colour {
	if colour == 0 {
		return figure.Black
	}
	return hues[(colour-1)%len(hues)]
}

// drawBases draws the bases in their colours, as wide as their two places, above the first row.
func drawBases(b *figure.Board, n int) {
	for i := range n {
		for k := range 2 {
			cell := figure.Cell{Row: 0, Column: 2.5*float64(i) + float64(k), Fill: hue(i), Glyph: ' ',
				Detail: fmt.Sprintf("base %d", i)}
			if k == 0 {
				cell.Label, cell.Glyph = symbols[i:i+1], rune(symbols[i])
			}
			b.Cells = append(b.Cells, cell)
		}
	}
}

// draw adds a configuration as one row of a picture, below the bases: two places for each base. The token that has
// moved is labelled with its base before; of two of its colour in its new base, the first.
func draw(b *figure.Board, c *Configuration, row int, moved *Move) {
	for i := range c.Bases() {
		for k, t := range c.tokens[i] {
			cell := figure.Cell{
				Row: 1.5 * float64(row+1), Column: 2.5*float64(i) + float64(k), Shape: figure.Circle, Fill: figure.Faint,
				Glyph: '_',
			}
			if t != free {
				cell.Fill, cell.Label, cell.Glyph = hue(int(t)), symbols[t:t+1], rune(symbols[t])
				cell.Detail = fmt.Sprintf("token %s in base %d", cell.Label, i)
			}
			if moved != nil && i == moved.To && int(t) == moved.Colour {
				cell.Foot = "<" + strconv.Itoa(moved.From)
				moved = nil
			}
			b.Cells = append(b.Cells, cell)
		}
	}
}

var countQuestion = puzzle.Question{
	Name:  "count",
	Short: "count the configurations of n bases",
	Long: `The exact number C(n), by the source's recurrence. With --full it is P(n), the arrangements without a free
place: two tokens of every colour, 0 among them. The document has both.`,
	Examples: []string{"36", "5 --full"},
	Flags: []setting.Setting{{Name: "full", Kind: setting.Boolean, Default: "false",
		Doc: "count the arrangements of two tokens of every colour"}},
	Args: []puzzle.Argument{{Name: "BASES", Doc: fmt.Sprintf("The number of bases, 1 to %d.", MaxCounted)}},
	Answer: func(_ context.Context, r puzzle.Request) (*puzzle.Answer, error) {
		n, err := number("BASES", r.Args[0], 1, MaxCounted)
		if err != nil {
			return nil, err
		}
		a := new(puzzle.Answer)
		c, p := counts(n)
		count, full := c.String(), p.String()
		a.Summary.AddNumber("bases", uint64(n), "number of bases")
		a.Summary.AddText("configurations", count, "number of configurations, in decimal digits")
		a.Summary.AddText("full", full, "arrangements of two tokens of every colour, P(n), in decimal digits")
		a.Text = count + "\n"
		if r.Flags.Bool("full") {
			a.Text = full + "\n"
		}
		return a, nil
	},
}

var farthestQuestion = puzzle.Question{
	Name:  "farthest",
	Short: "list the configurations that are farthest from the goal",
	Long: `The configurations of the last distance of a complete run, in order of their free base and rank. The run
must have kept their rows: all of them, or those of the last layer if it does not run the methods.`,
	Examples: []string{"--data runs/baseball-6-0123456789ab", "--config configs/baseball-6.yaml --output csv"},
	Outputs:  []puzzle.Output{puzzle.Tables},
	Needs:    puzzle.NeedsRows,
	Answer:   farthest,
}

func farthest(_ context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	s, ok := r.Run.Puzzle.(*Search)
	if !ok {
		return nil, fmt.Errorf("run %s: %w: it is no search of colour baseball", r.Run.ID, puzzle.ErrNotAsked)
	}
	last := r.Run.Results.Layers() - 1
	if s.params.Methods {
		last--
	}
	t, ok := r.Run.Results.Layer(last)
	if !ok {
		return nil, fmt.Errorf("run %s: %w: it is not complete", r.Run.ID, puzzle.ErrNotAsked)
	}
	a := new(puzzle.Answer)
	a.Summary.AddNumber("bases", uint64(s.params.Bases), "number of bases")
	a.Summary.AddText("board", s.params.Board.String(), "ring or line")
	a.Summary.AddNumber("worst", uint64(last), "the largest distance")
	a.Summary.AddCount("configurations", t.Sum(sumConfigurations), "configurations at that distance")
	cells := r.Run.Results.Cells(last)
	a.Stream = &puzzle.Stream{
		Columns: s.RowColumns(),
		Each: func(ctx context.Context, emit func([]puzzle.Value) error) error {
			for i := range cells {
				windows, err := r.Run.Rows.Windows(cells[i].Cell)
				if err != nil {
					return err
				}
				for _, w := range windows {
					err := r.Run.Rows.Blocks(ctx, w, w.First, w.Addresses, func(b *puzzle.Block) error {
						return s.ExportRows(w.Cell, b, emit)
					})
					if err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
	return a, nil
}
