package proofs

import (
	"context"
	"fmt"
	"math/big"

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
	p, err := c.Problem()
	if err != nil {
		return err
	}
	k := checker{Problem: p, proof: &c.Proof, bounds: c.Bounds, jumps: map[string]int{}, ctx: ctx,
		positions: MaxPositions, states: MaxWalk}
	if positions > 0 {
		k.positions, k.states = min(k.positions, positions), min(k.states, positions)
	}
	for i, j := range p.Board.Jumps {
		k.jumps[peg.FormatJump(p.Board, j)] = i
	}
	if c.Claim != OutOfBounds && c.Bounds != nil {
		return fmt.Errorf("%w: bounds belong to the claim %q, and not to %.40q", ErrForm, OutOfBounds, c.Claim)
	}
	if c.Goals != nil {
		if k.goals, err = c.goalSet(p.Board); err != nil {
			return err
		}
	}
	check, err := k.checkOf(c.Claim, c.Proof.Kind)
	if err != nil {
		return err
	}
	return check()
}

// checkOf is the check of a kind of proof for a claim about one goal, or about several.
func (k *checker) checkOf(claim Claim, kind Kind) (func() error, error) {
	type form struct {
		claim Claim
		kind  Kind
	}
	checks := map[form]func() error{
		{Feasible, Game}:             k.checkGame,
		{Infeasible, Pegs}:           k.checkPegs,
		{Infeasible, NoJump}:         k.checkNoJump,
		{Infeasible, NoUndo}:         k.checkNoUndo,
		{Infeasible, Modular}:        k.checkModular,
		{Infeasible, Pagoda}:         k.checkPagoda,
		{Infeasible, LastExit}:       k.checkLastExit,
		{Infeasible, Walk}:           k.checkWalk,
		{Infeasible, Tree}:           k.checkTree,
		{Infeasible, Search}:         k.checkSearch,
		{OutOfBounds, Tree}:          k.checkTree,
		{InLattice, Combination}:     func() error { return k.checkCombination(true, true) },
		{InCone, Combination}:        func() error { return k.checkCombination(false, false) },
		{InIntegerCone, Combination}: func() error { return k.checkCombination(true, false) },
	}
	if k.goals != nil {
		checks = map[form]func() error{
			{Feasible, Game}:   k.checkGame,
			{Infeasible, All}:  k.checkAll,
			{Infeasible, Each}: k.checkEach,
		}
	}
	check, ok := checks[form{claim, kind}]
	if !ok {
		return nil, fmt.Errorf("%w: no proof of kind %.40q shows the claim %.40q", ErrForm, kind, claim)
	}
	return check, nil
}

// A checker verifies one proof.
type checker struct {
	peg.Problem
	goals  *goalSet // of a claim about several goals
	proof  *Proof
	bounds []Bound
	jumps  map[string]int // the number of each jump by its text

	ctx               context.Context //nolint:containedctx // of one check
	positions, states int             // that may be visited
}

func wrong(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrProof, fmt.Sprintf(format, args...))
}

func (k *checker) jump(field, text string) (int, error) {
	i, ok := k.jumps[text]
	if !ok {
		return 0, fmt.Errorf("%w: %s: the board has no jump %.40q", ErrForm, field, text)
	}
	return i, nil
}

func (k *checker) checkGame() error {
	at := k.Start
	for n, text := range k.proof.Jumps {
		i, err := k.jump("jumps", text)
		if err != nil {
			return err
		}
		j := k.Board.Jumps[i]
		if !at.Has(int(j.From)) || !at.Has(int(j.Over)) || at.Has(int(j.To)) {
			return wrong("jump %d, %s, cannot be played", n+1, text)
		}
		at = at&^(1<<j.From)&^(1<<j.Over) | 1<<j.To
	}
	return k.checkEnd(at)
}

// unequal is the condition of the trivial proofs: the game without a jump leads from a position to itself.
func (k *checker) unequal() error {
	if k.Start == k.Goal {
		return wrong("the goal is the start: no jump is needed")
	}
	return nil
}

func (k *checker) checkPegs() error {
	if k.Goal.Pegs() < k.Start.Pegs() {
		return wrong("the goal has fewer pegs than the start")
	}
	return k.unequal()
}

func (k *checker) checkNoJump() error {
	for _, j := range k.Board.Jumps {
		if k.Start.Has(int(j.From)) && k.Start.Has(int(j.Over)) && !k.Start.Has(int(j.To)) {
			return wrong("jump %s can be played on the start", peg.FormatJump(k.Board, j))
		}
	}
	return k.unequal()
}

func (k *checker) checkNoUndo() error {
	for _, j := range k.Board.Jumps {
		if k.undoable(j) {
			return wrong("jump %s can have led to the goal", peg.FormatJump(k.Board, j))
		}
	}
	return k.unequal()
}

// undoable reports whether jump j can have led to the goal.
func (k *checker) undoable(j peg.Jump) bool {
	return !k.Goal.Has(int(j.From)) && !k.Goal.Has(int(j.Over)) && k.Goal.Has(int(j.To))
}

// weights returns the weights as big integers, whose sums cannot overflow.
func (k *checker) weights(w []int64) ([]*big.Int, error) {
	if len(w) != k.Board.Size() {
		return nil, fmt.Errorf("%w: %d weights for %d holes", ErrForm, len(w), k.Board.Size())
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

// weight is the weight of the pegs of p.
func weight(w []*big.Int, p peg.Position) *big.Int {
	sum := new(big.Int)
	for i, v := range w {
		if p.Has(i) {
			sum.Add(sum, v)
		}
	}
	return sum
}

// gain is the weight of the goal less that of the start.
func (k *checker) gain(w []*big.Int) *big.Int {
	d := weight(w, k.Goal)
	return d.Sub(d, weight(w, k.Start))
}

// checkModular: every jump changes the weight by a multiple of the modulus, and P'-P does not. With modulus 2 this is
// the rule of three. A vector is outside L exactly when there is such a proof.
func (k *checker) checkModular() error {
	w, err := k.weights(k.proof.Weights)
	if err != nil {
		return err
	}
	if k.proof.Modulus < 2 {
		return wrong("modulus %d: it must be at least 2", k.proof.Modulus)
	}
	m := big.NewInt(k.proof.Modulus)
	divides := func(v *big.Int) bool { return new(big.Int).Mod(v, m).Sign() == 0 }
	for _, j := range k.Board.Jumps {
		if !divides(effect(w, j)) {
			return wrong("jump %s changes the weight by %v, no multiple of %v", peg.FormatJump(k.Board, j), effect(w, j), m)
		}
	}
	if d := k.gain(w); divides(d) {
		return wrong("from start to goal the weight changes by %v, a multiple of %v", d, m)
	}
	return nil
}

// checkPagoda: no jump raises the weight, and the goal weighs more than the start.
func (k *checker) checkPagoda() error {
	w, err := k.pagoda(k.proof.Weights)
	if err != nil {
		return err
	}
	if d := k.gain(w); d.Sign() <= 0 {
		return wrong("the goal must weigh more than the start, but its weight less the start's is %v", d)
	}
	return nil
}

// pagoda returns weights that no jump raises.
func (k *checker) pagoda(weights []int64) ([]*big.Int, error) {
	w, err := k.weights(weights)
	if err != nil {
		return nil, err
	}
	for _, j := range k.Board.Jumps {
		if d := effect(w, j); d.Sign() > 0 {
			return nil, wrong("jump %s raises the weight by %v", peg.FormatJump(k.Board, j), d)
		}
	}
	return w, nil
}
