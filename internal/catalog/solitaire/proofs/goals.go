package proofs

import (
	"fmt"
	"math/bits"
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

// checkEach: every goal with fewer pegs than the start has a proof, which may be one for an image of it under a
// symmetry that fixes the start. Of all positions of at most Most pegs, those of exactly so many do: a game to fewer
// goes through one of them.
func (k *checker) checkEach() error {
	if k.goals.has(k.Start) {
		return wrong("the start is a goal: no jump is needed")
	}
	fixing := peg.Stabiliser(k.Board.Symmetries(), k.Start)
	least := func(p peg.Position) peg.Position {
		p, _ = peg.Canonical(fixing, p)
		return p
	}
	own, shared := map[peg.Position]*Proof{}, []*Proof(nil)
	for i := range k.proof.Each {
		e := &k.proof.Each[i]
		if e.Proof.Kind == Each || e.Proof.Kind == All {
			return fmt.Errorf("%w: a proof for one goal cannot be of kind %q", ErrForm, e.Proof.Kind)
		}
		if e.Goal == "" {
			shared = append(shared, &e.Proof)
			continue
		}
		p, err := readSet(k.board, "each", e.Goal)
		if err != nil {
			return err
		}
		own[least(peg.Position(p[0]))] = &e.Proof
	}
	fewest := max(k.goals.Least, 1)
	if k.goals.Patterns == nil && !k.goals.Dead && k.Start.Pegs() > k.goals.Most {
		fewest = k.goals.Most
	}
	proved := map[peg.Position]bool{}
	left, looked := k.positions, 0
	prove := func(p peg.Position) error {
		if looked++; looked > MaxGoals {
			return wrong("more than %d positions are goals, or have fewer pegs: this checker does not go on", MaxGoals)
		}
		if p.Pegs() < fewest || p.Pegs() >= k.Start.Pegs() || !k.goals.has(p) || proved[least(p)] {
			return nil
		}
		p = least(p)
		proved[p] = true
		list := shared
		if q, ok := own[p]; ok {
			list = []*Proof{q}
		}
		var failed error
		for _, q := range list {
			one := *k
			one.Goal, one.target, one.goals, one.proof, one.positions = p, oneGoal(p.Set()), nil, q, left
			check, err := one.checkOf(Infeasible, q.Kind)
			if err == nil {
				err = check()
			}
			if err == nil {
				if q.Kind == Search {
					left -= q.Positions
				}
				return nil
			}
			failed = err
		}
		if failed == nil {
			failed = wrong("it has no proof")
		}
		return fmt.Errorf("goal %s: %w", peg.FormatLine(k.Board, p), failed)
	}
	for _, q := range k.goals.patterns {
		if err := k.fill(q[0], q[1], prove); err != nil {
			return err
		}
	}
	return nil
}

// fill calls visit with p and with every position that has pegs more, in holes of free, up to the most of the goals.
func (k *checker) fill(p, free peg.Position, visit func(peg.Position) error) error {
	if err := k.ctx.Err(); err != nil {
		return err
	}
	if p.Pegs() > min(k.goals.Most, k.Start.Pegs()-1) {
		return nil
	}
	if err := visit(p); err != nil {
		return err
	}
	for ; free != 0; free &= free - 1 {
		i := bits.TrailingZeros64(uint64(free))
		if err := k.fill(p|1<<i, free&(free-1), visit); err != nil {
			return err
		}
	}
	return nil
}
