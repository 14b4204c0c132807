package reach

import (
	"slices"

	"pagoda/internal/peg"
)

func (p *Params) hasGoals() bool { return p.HasGoal || p.Goals != nil }

// goals are the goal, or the several.
func (p *Params) goals() []peg.Position {
	if p.Goals != nil {
		return p.Goals
	}
	return []peg.Position{p.Goal}
}

func (p *Params) goalText() string {
	if p.Goals != nil {
		return p.GoalText
	}
	return peg.FormatLine(p.Board, p.Goal)
}

// jumps is the number of jumps to a goal.
func (p *Params) jumps() int { return p.Start.Pegs() - p.goals()[0].Pegs() }

// ends are the complements of the goals, without those that the rule of three forbids: no position that can be reached
// has their invariants. There are none when it is known that no goal can be reached, and reason says why.
func (p *Params) ends() (ends []peg.Position, reason string) {
	forbidden, same := 0, p.Board.SameInvariants(p.Start)
	for _, g := range p.goals() {
		why, no := peg.Problem{Board: p.Board, Start: p.Start, Goal: g}.Forbidden()
		if no {
			reason = why
			forbidden++
		}
		if same(g) {
			ends = append(ends, p.Board.Complement(g))
		}
	}
	switch {
	case forbidden < len(p.goals()):
		return ends, ""
	case p.Goals != nil:
		return nil, "a criterion forbids every goal"
	}
	return nil, reason
}

// keeping tells the symmetries that map a set to itself.
func keeping(set []peg.Position) func(peg.Perm) bool {
	in := map[peg.Position]bool{}
	for _, p := range set {
		in[p] = true
	}
	return func(g peg.Perm) bool {
		return !slices.ContainsFunc(set, func(p peg.Position) bool { return !in[g.Apply(p)] })
	}
}

// setStabiliser returns the elements of group that map a set to itself, in the order of group.
func setStabiliser(group []peg.Perm, set []peg.Position) (fix []peg.Perm) {
	keeps := keeping(set)
	for _, g := range group {
		if keeps(g) {
			fix = append(fix, g)
		}
	}
	return fix
}
