package solitaire

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"pagoda/internal/counting"
	"pagoda/internal/counting/chance"
	"pagoda/internal/counting/games"
	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/memrun"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

// Limits of chance without a run. A core looks at some eight to thirteen million addresses a second, for the chances
// and the number of games.
const (
	mostExact     = 1 << 16 // positions whose chances are fractions
	mostAddresses = 70_000_000
	chanceWindow  = 1 << 22 // addresses in a window
)

var chanceQuestion = puzzle.Question{
	Name:  "chance",
	Short: "say how likely random jumps end with one peg, at a goal, and with each number of pegs",
	Long: `Say how games from START end when every possible jump is equally likely at each position: the chance of one
peg, of each number of pegs, and of coming to GOAL. Each chance is an interval that is proven to contain it; digits are
printed as far as its ends agree, ten at most. Where games meet few positions, chances are fractions as well.

Beside the chances stand the numbers of games, each of which counts as one, and the shares of all positions with so many
pegs that games meet. --simulate plays games at random and shows what they ended with, and the standard error.

Without a run a board may have as many positions as the English one from the centre. Larger problems need a run with
count: chances. Name it with --data, --config or --url instead of START.`,
	Examples: []string{
		"center center",
		"a1 --board triangle5 --simulate 100000 --seed 1",
		"oo.o/ooo. --board oooo/oooo --output json",
		"--data runs/french-0123456789ab --output csv",
	},
	Args: []puzzle.Argument{{Name: argPosition, Doc: "start of the games, and perhaps a goal; none: those of the run",
		Optional: true, Repeated: true, Completions: []string{"center"}}},
	Flags: slices.Concat(problemFlags, []setting.Setting{
		{Name: "simulate", Kind: setting.Integer, Default: "0", Max: 1_000_000, Doc: "number of games to play at random"},
		puzzle.SeedFlag("the jumps of these games"),
	}),
	Needs:   puzzle.MayReadRows,
	Outputs: []puzzle.Output{puzzle.Tables},
	Answer:  answerChance,
}

// A chanceAnswer is what chance answers with.
type chanceAnswer struct {
	params counting.Params
	report chance.Report
	games  *chance.Count // nil where games were not counted
	played *chance.Played
}

func answerChance(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	var a chanceAnswer
	var err error
	if r.Run.Puzzle != nil {
		err = a.read(r)
	} else if a.params, err = askedChance(r); err == nil {
		err = a.compute(ctx, r.Memory)
	}
	if err != nil {
		return nil, err
	}
	if n := r.Flags.Uint("simulate"); n > 0 {
		s, err := chance.Simulate(ctx, a.params, n, puzzle.Draws(r.Flags))
		if err != nil {
			return nil, err
		}
		a.played = &s
	}
	return a.answer(r.Flags.Uint("seed")), nil
}

// askedChance reads the start, and the goal if there is one.
func askedChance(r puzzle.Request) (p counting.Params, err error) {
	if p.Board, err = askedBoard(r.Flags); err != nil {
		return p, err
	}
	wrong := func(err error, hint string) (counting.Params, error) {
		return p, &setting.Error{Setting: argPosition, Err: err, Hint: hint}
	}
	if n := len(r.Args); n != 1 && n != 2 {
		return wrong(fmt.Errorf("%s given, and games need a start, and have one goal at most", plural.Of(n, "position")),
			"give the start, and perhaps a goal, or name a run with --data")
	}
	if p.Start, err = peg.ParseStart(p.Board, r.Args[0]); err == nil && p.Start == 0 {
		err = noPeg(r.Args[0])
	}
	if err != nil {
		return wrong(err, "the first position is the start")
	}
	if len(r.Args) == 2 {
		p.HasGoal = true
		if p.Goal, err = oneGoal(p.Board, r.Args[1]); err == nil {
			err = peg.Problem{Board: p.Board, Start: p.Start, Goal: p.Goal}.Check()
		}
		if err != nil {
			return wrong(err, "the second position is the goal; the chances of one peg, and of each number, are in every answer")
		}
	}
	p.WindowAddresses = chanceWindow
	return p, nil
}

// read takes the chances from a run.
func (a *chanceAnswer) read(r puzzle.Request) (err error) {
	p, ok := r.Run.Puzzle.(*chance.Puzzle)
	if !ok {
		return &puzzle.NotAskedError{Reason: "it does not compute chances",
			Hint: "run its config with --set count=chances, in a new folder"}
	}
	if len(r.Args) > 0 {
		return &setting.Error{Setting: argPosition, Err: errors.New("the run has its own start and goal"),
			Hint: "remove it, or do not name a run"}
	}
	if err := runHas(r); err != nil {
		return err
	}
	a.params = p.Params()
	a.report, err = p.ReportOf(r.Run.Results)
	return err
}

// compute computes the chances: as fractions where there are few positions, by a run in memory elsewhere.
func (a *chanceAnswer) compute(ctx context.Context, memory int64) error {
	report, count, few, err := chance.Exact(ctx, a.params, mostExact)
	if few {
		a.report, a.games = report, &count
	}
	if few || err != nil {
		return err
	}
	p, err := chance.New(a.params)
	if err != nil {
		return a.tooLarge(err)
	}
	switch addresses, bytes := p.Size(); {
	case addresses > mostAddresses:
		return a.tooLarge(fmt.Errorf("%w: games may meet %d positions, which take %d MiB of memory; without a run %d may",
			errTooMany, addresses, bytes>>20, mostAddresses))
	case memory > 0 && bytes > uint64(memory):
		return &setting.Error{Setting: argPosition, Hint: "ask coordinator peg chance on the command line",
			Err: fmt.Errorf("%w: games may meet %d positions, which take %d MiB of memory, and this server has %d for an answer",
				errTooMany, addresses, bytes>>20, memory>>20)}
	}
	run, err := memrun.Tallies(ctx, p)
	if err != nil {
		return err
	}
	if a.report, err = p.ReportOf(run); err != nil {
		return err
	}
	return a.count(ctx)
}

// errTooMany is wrapped where chances are not computed without a run.
var errTooMany = errors.New("too many positions")

// tooLarge says how to compute chances that cannot be computed without a run.
func (a *chanceAnswer) tooLarge(err error) error {
	if !errors.Is(err, errTooMany) && !errors.Is(err, partition.ErrTooLarge) {
		return err
	}
	b := a.params.Board
	hint := fmt.Sprintf("coordinator run configs/english-chances.yaml %s --set start=%s --set goal=", boardSettings(b),
		peg.FormatLine(b, a.params.Start))
	if a.params.HasGoal {
		hint += peg.FormatLine(b, a.params.Goal)
	}
	return &setting.Error{Setting: argPosition, Err: err, Hint: hint}
}

// count counts the games by a run in memory.
func (a *chanceAnswer) count(ctx context.Context) error {
	p, err := games.New(a.params)
	if err != nil {
		return err
	}
	run, err := memrun.Tallies(ctx, p)
	if err != nil {
		return err
	}
	c := &chance.Count{ByPegs: map[int]uint128.Uint128{}}
	for n := range run.Layers() {
		t, _ := run.Layer(n)
		ends := t.Sum(counting.SumEnded)
		c.ByPegs[a.params.Start.Pegs()-n] = ends
		var ok bool
		if c.Games, ok = c.Games.Add(ends); !ok {
			return fmt.Errorf("games: %w", puzzle.ErrOverflow)
		}
		if a.params.HasGoal && n == a.params.Start.Pegs()-a.params.Goal.Pegs() {
			c.Solutions = t.Sum(counting.SumGoal)
		}
	}
	a.games = c
	return nil
}

// oneIn is a chance as 1 in N, in words.
func oneIn(i chance.Interval) string {
	if n := i.OneIn(); n != "" {
		return i.String() + ", 1 in " + n
	}
	return i.String()
}

// answer makes the answer of the chances.
func (a *chanceAnswer) answer(seed uint64) *puzzle.Answer {
	p := a.params
	problem := withoutJumps(understoodBoard(p.Board))
	addStart(&problem, p.Board, p.Start)
	if p.HasGoal {
		addGoal(&problem, p.Board, p.Goal)
	}
	sum := puzzle.Summary{Problem: problem}
	a.report.Facts(&sum, p.HasGoal)
	one := chance.Interval{}
	if l := a.report.Pegs(1); l != nil {
		one = l.Ended
	}
	text := "one peg: " + oneIn(one)
	if p.HasGoal {
		text += "; the goal: " + oneIn(a.report.Goal)
	}
	least, most := a.report.Sum.Ends()
	if least != most {
		least = "between " + least + " and " + most
	}
	how := "At each position every possible jump is equally likely. All chances together are " + least + "."
	if a.games != nil {
		how += " " + a.addGames(&sum)
	}
	if q := (peg.Problem{Board: p.Board, Start: p.Start, Goal: p.Goal}); p.HasGoal {
		if reason, forbidden := q.Forbidden(); forbidden {
			sum.Notes = append(sum.Notes, "no solution: "+reason)
			how += " No solution: " + reason + "."
		}
	}
	sections := []puzzle.Section{{Heading: "how games end", Text: how, Tables: []string{"endings"}}}
	sum.Tables = append(sum.Tables, a.layers(), a.endings())
	if a.played != nil {
		sum.AddNumber("simulated_games", a.played.Games, "games that were played at random")
		sum.AddText("seed", strconv.FormatUint(seed, 10), "what decides their jumps")
		sum.Tables = append(sum.Tables, a.simulated())
		played := fmt.Sprintf("%s, seed %d", plural.Of(a.played.Games, "game"), seed)
		if p.HasGoal {
			sum.AddNumber("simulated_goal", a.played.Goal, "those that came to the goal")
			share, deviation := a.played.Share(a.played.Goal, a.report.Goal)
			played += fmt.Sprintf("; to the goal: %d, a share of %.8f with a standard error of %.8f", a.played.Goal, share,
				deviation)
		}
		sections = append(sections, puzzle.Section{Heading: "games played at random", Text: played + ".",
			Tables: []string{"simulated"}})
	}
	return &puzzle.Answer{Summary: sum, Title: text, Sections: sections}
}

// addGames appends the numbers of games to a summary, and says them in words.
func (a *chanceAnswer) addGames(sum *puzzle.Summary) string {
	all, one := a.games.Games, a.games.ByPegs[1]
	said := func(n uint128.Uint128) string {
		if in := chance.Of(fraction(n, all)).OneIn(); in != "" {
			return fmt.Sprintf("%v, 1 in %s", n, in)
		}
		return n.String()
	}
	sum.AddCount("games", all, "jump sequences from the start that end in a position without a jump")
	sum.AddCount("games_one_peg", one, "those that end with one peg")
	text := fmt.Sprintf("Games, each counted as one: %v; with one peg: %s", all, said(one))
	if a.params.HasGoal {
		sum.AddCount("solutions", a.games.Solutions, "jump sequences from the start to the goal")
		text += "; to the goal: " + said(a.games.Solutions)
	}
	return text + "."
}

// fraction is a part of a whole; where there is no whole it is 0.
func fraction(part, whole uint128.Uint128) *big.Rat {
	if whole.IsZero() {
		return new(big.Rat)
	}
	return new(big.Rat).SetFrac(part.Big(), whole.Big())
}

// ofAll is the share of the positions with so many pegs that games meet.
func (a *chanceAnswer) ofAll(l *chance.Layer) puzzle.Value {
	all := new(big.Int).Binomial(int64(a.params.Board.Size()), int64(l.Pegs))
	return puzzle.Value{S: chance.Of(new(big.Rat).SetFrac(l.Positions.Big(), all)).String()}
}

// endings is the table of the numbers of pegs with which games end, fewest first.
func (a *chanceAnswer) endings() puzzle.Table {
	t := puzzle.Table{Name: "endings", Columns: []puzzle.Column{
		{Name: "pegs", Kind: puzzle.Number, Doc: "pegs at the end"},
		{Name: "chance", Kind: puzzle.Text, Doc: "chance that a game ends so"},
		{Name: "one_in", Kind: puzzle.Text, Doc: "the chance is about 1 in so many"},
		{Name: "positions", Kind: puzzle.Count, Bits: puzzle.Enumerated, Doc: "positions with so many pegs that games meet"},
		{Name: "of_positions", Kind: puzzle.Text, Doc: "their share of all positions with so many pegs"},
	}}
	if a.games != nil {
		t.Columns = append(t.Columns,
			puzzle.Column{Name: "of_games", Kind: puzzle.Text, Doc: "share of the games that end so, each counted as one"})
	}
	for _, l := range slices.Backward(a.report.Layers) {
		if l.Dead.IsZero() {
			continue
		}
		row := []puzzle.Value{counting.Number(l.Pegs), {S: l.Ended.String()}, {S: l.Ended.OneIn()}, {N: l.Positions},
			a.ofAll(&l)}
		if a.games != nil {
			row = append(row, puzzle.Value{S: chance.Of(fraction(a.games.ByPegs[l.Pegs], a.games.Games)).String()})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// layers is the table of all numbers of pegs that games come to.
func (a *chanceAnswer) layers() puzzle.Table {
	t := a.report.Table()
	t.Columns = append(t.Columns[:len(t.Columns):len(t.Columns)],
		puzzle.Column{Name: "of_positions", Kind: puzzle.Text,
			Doc: "share of all positions with so many pegs that games meet"})
	if a.games != nil {
		t.Columns = append(t.Columns, puzzle.Column{Name: "games_ended", Kind: puzzle.Count, Doc: "games that end here"})
	}
	for i := range t.Rows {
		l := &a.report.Layers[i]
		t.Rows[i] = append(t.Rows[i], a.ofAll(l))
		if a.games != nil {
			t.Rows[i] = append(t.Rows[i], puzzle.Value{N: a.games.ByPegs[l.Pegs]})
		}
	}
	return t
}

// simulated is the table of the games that were played, fewest pegs first.
func (a *chanceAnswer) simulated() puzzle.Table {
	t := puzzle.Table{Name: "simulated", Columns: []puzzle.Column{
		{Name: "pegs", Kind: puzzle.Number, Doc: "pegs at the end"},
		{Name: "games", Kind: puzzle.Number, Doc: "games played at random that ended so"},
		{Name: "share", Kind: puzzle.Text, Doc: "their share"},
		{Name: "error", Kind: puzzle.Text, Doc: "standard error of such shares, from the chance"},
		{Name: "chance", Kind: puzzle.Text, Doc: "chance that a game ends so"},
	}}
	for _, l := range slices.Backward(a.report.Layers) {
		if n := a.played.ByPegs[l.Pegs]; !l.Dead.IsZero() {
			share, deviation := a.played.Share(n, l.Ended)
			t.Rows = append(t.Rows, []puzzle.Value{counting.Number(l.Pegs), {N: uint128.From(n)},
				{S: strconv.FormatFloat(share, 'f', 8, 64)}, {S: strconv.FormatFloat(deviation, 'f', 8, 64)},
				{S: l.Ended.String()}})
		}
	}
	return t
}
