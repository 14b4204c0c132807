package solitaire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/catalog/solitaire/solve"
	"pagoda/internal/counting/ways"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

// argGame is the argument of play.
const argGame = "GAME"

// playMemory bounds the positions of each search for the rest of a game, in bytes.
const playMemory = 8 << 20

var playQuestion = puzzle.Question{
	Name:  "play",
	Short: "replay a game: its boards, sweeps, class, the jump that lost it, and the complementary game",
	Long: `Replay GAME, in any notation of docs/cli.md, from --start: its jumps, sweeps and boards, its class under the
symmetries that fix start and goal, and the complementary game, which plays the same jumps in reverse order from the
complement of the end. Parentheses stand around the hole that the peg has left and the one that it has reached.

A game is lost by a jump after which the goal cannot be reached any more: --goal, or any single peg. Which one it is, is
looked for by searches with bounded memory, and told where they decide it.

With --data, --config or --url, a run with count: solutions and store_ways: true, the board, start and goal are those of
the run, and a solution has its number.`,
	Examples: []string{
		"46x44 65x45 57x55",
		"'1. d6-d4 2. f5-d5 3. e7-e5' --goal center --output json",
		"4-1 6-4 --board triangle5 --start 1",
	},
	Args: []puzzle.Argument{{Name: argGame, Doc: "the jumps or sweeps of a game", Repeated: true}},
	Flags: append(slices.Clip(problemFlags),
		setting.Setting{Name: "start", Default: defaultStart, Doc: "position in which the game begins"},
		setting.Setting{Name: "goal", Doc: "goal of the problem; empty or any: any single peg"}),
	Needs:   puzzle.MayReadRows,
	Outputs: []puzzle.Output{puzzle.Pictures},
	Answer:  answerPlay,
}

// A replay is the answer of play.
type replay struct {
	Start     string   `json:"start"`
	Goal      string   `json:"goal,omitempty"`
	Position  string   `json:"position"` // at the end
	Jumps     []string `json:"jumps"`
	Sweeps    []string `json:"sweeps"`
	Moves     int      `json:"moves"`     // sweeps
	Positions []string `json:"positions"` // before the first jump, and after each
	Solution  bool     `json:"solution"`  // it ends in the goal
	// Number is the place of the game among the solutions of the run; nil without a run, or when it is no solution.
	Number *uint128.Uint128 `json:"number,omitempty"`
	Class  gameClass        `json:"class"`
	// Winnable is the most jumps of the game after which the goal is known to be within reach, and Lost the number of the
	// jump that lost the game: null where it is not lost, or where that is not known. Undecided says the latter.
	Winnable  *int `json:"winnable_after"`
	Lost      *int `json:"lost_by"`
	Undecided bool `json:"undecided"`
	// Complement is the complementary game.
	Complement complement `json:"complement"`
}

// A gameClass is the games that the symmetries that fix start and goal make of one. The first is the least by the
// places of its jumps among those of the board.
type gameClass struct {
	First []string `json:"first"`
	Games int      `json:"games"`
}

type complement struct {
	Start  string   `json:"start"`
	Goal   string   `json:"goal"`
	Jumps  []string `json:"jumps"`
	Sweeps []string `json:"sweeps"`
}

func answerPlay(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	p, run, jumps, err := askedGame(r)
	if err != nil {
		return nil, err
	}
	b := p.Board
	doc := replay{Start: peg.FormatLine(b, p.Start), Jumps: strings.Fields(peg.FormatJumps(b, jumps)),
		Class: classOf(p, jumps)}
	positions := []peg.Position{p.Start}
	for _, j := range jumps {
		positions = append(positions, j.Play(positions[len(positions)-1]))
	}
	for _, q := range positions {
		doc.Positions = append(doc.Positions, peg.FormatLine(b, q))
	}
	end := positions[len(positions)-1]
	doc.Position = peg.FormatLine(b, end)
	doc.Sweeps, doc.Moves = sweepList(b, jumps)
	if p.Goal != 0 {
		doc.Goal = peg.FormatLine(b, p.Goal)
	}
	doc.Solution = reachedGoal(p.Goal, end)
	if err := doc.judge(ctx, p, positions); err != nil {
		return nil, err
	}
	back := slices.Clone(jumps)
	slices.Reverse(back)
	doc.Complement = complement{Start: peg.FormatLine(b, b.Complement(end)),
		Goal: peg.FormatLine(b, b.Complement(p.Start)), Jumps: strings.Fields(peg.FormatJumps(b, back))}
	doc.Complement.Sweeps, _ = sweepList(b, back)
	if run != nil && doc.Solution {
		n, err := run.Listing(r.Run.Rows).Number(ctx, jumps)
		if err != nil {
			return nil, err
		}
		doc.Number = &n
	}
	problem := withoutJumps(understoodBoard(b))
	addStart(&problem, b, p.Start)
	link := ""
	if p.Goal != 0 {
		addGoal(&problem, b, p.Goal)
		link = boardLink(p, p.Start, jumps)
	}
	return &puzzle.Answer{Summary: puzzle.Summary{Problem: problem}, Document: doc, Text: doc.text(), Link: link,
		Drawn: true, Figures: gameFigures(b, p.Start, jumps)}, nil
}

// askedGame reads a game and its problem, that of the run when there is one. A goal of 0 is any single peg.
func askedGame(r puzzle.Request) (p peg.Problem, run *ways.Puzzle, jumps []peg.Jump, err error) {
	if r.Run.Puzzle != nil {
		if run, err = runWithProblem(r, "start", "goal"); err != nil {
			return p, nil, nil, err
		}
		p = run.Problem()
	} else if p, err = gameProblem(r); err != nil {
		return p, nil, nil, err
	}
	if jumps, err = peg.ParseGame(p.Board, p.Start, strings.Join(r.Args, " ")); err != nil {
		err = &setting.Error{Setting: argGame, Err: err,
			Hint: "write the jumps from the first on; --start is the position before it"}
	}
	return p, run, jumps, err
}

// gameProblem reads the problem of a game without a run.
func gameProblem(r puzzle.Request) (p peg.Problem, err error) {
	if p.Board, err = askedBoard(r.Flags); err != nil {
		return p, err
	}
	if p.Start, err = peg.ParseStart(p.Board, r.Flags.Text("start")); err != nil {
		return p, &setting.Error{Setting: "start", Err: err}
	}
	text := r.Flags.Text("goal")
	if g, err := peg.ParseGoals(p.Board, text); err == nil && g.ByPegs() && g.Most == 1 {
		return p, nil // any single peg, as without a goal
	}
	p.Goal, err = readGoal(p.Board, text)
	return p, err
}

// sweepList are the sweeps of a game.
func sweepList(b *peg.Board, jumps []peg.Jump) (list []string, moves int) {
	text, moves := peg.FormatSweeps(b, jumps)
	return strings.Fields(text), moves
}

// reachedGoal reports whether q is the goal, or where that is 0 any single peg.
func reachedGoal(goal, q peg.Position) bool { return q == goal || goal == 0 && q.Pegs() == 1 }

// judge finds the jump that lost the game. A position after a lost one is lost, so it halves.
func (doc *replay) judge(ctx context.Context, p peg.Problem, positions []peg.Position) error {
	winnable, lost := -1, len(positions)
	if doc.Solution {
		winnable = len(positions) - 1
	}
	for low, high := winnable+1, len(positions); low < high; {
		at := (low + high) / 2
		won, err := canWin(ctx, peg.Problem{Board: p.Board, Start: positions[at], Goal: p.Goal})
		switch {
		case errors.Is(err, solve.ErrGaveUp):
			low = at + 1 // the positions behind have fewer pegs, and may be decided
		case err != nil:
			return err
		case won:
			winnable, low = at, at+1
		default:
			lost, high = at, at
		}
	}
	doc.Undecided = lost != winnable+1
	if winnable >= 0 {
		doc.Winnable = &winnable
	}
	if !doc.Undecided && lost < len(positions) {
		doc.Lost = &lost
	}
	return nil
}

// canWin reports whether a game leads to the goal, or to any single peg. The error wraps solve.ErrGaveUp where a
// search decides nothing.
func canWin(ctx context.Context, p peg.Problem) (bool, error) {
	goals := []peg.Position{p.Goal}
	if p.Goal == 0 {
		goals = nil
		for h := range p.Board.Holes {
			goals = append(goals, 1<<h)
		}
	}
	var open error
	for _, goal := range goals {
		p.Goal = goal
		result, err := solve.Solve(ctx, p, solve.Options{Bytes: playMemory})
		switch {
		case errors.Is(err, solve.ErrGaveUp):
			open = err
		case err != nil:
			return false, err
		case result.Solvable:
			return true, nil
		}
	}
	return false, open
}

// classOf is the class of a game.
func classOf(p peg.Problem, jumps []peg.Jump) gameClass {
	b := p.Board
	place := jumpPlaces(b)
	var games [][]int
	for _, g := range p.Symmetries() {
		game := make([]int, 0, len(jumps))
		for _, j := range jumps {
			game = append(game, place[g.Jump(j)])
		}
		games = append(games, game)
	}
	slices.SortFunc(games, slices.Compare[[]int])
	games = slices.CompactFunc(games, slices.Equal[[]int])
	class := gameClass{First: []string{}, Games: len(games)}
	for _, i := range games[0] {
		class.First = append(class.First, peg.FormatJump(b, b.Jumps[i]))
	}
	return class
}

func (doc *replay) text() string {
	var text strings.Builder
	line := func(name, value string) { fmt.Fprintf(&text, "%-12s%s\n", name, value) }
	line("jumps", fmt.Sprintf("%d: %s", len(doc.Jumps), strings.Join(doc.Jumps, " ")))
	line("sweeps", fmt.Sprintf("%d: %s", doc.Moves, strings.Join(doc.Sweeps, " ")))
	line("end", doc.Position)
	if doc.Number != nil {
		line("number", doc.Number.String()+" of the solutions of the run")
	}
	line("class", plural.Of(doc.Class.Games, "game")+", the first "+strings.Join(doc.Class.First, " "))
	goal := "the goal"
	if doc.Goal == "" {
		goal = "a single peg"
	}
	switch {
	case doc.Solution:
		line("solution", "it ends in "+goal)
	case doc.Lost != nil && *doc.Lost == 0:
		line("lost", "from the start: no game leads to "+goal)
	case doc.Lost != nil:
		line("lost", fmt.Sprintf("by jump %d, %s: before it games lead to %s, and after it none", *doc.Lost,
			doc.Jumps[*doc.Lost-1], goal))
	case !doc.Undecided:
		line("winnable", "games lead from the end to "+goal)
	case doc.Winnable != nil:
		line("undecided", fmt.Sprintf("games lead to %s after %s, and what is lost later is not known", goal,
			plural.Of(*doc.Winnable, "jump")))
	default:
		line("undecided", "whether a game leads to "+goal)
	}
	line("complement", strings.Join(doc.Complement.Jumps, " ")+", from "+doc.Complement.Start)
	return text.String()
}
