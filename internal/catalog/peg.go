package catalog

import (
	"errors"
	"fmt"
	"strings"

	"pagoda/internal/config"
	"pagoda/internal/counting"
	"pagoda/internal/counting/games"
	"pagoda/internal/counting/reserve"
	"pagoda/internal/counting/sequences"
	"pagoda/internal/counting/solutions"
	"pagoda/internal/counting/sweeps"
	"pagoda/internal/counting/ways"
	"pagoda/internal/partition"
	pegs "pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/reach"
)

var errUnknown = errors.New("no such puzzle")

// Values of the key "count".
const (
	countGames     = "games"
	countSolutions = "solutions"
	countPositions = "positions"
	countSequences = "sequences"
	countSweeps    = "sweeps"
)

const defaultStart = "center"

// Values of the key "pairs".
const (
	pairsOne = "one"
	pairsAll = "all"
)

var peg = Entry{
	Name: "peg",
	Keys: []config.Key{
		{Name: "board", Doc: "board by name: " + strings.Join(pegs.Names(), ", ") + "; or give a drawing"},
		{Name: "lattice", Doc: "lattice of the drawing: square, or triangular; empty: square, or that of the board",
			Validate: func(s string) error {
				if s == "" {
					return nil
				}
				_, err := pegs.ParseLattice(s)
				return err
			}},
		{Name: "drawing", Doc: "board as a drawing of several lines: . o or * is a hole, space or - is none"},
		{Name: "start", Default: defaultStart,
			Doc: "where the game starts: center or r0c2 (the full board without that peg), a drawing (o peg, . empty), or hex"},
		{Name: "goal",
			Doc: "where a solution ends: center or r0c2 (that peg alone), a drawing, or hex; empty: solutions are not counted"},
		{Name: "count", Kind: config.Choice, Default: countGames,
			Choices: []string{countGames, countSolutions, countPositions, countSequences, countSweeps},
			Doc: "the question: all games (with a goal the solutions among them), solutions only, positions only, " +
				"all jump sequences from anywhere to anywhere, or solutions by their number of sweeps"},
		{Name: "pairs", Kind: config.Choice, Default: pairsOne, Choices: []string{pairsOne, pairsAll},
			Doc: "with count: solutions: start and goal, or all pairs of vacancy and final peg that the rule of three allows"},
		{Name: "through", Kind: config.Boolean, Default: "false",
			Doc: "with count: solutions: keep for every position the solutions through it, for query, sample and show"},
		{Name: "reserve", Kind: config.Boolean, Default: "false",
			Doc: "with count: solutions: the peg taken first is put back into its hole once, at any moment when that is empty"},
	},
	Build: buildPeg,
}

func buildPeg(c *config.Config) (puzzle.Puzzle, error) {
	board, err := pegBoard(c)
	if err != nil {
		return nil, err
	}
	params := counting.Params{Board: board, WindowAddresses: c.Uint("window_addresses")}
	all, count := c.Text("pairs") == pairsAll, c.Text("count")
	if all && count != countSolutions {
		return nil, &config.KeyError{Key: "pairs", Err: fmt.Errorf("all pairs are a question about solutions, not %s", count),
			Hint: "add count: solutions"}
	}
	through, laidAside := c.Bool("through"), c.Bool("reserve")
	switch {
	case laidAside && count != countSolutions:
		return nil, &config.KeyError{Key: "reserve", Err: fmt.Errorf("it is a rule for counting solutions, not %s", count),
			Hint: "add count: solutions"}
	case laidAside && all:
		return nil, &config.KeyError{Key: "reserve", Err: errors.New("it needs one start and one goal, not all pairs"),
			Hint: "remove pairs: all, and write start and goal"}
	case laidAside && through:
		return nil, &config.KeyError{Key: "reserve", Err: errors.New("solutions through positions are not counted with it"),
			Hint: "remove one of the two"}
	case through && count != countSolutions:
		return nil, &config.KeyError{Key: "through", Err: fmt.Errorf("it is a part of counting solutions, not %s", count),
			Hint: "add count: solutions"}
	case through && all:
		return nil, &config.KeyError{Key: "through", Err: errors.New("it needs one start and one goal, not all pairs"),
			Hint: "remove pairs: all, and write start and goal"}
	case all:
		return cut(solutions.NewPairs(params))
	case count == countSequences:
		return buildSequences(c, params)
	}
	if err := pegProblem(c, &params); err != nil {
		return nil, err
	}
	switch count {
	case countSolutions:
		if !params.HasGoal {
			return nil, &config.KeyError{Key: "goal", Err: errors.New("counting solutions needs a goal"),
				Hint: "write goal: center, or pairs: all for every pair of a vacancy and a final peg"}
		}
		if through {
			return cut(ways.New(params))
		}
		if laidAside {
			return cut(reserve.New(params))
		}
		return cut(solutions.New(params))
	case countSweeps:
		if !params.HasGoal {
			return nil, &config.KeyError{Key: "goal", Err: errors.New("counting sweeps needs a goal"),
				Hint: "write goal: center"}
		}
		return cut(sweeps.New(params))
	case countPositions:
		return cut(reach.New(reach.Params{Board: board, Start: params.Start, Goal: params.Goal, HasGoal: params.HasGoal,
			WindowAddresses: params.WindowAddresses}))
	}
	return cut(games.New(params))
}

// buildSequences builds counting all sequences, which have no start and no goal. A data folder names the default start
// of its run like any other setting, so that one is no error.
func buildSequences(c *config.Config, params counting.Params) (puzzle.Puzzle, error) {
	for key, none := range map[string]string{"start": defaultStart, "goal": ""} {
		if c.Text(key) != none {
			return nil, &config.KeyError{Key: key, Err: errors.New("sequences lead from any position to any other"),
				Hint: "remove it, or ask for count: games or count: solutions"}
		}
	}
	return cut(sequences.New(params))
}

// pegProblem reads start and goal.
func pegProblem(c *config.Config, params *counting.Params) (err error) {
	board := params.Board
	if params.Start, err = pegs.ParseStart(board, c.Text("start")); err != nil {
		return &config.KeyError{Key: "start", Err: err}
	}
	text := c.Text("goal")
	if text == "" {
		return nil
	}
	params.HasGoal = true
	if params.Goal, err = pegs.ParseGoal(board, text); err != nil {
		return &config.KeyError{Key: "goal", Err: err}
	}
	if err := (pegs.Problem{Board: board, Start: params.Start, Goal: params.Goal}).Check(); err != nil {
		return &config.KeyError{Key: "goal", Err: err, Hint: "each jump takes one peg: the goal has fewer than the start"}
	}
	return nil
}

// cut says of a puzzle that could not be made which key is at fault.
func cut[P puzzle.Puzzle](p P, err error) (puzzle.Puzzle, error) {
	switch {
	case errors.Is(err, reserve.ErrVacancy):
		return nil, &config.KeyError{Key: "reserve", Err: err, Hint: "write start: center, or another single hole"}
	case errors.Is(err, counting.ErrWindowAddresses), errors.Is(err, reach.ErrWindowAddresses):
		return nil, &config.KeyError{Key: "window_addresses", Err: err, Hint: "0 leaves windows uncut"}
	case errors.Is(err, reach.ErrTooLarge), errors.Is(err, partition.ErrTooLarge):
		return nil, &config.KeyError{Key: "board", Err: err, Hint: "count: games may still do for a start with few pegs"}
	case err != nil:
		return nil, err
	}
	return p, nil
}

// pegBoard returns the board by name or as drawn.
func pegBoard(c *config.Config) (*pegs.Board, error) {
	name, drawing := c.Text("board"), c.Text("drawing")
	switch {
	case name != "" && drawing != "":
		return nil, &config.KeyError{Key: "board", Err: errors.New("both a board and a drawing are given"),
			Hint: "remove one of the two"}
	case drawing != "":
		lattice := pegs.Square
		if text := c.Text("lattice"); text != "" {
			var err error
			if lattice, err = pegs.ParseLattice(text); err != nil {
				return nil, &config.KeyError{Key: "lattice", Err: err}
			}
		}
		b, err := pegs.Draw(c.Text("name"), lattice, drawing)
		if err != nil {
			return nil, &config.KeyError{Key: "drawing", Err: err,
				Hint: ". o or * is a hole, space or - is none; at most 64 holes, and somewhere three in a row"}
		}
		return b, nil
	case name == "":
		return nil, &config.KeyError{Key: "board", Err: errors.New("no board is given"),
			Hint: "write board: english, or draw one with drawing: |"}
	}
	b, err := pegs.Named(name)
	if err != nil {
		e := &config.KeyError{Key: "board", Err: err, Hint: "name one of these boards, or draw one with drawing: |"}
		if near, ok := config.Nearest(name, pegs.Names()); ok {
			e.Hint = "did you mean " + near + "?"
		}
		return nil, e
	}
	if text := c.Text("lattice"); text != "" && text != b.Lattice.String() {
		return nil, &config.KeyError{Key: "lattice", Err: fmt.Errorf("board %s is on the %v lattice, not the %s one", name,
			b.Lattice, text), Hint: "remove it: a board by name has its own"}
	}
	return b, nil
}
