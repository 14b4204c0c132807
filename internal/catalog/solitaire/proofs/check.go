package proofs

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"pagoda/internal/peg"
)

// Check verifies c. It returns nil when the proof proves the claim. The error wraps ErrForm when the certificate cannot
// be read. It wraps ErrProof, and names the fault, when a readable certificate proves nothing.
//
// The work is bounded: at most [MaxPositions] positions, [MaxWalk] states and [MaxNodes] nodes are visited.
func (c *Certificate) Check() error { return c.CheckWithin(context.Background(), 0) }

// CheckWithin is Check with a smaller bound on the positions and states that are visited, each of which takes some 64
// bytes of memory; 0 stands for those of Check. The error is that of ctx when it ends first.
func (c *Certificate) CheckWithin(ctx context.Context, positions int) error {
	l, err := c.read()
	if err != nil {
		return err
	}
	l.ctx, l.proof, l.bounds = ctx, &c.Proof, c.Bounds
	l.nameJumps()
	if c.Claim != OutOfBounds && c.Bounds != nil {
		return fmt.Errorf("%w: bounds belong to the claim %q, and not to %.40q", ErrForm, OutOfBounds, c.Claim)
	}
	find := l.checkOf
	if board, ok := l.board.Small(); ok {
		k := checker{linear: *l, Problem: peg.Problem{Board: board, Start: peg.Position(l.start[0])},
			positions: MaxPositions, states: MaxWalk}
		if c.Goals == nil {
			k.Goal = peg.Position(l.target.patterns[0].pegs[0])
		} else {
			k.goals = c.goalSet(board, &l.target)
		}
		if positions > 0 {
			k.positions, k.states = min(k.positions, positions), min(k.states, positions)
		}
		find = k.checkOf
	}
	check, err := find(c.Claim, c.Proof.Kind)
	if err != nil {
		return err
	}
	return check()
}

// End returns the position that the game of the proof ends in, drawn in one line. The error wraps ErrForm when the
// certificate cannot be read, and ErrProof when a jump cannot be played.
func (c *Certificate) End() (string, error) {
	l, err := c.read()
	if err != nil {
		return "", err
	}
	l.proof = &c.Proof
	l.nameJumps()
	at, err := l.play()
	return l.board.Line(&at), err
}

func (l *linear) nameJumps() {
	l.jumps = map[string]int{}
	for i, j := range l.board.Jumps {
		l.jumps[peg.FormatJump(l.board, j)] = i
	}
}

// checkOf is the check of a kind of proof for a claim about one goal, or about several.
func (k *checker) checkOf(claim Claim, kind Kind) (func() error, error) {
	if claim == Infeasible {
		switch {
		case k.goals != nil && kind == All:
			return k.checkAll, nil
		case k.goals != nil && kind == Each:
			return k.checkEach, nil
		case k.goals == nil && kind == LastExit:
			return k.checkLastExit, nil
		case k.goals == nil && kind == Walk:
			return k.checkWalk, nil
		case k.goals == nil && kind == Search:
			return k.checkSearch, nil
		}
	}
	return k.linear.checkOf(claim, kind)
}

// A checker verifies one proof on a board of at most [peg.MaxHoles] holes.
type checker struct {
	linear
	peg.Problem
	goals *goalSet // of a claim about several goals

	positions, states int // that may be visited
}

// A linear checker verifies the proofs that look at no positions but start and goals, on a board of any size.
type linear struct {
	board  *peg.Layout
	start  peg.Set
	target target
	proof  *Proof
	bounds []Bound
	jumps  map[string]int // the number of each jump by its text

	ctx context.Context //nolint:containedctx // of one check
}

// A target is the goals of a claim.
type target struct {
	patterns    []pattern
	least, most int // pegs
	dead        bool
	several     bool // the claim is about several goals
}

// A pattern is the positions with pegs on all holes of pegs, perhaps on those of free, and on no others.
type pattern struct{ pegs, free peg.Set }

// oneGoal is the target of one position.
func oneGoal(goal peg.Set) target {
	return target{patterns: []pattern{{pegs: goal}}, most: peg.MaxLarge}
}

func (t *target) has(b *peg.Layout, s *peg.Set) bool {
	if n := s.Pegs(); n < t.least || n > t.most {
		return false
	}
	if t.dead {
		for _, j := range b.Jumps {
			if s.Has(int(j.From)) && s.Has(int(j.Over)) && !s.Has(int(j.To)) {
				return false
			}
		}
	}
	return slices.ContainsFunc(t.patterns, func(p pattern) bool { return s.Less(p.free) == p.pegs })
}

// checkOf is that of checker for a board of any size.
func (l *linear) checkOf(claim Claim, kind Kind) (func() error, error) {
	type form struct {
		claim Claim
		kind  Kind
	}
	checks := map[form]func() error{
		{Feasible, Game}:      l.checkGame,
		{Infeasible, Pegs}:    l.checkPegs,
		{Infeasible, NoJump}:  l.checkNoJump,
		{Infeasible, NoUndo}:  l.checkNoUndo,
		{Infeasible, Modular}: l.checkModular,
		{Infeasible, Pagoda}:  l.checkPagoda,
	}
	if !l.target.several {
		checks[form{Infeasible, Tree}] = l.checkTree
		checks[form{OutOfBounds, Tree}] = l.checkTree
		checks[form{InLattice, Combination}] = func() error { return l.checkCombination(true, true) }
		checks[form{InCone, Combination}] = func() error { return l.checkCombination(false, false) }
		checks[form{InIntegerCone, Combination}] = func() error { return l.checkCombination(true, false) }
	}
	check, ok := checks[form{claim, kind}]
	if !ok {
		return nil, fmt.Errorf("%w: no proof of kind %.40q shows the claim %.40q", ErrForm, kind, claim)
	}
	return check, nil
}

func wrong(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrProof, fmt.Sprintf(format, args...))
}

func (l *linear) jump(field, text string) (int, error) {
	i, ok := l.jumps[text]
	if !ok {
		return 0, fmt.Errorf("%w: %s: the board has no jump %.40q", ErrForm, field, text)
	}
	return i, nil
}

func (l *linear) checkGame() error {
	at, err := l.play()
	if err != nil {
		return err
	}
	switch {
	case l.target.has(l.board, &at):
		return nil
	case l.target.several:
		return wrong("the game ends at %s, which is none of the goals", l.board.Line(&at))
	}
	return wrong("the game ends at %s, not at the goal", l.board.Line(&at))
}

// play plays the jumps of the proof from the start.
func (l *linear) play() (at peg.Set, err error) {
	at = l.start
	for n, text := range l.proof.Jumps {
		i, err := l.jump("jumps", text)
		if err != nil {
			return at, err
		}
		from, over, to := l.holes(i)
		if !at.Has(from) || !at.Has(over) || at.Has(to) {
			return at, wrong("jump %d, %s, cannot be played", n+1, text)
		}
		at.Take(from)
		at.Take(over)
		at.Put(to)
	}
	return at, nil
}

// holes are those of a jump.
func (l *linear) holes(jump int) (from, over, to int) {
	j := l.board.Jumps[jump]
	return int(j.From), int(j.Over), int(j.To)
}

// unequal is the condition of the trivial proofs: the game without a jump leads from a position to itself.
func (l *linear) unequal() error {
	switch {
	case !l.target.has(l.board, &l.start):
		return nil
	case l.target.several:
		return wrong("the start is a goal: no jump is needed")
	}
	return wrong("the goal is the start: no jump is needed")
}

func (l *linear) checkPegs() error {
	for _, p := range l.target.patterns {
		if max(p.pegs.Pegs(), l.target.least) < l.start.Pegs() {
			return wrong("the goal has fewer pegs than the start")
		}
	}
	return l.unequal()
}

func (l *linear) checkNoJump() error {
	for i := range l.board.Jumps {
		if from, over, to := l.holes(i); l.start.Has(from) && l.start.Has(over) && !l.start.Has(to) {
			return wrong("jump %s can be played on the start", peg.FormatJump(l.board, l.board.Jumps[i]))
		}
	}
	return l.unequal()
}

func (l *linear) checkNoUndo() error {
	for i := range l.board.Jumps {
		from, over, to := l.holes(i)
		for _, p := range l.target.patterns {
			if !p.pegs.Has(from) && !p.pegs.Has(over) && (p.pegs.Has(to) || p.free.Has(to)) {
				return wrong("jump %s can have led to the goal", peg.FormatJump(l.board, l.board.Jumps[i]))
			}
		}
	}
	return l.unequal()
}

// weights returns the weights as big integers, whose sums cannot overflow.
func (l *linear) weights(w []int64) ([]*big.Int, error) {
	if len(w) != l.board.Size() {
		return nil, fmt.Errorf("%w: %d weights for %d holes", ErrForm, len(w), l.board.Size())
	}
	exact := make([]*big.Int, len(w))
	for i, v := range w {
		exact[i] = big.NewInt(v)
	}
	return exact, nil
}

// effect is the change of the pegs' weight by jump j.
func effect(w []*big.Int, j peg.Jump) *big.Int {
	d := new(big.Int).Sub(w[j.To], w[j.From])
	return d.Sub(d, w[j.Over])
}

// gain is the weight of a goal of p less that of the start: of the lightest goal.
func (l *linear) gain(w []*big.Int, p pattern) *big.Int {
	sum := new(big.Int)
	for i, v := range w {
		if p.pegs.Has(i) || p.free.Has(i) && v.Sign() < 0 {
			sum.Add(sum, v)
		}
		if l.start.Has(i) {
			sum.Sub(sum, v)
		}
	}
	return sum
}

// checkModular: every jump changes the weight by a multiple of the modulus, and P'-P does not. With modulus 2 this is
// the rule of three. A vector is outside L exactly when there is such a proof. A hole that may have a peg or not weighs
// a multiple of the modulus.
func (l *linear) checkModular() error {
	w, err := l.weights(l.proof.Weights)
	if err != nil {
		return err
	}
	if l.proof.Modulus < 2 {
		return wrong("modulus %d: it must be at least 2", l.proof.Modulus)
	}
	m := big.NewInt(l.proof.Modulus)
	divides := func(v *big.Int) bool { return new(big.Int).Mod(v, m).Sign() == 0 }
	for _, j := range l.board.Jumps {
		if !divides(effect(w, j)) {
			return wrong("jump %s changes the weight by %v, no multiple of %v", peg.FormatJump(l.board, j), effect(w, j), m)
		}
	}
	for _, p := range l.target.patterns {
		var heavy []*big.Int // the weights of the goal without pegs on the free holes
		for i, v := range w {
			if p.free.Has(i) {
				if !divides(v) {
					return wrong("hole %s may have a peg or not, and weighs %v, no multiple of %v", l.board.Label(i), v, m)
				}
				v = new(big.Int)
			}
			heavy = append(heavy, v)
		}
		if d := l.gain(heavy, p); divides(d) {
			return wrong("from start to goal the weight changes by %v, a multiple of %v", d, m)
		}
	}
	return nil
}

// checkPagoda: no jump raises the weight, and the goal weighs more than the start.
func (l *linear) checkPagoda() error {
	w, err := l.pagoda(l.proof.Weights)
	if err != nil {
		return err
	}
	for _, p := range l.target.patterns {
		if d := l.gain(w, p); d.Sign() <= 0 {
			return wrong("the goal must weigh more than the start, but its weight less the start's is %v", d)
		}
	}
	return nil
}

// pagoda returns weights that no jump raises.
func (l *linear) pagoda(weights []int64) ([]*big.Int, error) {
	w, err := l.weights(weights)
	if err != nil {
		return nil, err
	}
	for _, j := range l.board.Jumps {
		if d := effect(w, j); d.Sign() > 0 {
			return nil, wrong("jump %s raises the weight by %v", peg.FormatJump(l.board, j), d)
		}
	}
	return w, nil
}
