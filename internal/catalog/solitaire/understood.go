package solitaire

import (
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
)

// settingsProblem is the problem of a run.
func settingsProblem(c setting.Values) (puzzle.Problem, error) {
	b, err := namedOrDrawn(c)
	if err != nil {
		return puzzle.Problem{}, err
	}
	count := c.Text("count")
	p := understoodBoard(b)
	switch {
	case count == countSequences || count == countByPegs:
		p.Add("start", "any position")
		p.Add("goal", "any position")
		return p, nil
	case c.Text("pairs") == pairsAll:
		p.Title = "all pairs"
		p.Add("start", "the full board without one peg: every hole")
		p.Add("goal", "one peg: every hole")
		return p, nil
	case count == countSurvey:
		return p, nil
	}
	start, err := peg.ParseStart(b, c.Text("start"))
	if err != nil {
		return puzzle.Problem{}, err
	}
	addStart(&p, b, start)
	text := c.Text("goal")
	if text == "" {
		return p, nil
	}
	goals, err := peg.ParseGoals(b, text)
	if err != nil {
		return puzzle.Problem{}, err
	}
	addGoals(&p, goals)
	if goal, ok := goals.Only(); ok {
		p.Title = titled(b, start, goal)
	} else {
		p.Title = titledFrom(b, start, goals.String())
	}
	return p, nil
}

// understood is the problem of a question.
func understood(q peg.Problem) puzzle.Problem {
	p := understoodBoard(q.Board)
	addStart(&p, q.Board, q.Start)
	addGoal(&p, q.Board, q.Goal)
	return p
}

// withoutJumps is a problem for documents in which jumps are those of a game; board_jumps stays.
func withoutJumps(p puzzle.Problem) puzzle.Problem {
	p.Facts = slices.DeleteFunc(p.Facts, func(f puzzle.Fact) bool { return f.Name == "jumps" })
	return p
}

// understoodBoard is a board: its name when it has one, otherwise its drawing, with the numbers by which one that was
// misread is known.
func understoodBoard(g peg.Grid) (p puzzle.Problem) {
	b := g.Laid()
	var s puzzle.Summary
	s.AddText("board", b.Name, "name of the board")
	s.AddText("lattice", b.Lattice.String(), "square or triangular")
	name := b.Name
	if b.Rule != "" {
		s.AddText("rule", b.Rule, "how pegs jump")
		s.AddText("rule_jumps", ruleJumps(b), "all jumps: from, over, to")
	}
	if same := b.SameAs(); same != b.Name {
		drawing := b.FullLine()
		s.AddText("drawing", drawing, "the board as it was drawn")
		name += fmt.Sprintf(", %s on the %v lattice", drawing, b.Lattice)
		switch {
		case len(b.Rule) > longRule:
			name += " with a rule of its own"
		case b.Rule != "":
			name += peg.WithRule + b.Rule
		}
		if same != "" {
			name += ", which is the " + same + " board"
		}
	}
	triplets, symmetries := b.Triplets(), b.Turns()
	s.AddNumber("holes", uint64(b.Size()), "holes of the board")
	s.AddNumber("triplets", uint64(triplets), "three holes in a row between which pegs jump")
	s.AddNumber("board_jumps", uint64(len(b.Jumps)), "jumps of the board")
	s.AddNumber("jumps", uint64(len(b.Jumps)), "the same")
	s.AddNumber("symmetries", uint64(symmetries), "symmetries of the board")
	p.Facts = s.Facts
	p.Add("board", strings.Join([]string{name, plural.Of(b.Size(), "hole"), plural.Of(triplets, "triplet"),
		plural.Of(len(b.Jumps), "jump"), plural.Of(symmetries, "symmetry")}, ", "))
	return p
}

// longRule is how many characters of a rule stand in a line beside the board.
const longRule = 60

// ruleJumps lists the jumps of a board with a rule, by the labels of their holes.
func ruleJumps(b *peg.Layout) string {
	words := make([]string, len(b.Jumps))
	for i, j := range b.Jumps {
		words[i] = b.Label(int(j.From)) + ">" + b.Label(int(j.Over)) + ">" + b.Label(int(j.To))
	}
	return strings.Join(words, " ")
}

func addStart(p *puzzle.Problem, g peg.Grid, start peg.Pegs) {
	b := g.Laid()
	text := b.Line(start) + ", " + plural.Of(start.Pegs(), "peg")
	s := puzzle.Summary{Facts: p.Facts}
	s.AddText("start", b.Line(start), "where the game starts")
	s.AddNumber("start_pegs", uint64(start.Pegs()), "its pegs")
	if empty, ok := only(b, start, false); ok {
		hole := counting.Hole(b, empty)
		s.AddText("start_vacancy", hole.S, "the only empty hole, by row and column from 0")
		text += ", all but " + hole.Shown
	}
	p.Facts = s.Facts
	p.Add("start", text)
}

// only is the only hole with a peg, or without one.
func only(b *peg.Layout, p peg.Pegs, filled bool) (hole int, ok bool) {
	n := p.Pegs()
	if !filled {
		n = b.Size() - n
	}
	for n == 1 && p.Has(hole) != filled {
		hole++
	}
	return hole, n == 1
}

func addGoal(p *puzzle.Problem, g peg.Grid, goal peg.Pegs) {
	b := g.Laid()
	text := b.Line(goal) + ", " + plural.Of(goal.Pegs(), "peg")
	s := puzzle.Summary{Facts: p.Facts}
	s.AddText("goal", b.Line(goal), "where a solution ends")
	s.AddNumber("goal_pegs", uint64(goal.Pegs()), "its pegs")
	if i, ok := only(b, goal, true); ok {
		hole := counting.Hole(b, i)
		s.AddText("goal_peg", hole.S, "the hole of its only peg, by row and column from 0")
		text += ", " + hole.Shown
	}
	p.Facts = s.Facts
	p.Add("goal", text)
}
