package proofs

import (
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/peg"
)

// MaxGoals bounds the positions that the check of a proof for each goal looks at.
const MaxGoals = 1 << 20

// Goals is a set of positions: those that fit a pattern and have Least to Most pegs. A claim about it is one about
// games that end in any of them.
type Goals struct {
	// Patterns are drawings in which ? is a hole with or without a peg. No pattern stands for all positions.
	Patterns []string `json:"patterns,omitempty"`
	Least    int      `json:"least"`
	Most     int      `json:"most"`
	// Dead leaves the positions on which no jump is legal.
	Dead bool `json:"dead,omitempty"`
}

// A GoalProof proves that no game leads to Goal and its images, or to any goal that it is a proof for, where Goal is
// empty.
type GoalProof struct {
	Goal  string `json:"goal,omitempty"`
	Proof Proof  `json:"proof"`
}

// A goalSet is a set of goals that was read.
type goalSet struct {
	*Goals
	board    *peg.Board
	patterns [][2]peg.Position // holes with a peg, and holes that may have one
}

// readTarget reads the goals of a certificate.
func (c *Certificate) readTarget(b *peg.Layout) (target, error) {
	if c.Goals == nil {
		goal, err := readSet(b, "goal", c.Goal)
		return oneGoal(goal), err
	}
	t := target{least: c.Goals.Least, most: c.Goals.Most, dead: c.Goals.Dead, several: true}
	if c.Goal != "" {
		return t, fmt.Errorf("%w: it has a goal and goals: one of them must be absent", ErrForm)
	}
	for _, text := range c.Goals.Patterns {
		pegs, err := readSet(b, "goals", strings.ReplaceAll(text, "?", "."))
		if err != nil {
			return t, err
		}
		most, err := readSet(b, "goals", strings.ReplaceAll(text, "?", "o"))
		if err != nil {
			return t, err
		}
		t.patterns = append(t.patterns, pattern{pegs, most.Less(pegs)})
	}
	if t.patterns == nil {
		t.patterns = []pattern{{free: b.All()}}
	}
	return t, nil
}

// goalSet is a target on a board of at most [peg.MaxHoles] holes.
func (c *Certificate) goalSet(b *peg.Board, t *target) *goalSet {
	s := &goalSet{Goals: c.Goals, board: b}
	for _, p := range t.patterns {
		s.patterns = append(s.patterns, [2]peg.Position{peg.Position(p.pegs[0]), peg.Position(p.free[0])})
	}
	return s
}

func (s *goalSet) has(p peg.Position) bool {
	if n := p.Pegs(); n < s.Least || n > s.Most || s.Dead && slices.ContainsFunc(s.board.Jumps, func(j peg.Jump) bool {
		return p.Has(int(j.From)) && p.Has(int(j.Over)) && !p.Has(int(j.To))
	}) {
		return false
	}
	return slices.ContainsFunc(s.patterns, func(q [2]peg.Position) bool { return p&^q[1] == q[0] })
}

// any reports whether every position fits a pattern.
func (s *goalSet) any() bool {
	return slices.ContainsFunc(s.patterns, func(q [2]peg.Position) bool { return q[1] == s.board.Full() })
}

// checkAll visits every position that Forward jumps or fewer lead to. None of them may be a goal, and none later: the
// last ones have no jump, or all goals have more pegs than the positions after them.
func (k *checker) checkAll() error {
	visited, n := 1, 0
	layer := map[peg.Position]bool{k.Start: true}
	for ; len(layer) > 0; n++ {
		for q := range layer {
			if k.goals.has(q) {
				return wrong("%d jumps lead to the goal %s", n, peg.FormatLine(k.Board, q))
			}
		}
		if n == k.proof.Forward && k.Start.Pegs()-n-1 < k.goals.Least {
			break
		}
		if n > k.proof.Forward {
			return wrong("%d jumps do not lead to all positions: there are others after them", k.proof.Forward)
		}
		next, err := k.layerAfter(layer, visited)
		if err != nil {
			return err
		}
		visited, layer = visited+len(next), next
	}
	if visited != k.proof.Positions {
		return wrong("%d positions can be reached, the certificate says %d", visited, k.proof.Positions)
	}
	return nil
}

// layerAfter returns the positions after one jump more, as far as the checker goes.
func (k *checker) layerAfter(layer map[peg.Position]bool, visited int) (map[peg.Position]bool, error) {
	next := map[peg.Position]bool{}
	for q := range layer {
		for _, j := range k.Board.Jumps {
			if q.Has(int(j.From)) && q.Has(int(j.Over)) && !q.Has(int(j.To)) {
				next[q&^(1<<j.From)&^(1<<j.Over)|1<<j.To] = true
			}
		}
		if visited+len(next) > k.positions {
			return nil, wrong("more than %d positions can be reached: this checker does not go on", k.positions)
		}
	}
	return next, k.ctx.Err()
}
