package proofs

import (
	"fmt"
	"math/bits"
	"slices"

	"pagoda/internal/peg"
)

// checkEach: every goal with fewer pegs than the start has a proof. A proof that names a goal is one for its images
// under the symmetries that fix the start, too. A proof that names none is one for every goal with an image for which
// it holds. Of all positions of at most Most pegs, those of exactly so many do: a game to fewer goes through one.
func (k *checker) checkEach() error {
	if k.goals.has(k.Start) {
		return wrong("the start is a goal: no jump is needed")
	}
	e := &eachCheck{checker: k, own: map[peg.Position][]goalProof{}, proved: map[peg.Position]bool{}, left: k.positions,
		fixing: peg.Stabiliser(k.Board.Symmetries(), k.Start)}
	for i := range k.proof.Each {
		if err := e.read(&k.proof.Each[i]); err != nil {
			return err
		}
	}
	e.fewest = max(k.goals.Least, 1)
	if k.goals.any() && !k.goals.Dead && k.Start.Pegs() > k.goals.Most {
		e.fewest = k.goals.Most
	}
	for _, q := range k.goals.patterns {
		if err := k.fill(q[0], q[1], e.prove); err != nil {
			return err
		}
	}
	return nil
}

// An eachCheck is the check of a proof for each goal.
type eachCheck struct {
	*checker
	fixing []peg.Perm                   // symmetries that keep the start
	own    map[peg.Position][]goalProof // by the least image of their goal
	shared []*Proof                     // without a goal
	proved map[peg.Position]bool        // by least image
	fewest int                          // pegs of a goal that needs a proof
	left   int                          // positions to visit, at most
	looked int                          // positions, goals or not
}

type goalProof struct {
	goal  peg.Position
	proof *Proof
}

func (e *eachCheck) read(g *GoalProof) error {
	if g.Proof.Kind == Each || g.Proof.Kind == All {
		return fmt.Errorf("%w: a proof for one goal cannot be of kind %q", ErrForm, g.Proof.Kind)
	}
	if g.Goal == "" {
		e.shared = append(e.shared, &g.Proof)
		return nil
	}
	set, err := readSet(e.board, "each", g.Goal)
	if err != nil {
		return err
	}
	goal := peg.Position(set[0])
	least, _ := peg.Canonical(e.fixing, goal)
	e.own[least] = append(e.own[least], goalProof{goal, &g.Proof})
	return nil
}

// prove finds the proof for p, where p is a goal that needs one.
func (e *eachCheck) prove(p peg.Position) error {
	if e.looked++; e.looked > MaxGoals {
		return wrong("more than %d positions are goals, or have fewer pegs: this checker does not go on", MaxGoals)
	}
	if p.Pegs() < e.fewest || p.Pegs() >= e.Start.Pegs() || !e.goals.has(p) {
		return nil
	}
	least, _ := peg.Canonical(e.fixing, p)
	if e.proved[least] {
		return nil
	}
	e.proved[least] = true
	failed := wrong("it has no proof")
	for _, o := range e.own[least] {
		if failed = e.try(o.goal, o.proof); failed == nil {
			return nil
		}
	}
	for _, proof := range e.shared {
		for _, image := range e.images(least) {
			if failed = e.try(image, proof); failed == nil {
				return nil
			}
		}
	}
	return fmt.Errorf("goal %s: %w", peg.FormatLine(e.Board, least), failed)
}

// images lists the different images of p.
func (e *eachCheck) images(p peg.Position) []peg.Position {
	list := []peg.Position{p}
	for _, g := range e.fixing {
		if q := g.Apply(p); !slices.Contains(list, q) {
			list = append(list, q)
		}
	}
	return list
}

// try checks a proof for one goal. A search visits as many positions as it says, and these are spent, whether it proves
// anything or not.
func (e *eachCheck) try(goal peg.Position, proof *Proof) error {
	if err := e.ctx.Err(); err != nil {
		return err
	}
	one := *e.checker
	one.Goal, one.target, one.goals, one.proof = goal, oneGoal(goal.Set()), nil, proof
	if proof.Kind == Search {
		one.positions = max(0, min(e.left, proof.Positions))
		e.left -= one.positions
	}
	check, err := one.checkOf(Infeasible, proof.Kind)
	if err == nil {
		err = check()
	}
	return err
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
