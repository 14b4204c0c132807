package solitaire

import (
	"pagoda/internal/catalog/solitaire/survey"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
)

const (
	ruleOfJumps = "A peg jumps in a straight line over a neighbour into the empty hole behind it, and the neighbour is " +
		"removed. "
	ruleOfDrawn = "A peg jumps over another one into an empty hole, by the jumps of the board's rule, and that one is " +
		"removed. "
)

// subject describes a run in words, with boards of its start and goal.
func subject(c setting.Values) (s puzzle.Subject, err error) {
	b, err := namedOrDrawn(c)
	if err != nil {
		return s, err
	}
	s = puzzle.Subject{Puzzle: "Peg solitaire", Board: boardInWords(b), Definition: ruleOfJumps}
	if b.Rule != "" {
		s.Definition = ruleOfDrawn
	}
	ends, err := endsOf(c, b)
	if err == nil && ends != "" {
		s.Figures, err = endFigures(c, b)
	}
	if err != nil {
		return s, err
	}
	question, counted := questionOf(c, ends)
	s.Question = question
	s.Definition += counted
	return s, nil
}

// boardInWords is a board and its size: its name, or its drawing where it has no name but that of the run.
func boardInWords(b *peg.Board) string {
	name := b.Name
	if b.SameAs() != b.Name {
		name = "drawn board " + b.FullLine()
		if b.Lattice == peg.Triangular {
			name += " on the triangular lattice"
		}
		if b.Rule != "" {
			name += ", with jumps of its own"
		}
	}
	return name + ", " + plural.Of(b.Size(), "hole")
}

// endsOf is start and goal in a few words: from 44 to 44.
func endsOf(c setting.Values, b *peg.Board) (string, error) {
	if count := c.Text("count"); count == countSequences || count == countByPegs || count == countSurvey ||
		c.Text("pairs") == pairsAll {
		return "", nil
	}
	p, err := settingsProblem(c)
	if err != nil || p.Title != "" {
		return p.Title, err
	}
	start, err := peg.ParseStart(b, c.Text("start"))
	return "from " + startInWords(b, start), err
}

// endFigures are the start, and the goal where there is one.
func endFigures(c setting.Values, b *peg.Board) ([]figure.Figure, error) {
	start, err := peg.ParseStart(b, c.Text("start"))
	if err != nil {
		return nil, err
	}
	list := []figure.Figure{{Name: "start", Title: "start", Board: drawing(b, start)}}
	if text := c.Text("goal"); text != "" {
		goals, err := peg.ParseGoals(b, text)
		if err != nil {
			return nil, err
		}
		if goal, ok := goals.Only(); ok {
			list = append(list, figure.Figure{Name: "goal", Title: "goal", Board: drawing(b, goal)})
		}
	}
	return list, nil
}

// questionOf names the numbers of a run in a few words, and explains them in a sentence.
func questionOf(c setting.Values, ends string) (question, counted string) {
	pairs := "for every pair of a start with one empty hole and a goal of one peg"
	switch count := c.Text("count"); {
	case count == countGames && c.Text("goal") != "":
		return "games and solutions " + ends, "Counted are all sequences of jumps from the start: the games that end where " +
			"no peg can jump, the solutions that reach the goal, and what they pass after each number of jumps."
	case count == countGames:
		return "games " + ends, "Counted are all sequences of jumps from the start: the games that end where no peg can " +
			"jump, and what they pass after each number of jumps."
	case count == countSolutions && c.Text("pairs") == pairsAll:
		return "solutions of all pairs of a vacancy and a last peg",
			"Counted are, " + pairs + ", the sequences of jumps from the one to the other."
	case count == countSolutions && c.Bool("reserve"):
		return "solutions " + ends + " with one peg in reserve", "Counted are the sequences of jumps from the start to the " +
			"goal, in which the peg taken first is put back into its hole once, at any moment when that is empty."
	case count == countSolutions && c.Bool("store_ways"):
		return "solutions " + ends + ", with the ways through every position", "Counted are the sequences of jumps from " +
			"the start to the goal, and the positions that lie on them."
	case count == countSolutions:
		return "solutions " + ends, "Counted are the sequences of jumps from the start to the goal."
	case count == countPositions && c.Text("only") == onlyWinnable:
		return "winnable positions " + ends, "Counted are the positions that jumps from the start lead to and from which " +
			"jumps lead to the goal, after each number of jumps."
	case count == countPositions:
		return "positions " + ends, "Counted are the positions that jumps from the start lead to, after each number of jumps."
	case count == countSequences:
		return "all jump sequences", "Counted are the sequences of one or more jumps from any position to any other."
	case count == countByPegs:
		return "all jump sequences, by the pegs at their end",
			"Counted are the sequences of one or more jumps from any position to any other, by the pegs at their end."
	case count == countSweeps:
		return "solutions " + ends + " by their sweeps", "Counted are the sequences of jumps from the start to the goal, " +
			"by their number of sweeps: jumps that one peg makes one after the other."
	case count == countChances:
		return "chances of random jumps " + ends, "Computed are the chances of each ending when every jump is drawn at " +
			"random, all that are possible alike."
	case c.Text("pairs") == string(survey.OnePeg):
		return "criteria for every position and a last peg", "Counted are, of all pairs of a position and a goal of one " +
			"peg, those with a game, those without, and those that each criterion proves to have none."
	case c.Text("pairs") == string(survey.Positions):
		return "criteria for all pairs of positions", "Counted are, of all pairs of positions, those with a game, those " +
			"without, and those that each criterion proves to have none."
	}
	return "criteria for all pairs of a vacancy and a last peg", "Counted are, " + pairs + ", those with a game, those " +
		"without, and those that each criterion proves to have none."
}
