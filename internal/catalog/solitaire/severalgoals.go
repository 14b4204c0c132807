package solitaire

import (
	"context"
	"fmt"
	"strings"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/goals"
	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

// goalWords say how several goals are written.
const goalWords = "any, at-most-3, images(r0c2), a drawing with ?, dead, dead-at-least-20, fewest-pegs or most-pegs"

// goalsArgs are the arguments of a question that takes several goals.
var goalsArgs = []puzzle.Argument{problemArgs[0], {Name: argGoal,
	Doc:         "a position: center, r0c2 or hole 1 to n (that peg alone), a drawing, or hex; or several: " + goalWords,
	Completions: []string{"center", "any", "at-most-2", "dead", "fewest-pegs", "most-pegs"}}}

// goalsOn reads the start and the goals of a question.
func goalsOn(b *peg.Board, args []string) (start peg.Position, g peg.Goals, err error) {
	if start, err = peg.ParseStart(b, args[0]); err != nil {
		return 0, g, &setting.Error{Setting: argStart, Err: err}
	}
	if g, err = peg.ParseGoals(b, args[1]); err != nil {
		return 0, g, wrongGoal(argGoal, args[1], err)
	}
	if _, one := g.Only(); !one && start == 0 {
		return 0, g, &setting.Error{Setting: argStart, Err: noPeg(args[0])}
	}
	return start, g, nil
}

// noPeg is the error about an empty start, where a game is asked for.
func noPeg(text string) error {
	return fmt.Errorf("%w %q: there is no peg on the board", peg.ErrPosition, text)
}

// wrongGoal is an error about a goal that may be several. A text that begins with a letter may have been meant for the
// words of several.
func wrongGoal(name, text string, err error) error {
	e := &setting.Error{Setting: name, Err: err}
	if first := strings.ToLower(strings.TrimSpace(text)); first != "" && first[0] >= 'a' && first[0] <= 'z' {
		e.Hint = "several goals are " + goalWords
	}
	return e
}

// oneGoal is the goal of a question that takes one.
func oneGoal(b *peg.Board, text string) (peg.Position, error) {
	p, err := peg.ParseGoal(b, text)
	if err == nil {
		return p, nil
	}
	g, failed := peg.ParseGoals(b, text)
	if failed != nil {
		return 0, err
	}
	if p, ok := g.Only(); ok {
		return p, nil
	}
	return 0, fmt.Errorf("%w: %s is several goals, and this takes one position", peg.ErrPosition, g)
}

// severalAllowed refuses several goals where a run takes one.
func severalAllowed(c setting.Values, params *counting.Params) error {
	g, count := params.Goals, c.Text("count")
	for _, s := range []struct {
		refused bool
		what    string
	}{
		{count == countSweeps, "count: sweeps"}, {count == countChances, "count: chances"},
		{c.Bool("store_ways"), "store_ways"}, {c.Bool("reserve"), "reserve"},
	} {
		if s.refused {
			return &setting.Error{Setting: "goal", Err: fmt.Errorf("%s is several goals, and %s takes one position", g, s.what),
				Hint: "name one position, or write count: games, solutions or positions without it"}
		}
	}
	switch {
	case count != countGames && (g.Dead || g.Extreme != peg.NoExtreme):
		return &setting.Error{Setting: "goal", Hint: "write count: games",
			Err: fmt.Errorf("count: %s takes a list of positions, and %s is none before all games are known", count, g)}
	case g.Extreme == peg.NoExtreme && g.Fewest() >= params.Start.Pegs():
		return &setting.Error{Setting: "goal", Hint: "each jump takes one peg: a goal has fewer than the start",
			Err: fmt.Errorf("%s has no goal with fewer pegs than the start, which has %d", g, params.Start.Pegs())}
	}
	return nil
}

// mostWinnable is how many goals the winnable positions are found for.
const mostWinnable = 1 << 16

// winnableGoals lists several goals for count: positions, which goes back from all of them at once.
func winnableGoals(params *counting.Params) (list []peg.Position, err error) {
	for q := range params.Goals.Below(params.Start) {
		if list = append(list, q); q.Pegs() != list[0].Pegs() {
			return nil, &setting.Error{Setting: "goal", Hint: "state goals of one number of pegs, such as any",
				Err: fmt.Errorf("%s has goals of %d and of %s, and count: positions takes those of one number", params.Goals,
					list[0].Pegs(), plural.Of(q.Pegs(), "peg"))}
		}
		if len(list) > mostWinnable {
			return nil, &setting.Error{Setting: "goal", Hint: "state fewer",
				Err: fmt.Errorf("%s is more than %d goals", params.Goals, mostWinnable)}
		}
	}
	return list, nil
}

// addGoals adds several goals to a problem.
func addGoals(p *puzzle.Problem, g peg.Goals) {
	if goal, ok := g.Only(); ok {
		addGoal(p, g.Board, goal)
		return
	}
	s := puzzle.Summary{Facts: p.Facts}
	s.AddText("goal", g.String(), "where a solution ends: in any of several positions")
	text := saidGoals(g)
	if !g.Dead && g.Extreme == peg.NoExtreme {
		s.AddCount("goals", uint128.From(g.Number()), "how many positions these are")
		if g.Least == g.Most {
			s.AddNumber("goal_pegs", uint64(g.Least), "their pegs")
		}
		text += ", " + plural.Of(g.Number(), "goal")
	}
	p.Facts = s.Facts
	p.Add("goal", text)
}

// saidGoals is several goals in words.
func saidGoals(g peg.Goals) string {
	images, ok := strings.CutPrefix(g.String(), "images(")
	switch {
	case ok:
		return "an image of " + strings.TrimSuffix(images, ")")
	case g.Extreme == peg.MostPegs:
		return "the most pegs that a game leaves: a position without a jump, after the fewest jumps"
	case g.Extreme == peg.FewestPegs:
		return "the fewest pegs that a game leaves"
	case g.Dead && g.Least > 1:
		return fmt.Sprintf("a position without a jump that has at least %s", plural.Of(g.Least, "peg"))
	case g.Dead:
		return "a position without a jump"
	case g.Patterns[0].Fixed != 0:
		return g.String()
	case g.Most == 1:
		return "any single peg"
	}
	return "at most " + plural.Of(g.Most, "peg")
}

// understoodGoals is the problem of a question with several goals.
func understoodGoals(start peg.Position, g peg.Goals) puzzle.Problem {
	p := understoodBoard(g.Board)
	addStart(&p, g.Board, start)
	addGoals(&p, g)
	return p
}

// extremePegs is the part about the most or fewest pegs.
type extremePegs struct {
	Pegs   int  `json:"pegs"`   // that the game leaves
	Bound  int  `json:"bound"`  // every game leaves at most, or at least, so many
	Proved bool `json:"proved"` // these are equal
	// BoundCertificate proves the bound: null where it is trivial, or the proof is too large for a certificate.
	BoundCertificate *proofs.Certificate `json:"bound_certificate"`
}

// decided is the part of the answers of solve and feasible about several goals: where the game ends, and how many pegs
// are left.
func decided(g peg.Goals, r *goals.Result) (end string, e *extremePegs) {
	if r.Verdict == feasible.Feasible {
		end = peg.FormatLine(g.Board, r.End)
	}
	if x := r.Extreme; x != nil {
		e = &extremePegs{Pegs: x.Pegs, Bound: x.Bound, Proved: x.Proved(), BoundCertificate: x.Certificate}
	}
	return end, e
}

// said is the extreme in a sentence.
func (e *extremePegs) said(g peg.Goals) string {
	beyond, bound := "fewer", "at least "
	if g.Extreme == peg.MostPegs {
		beyond, bound = "more", "at most "
	}
	switch {
	case e.Proved:
		return fmt.Sprintf("%d; no game leaves %s", e.Pegs, beyond)
	case e.Pegs == 0:
		return "every game leaves " + bound + fmt.Sprint(e.Bound)
	}
	return fmt.Sprintf("%d; every game leaves %s%d", e.Pegs, bound, e.Bound)
}

// solveGoals answers solve for several goals.
func solveGoals(ctx context.Context, r puzzle.Request, start peg.Position, g peg.Goals) (*puzzle.Answer, error) {
	if r.Flags.Bool("fewest") {
		return nil, &setting.Error{Setting: "fewest", Hint: "name one position as GOAL",
			Err: fmt.Errorf("the fewest sweeps are to one goal, and %s is several", g)}
	}
	result, err := goals.Decide(ctx, start, g, goals.Options{Bytes: askedMemory(r)})
	if err != nil {
		return nil, err
	}
	b := g.Board
	end, extreme := decided(g, result)
	s := struct {
		solution
		End string `json:"end,omitempty"`
		*extremePegs
		Certificate *proofs.Certificate `json:"certificate"`
	}{solution{Verdict: result.Verdict, Criterion: result.Criterion, Start: peg.FormatLine(b, start), Goal: g.String(),
		Jumps: []string{}, Sweeps: []string{}}, end, extreme, result.Certificate}
	sum := puzzle.Summary{Problem: withoutJumps(understoodGoals(start, g))}
	if result.Verdict != feasible.Feasible {
		text := "unknown"
		if result.Verdict == feasible.Infeasible {
			text = "there is no solution: " + result.Criterion
		}
		if s.extremePegs != nil {
			text += ": " + s.said(g)
		}
		return &puzzle.Answer{Summary: sum, Decision: decisions[s.Verdict], Text: triedText(result.Tried) + text + "\n",
			Document: s, Figures: []figure.Figure{{Name: "start", Title: "start", Board: drawing(b, start)}}}, nil
	}
	sweeps, moves := peg.FormatSweeps(b, result.Jumps)
	s.Jumps, s.Moves = append(s.Jumps, strings.Fields(peg.FormatJumps(b, result.Jumps))...), moves
	s.Sweeps = append([]string{}, strings.Fields(sweeps)...)
	figures := gameFigures(b, start, result.Jumps)
	if r.Flags.Bool("moves") {
		sum.Problem.Lines = nil
		return &puzzle.Answer{Summary: sum, Text: sweeps + "\n", Document: s, Figures: figures}, nil
	}
	sum.AddText("jumps", strings.Join(s.Jumps, " "), "the jumps")
	sum.AddText("sweeps", sweeps+" ("+plural.Of(moves, "move")+")", "the moves, and how many")
	sum.AddText("end", s.End, "where they end")
	if s.extremePegs != nil {
		sum.AddText("pegs", s.said(g), "the pegs that are left, and whether more or fewer can be")
	}
	link := boardLink(peg.Problem{Board: b, Start: start, Goal: result.End}, start, result.Jumps)
	return &puzzle.Answer{Summary: sum, Link: link, Drawn: true, Document: s, Figures: figures}, nil
}

// feasibleGoals answers feasible for several goals. A proof that has no certificate is no verdict here.
func feasibleGoals(ctx context.Context, r puzzle.Request, start peg.Position, g peg.Goals) (*puzzle.Answer, error) {
	result, err := goals.Decide(ctx, start, g, goals.Options{Bytes: askedMemory(r)})
	if err != nil {
		return nil, err
	}
	v := feasible.Verdict{Verdict: result.Verdict, Criterion: result.Criterion, Certificate: result.Certificate,
		Tried: result.Tried}
	if v.Verdict == feasible.Infeasible && v.Certificate == nil {
		v.Tried = append(v.Tried, feasible.Attempt{Criterion: v.Criterion, Outcome: "forbids",
			Note: "no game, but too many positions for a certificate"})
		v.Verdict, v.Criterion = feasible.Unknown, ""
	}
	end, extreme := decided(g, result)
	doc := struct {
		feasible.Verdict
		End string `json:"end,omitempty"`
		*extremePegs
	}{v, end, extreme}
	a := &puzzle.Answer{Decision: decisions[v.Verdict], Document: doc, Drawn: true, Figures: []figure.Figure{
		{Name: "start", Title: "start", Board: drawing(g.Board, start)}}}
	a.Summary.Problem = understoodGoals(start, g)
	a.Text = triedText(v.Tried) + "verdict    " + v.Verdict + "\n"
	if v.Certificate != nil {
		a.Text += fmt.Sprintf("criterion  %s\nproof      %s\n", v.Criterion, v.Certificate.Proof.Kind)
		if v.Verdict == feasible.Feasible {
			a.Text += fmt.Sprintf("jumps      %s\nend        %s\n", strings.Join(v.Certificate.Proof.Jumps, " "), end)
			a.Figures = append(a.Figures, figure.Figure{Name: "end", Title: "end", Board: drawing(g.Board, result.End)})
		}
	}
	if extreme != nil {
		a.Text += "pegs       " + extreme.said(g) + "\n"
	}
	return a, nil
}

// checkedGoals is several goals of a certificate in words.
func checkedGoals(g *proofs.Goals) string {
	text := fmt.Sprintf("any of several positions: %d to %s", g.Least, plural.Of(g.Most, "peg"))
	if g.Least == g.Most {
		text = "any of several positions: " + plural.Of(g.Most, "peg")
	}
	if g.Dead {
		text += ", without a jump"
	}
	if len(g.Patterns) > 0 {
		text += ", " + strings.Join(g.Patterns, " or ")
	}
	return text
}
