package baseball

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

// playLimit bounds the configurations that are looked at for each move, so that a game does not wait.
const playLimit = 2_000_000

var playQuestion = puzzle.Question{
	Name:  "play",
	Short: "list the moves of a configuration, and how far from the goal each leads",
	Long: `Says how many moves a configuration is away from the goal, and for every move the configuration after it and its
distance. A move on a shortest way has one less, and comes first.`,
	Examples: []string{"'44|0_|11|22|33'", "'44|0_|11|22|33' --board line --output json"},
	Args:     configurationArgs,
	Flags:    []setting.Setting{boardSetting},
	Outputs:  []puzzle.Output{puzzle.Pictures, puzzle.Tables},
	Answer:   answerPlay,
}

func answerPlay(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	c, err := askedConfiguration(r)
	if err != nil {
		return nil, err
	}
	board := boardOf(r.Flags)
	distance := func(c Configuration) (int, error) {
		way, err := Shortest(ctx, c, board, playLimit)
		if errors.Is(err, ErrLimit) {
			return 0, &setting.Error{Setting: argConfiguration, Err: err, Hint: "take a configuration of fewer bases"}
		}
		return len(way), err
	}
	here, err := distance(c)
	if err != nil {
		return nil, err
	}
	table := puzzle.Table{Name: "moves", Columns: []puzzle.Column{
		{Name: "move", Kind: puzzle.Text, Doc: "the token, the base that it leaves, and the one that it enters"},
		{Name: "position", Kind: puzzle.Text, Doc: "the configuration after the move"},
		{Name: "distance", Kind: puzzle.Number, Doc: "moves from there to the goal, at best"},
	}}
	type choice struct {
		Move
		after    Configuration
		distance int
	}
	var choices []choice
	for _, m := range c.Moves(board) {
		after := c.After(m)
		n, err := distance(after)
		if err != nil {
			return nil, err
		}
		choices = append(choices, choice{m, after, n})
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return cmp.Compare(a.distance, b.distance) })
	moves := &puzzle.Moves{Over: here == 0}
	for _, m := range choices {
		table.Rows = append(table.Rows,
			[]puzzle.Value{{S: m.String()}, {S: m.after.String()}, {N: uint128.From(uint64(m.distance))}})
		moves.Presses = append(moves.Presses, []string{placed(m.Colour, m.From)})
		if m.distance < here {
			moves.Best++
		}
	}
	picture := figure.Figure{Name: "configuration", Title: c.String(), Board: c.table()}
	a := &puzzle.Answer{Moves: moves, Figures: []figure.Figure{picture}}
	a.Summary.Problem = understood(c.Bases(), board)
	a.Summary.AddText("position", c.String(), "the configuration")
	a.Summary.AddText("board", board.String(), "ring or line")
	a.Summary.AddNumber("distance", uint64(here), "moves to the goal, at best")
	a.Summary.Tables = []puzzle.Table{table}
	if here == 0 {
		a.Summary.Notes = append(a.Summary.Notes, "every token is at home")
	}
	return a, nil
}

// placed names a token in a base.
func placed(colour, base int) string { return fmt.Sprintf("%c in %d", symbols[colour], base) }

// table draws the configuration to be played: each token is a part.
func (c *Configuration) table() *figure.Board {
	b := &figure.Board{}
	drawBases(b, c.Bases())
	at := len(b.Cells)
	draw(b, c, 0, nil)
	for i := range c.Bases() {
		for _, t := range c.tokens[i] {
			if t != free {
				b.Parts = append(b.Parts, figure.Part{Name: placed(int(t), i), Title: b.Cells[at].Detail, Cells: []int{at}})
			}
			at++
		}
	}
	return b
}

var startQuestion = puzzle.Question{
	Name:  "start",
	Short: "draw a configuration at random",
	Long: `Draws a configuration of n bases, all of them equally likely: the free base, then the rank of a configuration in
which it is free. The same seed gives the same configuration.`,
	Examples: []string{"5 --seed 3"},
	Args:     []puzzle.Argument{{Name: "BASES", Doc: fmt.Sprintf("The number of bases, 2 to %d.", MaxBases)}},
	Flags:    []setting.Setting{puzzle.SeedFlag("it")},
	Answer:   answerStart,
}

func answerStart(_ context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	n, err := number("BASES", r.Args[0], 2, MaxBases)
	if err != nil {
		return nil, err
	}
	random := rand.New(puzzle.Draws(r.Flags))
	o, hole := newOrder(n), random.IntN(n)
	f := o.unrank(random.Uint64N(o.ranks()), hole)
	c := o.configuration(&f, hole)
	a := &puzzle.Answer{Text: c.String() + "\n"}
	a.Summary.AddText("position", c.String(), "the configuration")
	a.Summary.AddNumber("bases", uint64(n), "number of bases")
	return a, nil
}
