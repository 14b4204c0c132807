package proofs

import (
	"fmt"
	"math/big"
	"regexp"

	"pagoda/internal/peg"
)

// MaxNodes bounds the nodes of a tree.
const MaxNodes = 1_000_000

// maxTimes bounds how often a branch says that a jump is played: no game has more jumps than holes.
const maxTimes = 1 << 20

// checkTree verifies that no integers x >= 0, one for each jump, sum to P'-P. Each branch splits on one x, so that one
// of its two nodes holds for whatever x there is; each leaf says with weights that there is none within the bounds
// that lead to it. The claim OutOfBounds begins with bounds.
func (l *linear) checkTree() error {
	if l.proof.Tree == nil {
		return fmt.Errorf("%w: the tree is missing", ErrForm)
	}
	bounds := bounds{least: make([]int64, len(l.board.Jumps)), most: make([]int64, len(l.board.Jumps))}
	for i := range bounds.most {
		bounds.most[i] = -1
	}
	for _, g := range l.bounds {
		i, err := l.jump("bounds", g.Jump)
		if err != nil {
			return err
		}
		if g.AtLeast < 0 || g.AtLeast > maxTimes || g.AtMost != nil && (*g.AtMost < 0 || *g.AtMost > maxTimes) {
			return fmt.Errorf("%w: the bounds of jump %s: want 0 to %d", ErrForm, g.Jump, maxTimes)
		}
		bounds.least[i] = max(bounds.least[i], g.AtLeast)
		if g.AtMost != nil && (bounds.most[i] < 0 || *g.AtMost < bounds.most[i]) {
			bounds.most[i] = *g.AtMost
		}
	}
	nodes := 0
	return l.checkNode(l.proof.Tree, bounds, &nodes)
}

// bounds says how often each jump is played at least, and at most; a negative number is no bound.
type bounds struct{ least, most []int64 }

func (l *linear) checkNode(n *Node, b bounds, nodes *int) error {
	*nodes++
	branch := n.Jump != "" || n.Less != nil || n.More != nil
	switch {
	case *nodes%256 == 0 && l.ctx.Err() != nil:
		return l.ctx.Err()
	case *nodes > MaxNodes:
		return wrong("the tree has more than %d nodes: this checker does not go on", MaxNodes)
	case branch && n.Weights != nil:
		return fmt.Errorf("%w: a node with both weights and branches", ErrForm)
	case !branch:
		return l.checkLeaf(n.Weights, b)
	case n.Less == nil || n.More == nil:
		return fmt.Errorf("%w: the node that branches on jump %.40q lacks one of its two nodes", ErrForm, n.Jump)
	case n.AtMost < 0 || n.AtMost > maxTimes:
		return fmt.Errorf("%w: a branch at %d times: want 0 to %d", ErrForm, n.AtMost, maxTimes)
	}
	i, err := l.jump("tree", n.Jump)
	if err != nil {
		return err
	}
	least, most := b.least[i], b.most[i]
	if most < 0 || n.AtMost < most {
		b.most[i] = n.AtMost
	}
	if err := l.checkNode(n.Less, b, nodes); err != nil {
		return err
	}
	b.most[i], b.least[i] = most, max(least, n.AtMost+1)
	err = l.checkNode(n.More, b, nodes)
	b.least[i] = least
	return err
}

// checkLeaf: any x >= 0 within the bounds adds at most the sum over the jumps of effect times bound to the weight. The
// bound is the upper one where the effect is positive and the lower one where it is negative. The goal must need more.
func (l *linear) checkLeaf(weights []int64, b bounds) error {
	w, err := l.weights(weights)
	if err != nil {
		return err
	}
	most := new(big.Int)
	for i, j := range l.board.Jumps {
		if b.most[i] >= 0 && b.most[i] < b.least[i] {
			return nil // no number is within these bounds
		}
		d := effect(w, j)
		times := b.least[i]
		if d.Sign() > 0 {
			if times = b.most[i]; times < 0 {
				return wrong("a leaf: jump %s raises the weight, and nothing bounds how often it is played",
					peg.FormatJump(l.board, j))
			}
		}
		most.Add(most, d.Mul(d, big.NewInt(times)))
	}
	if need := l.gain(w, l.target.patterns[0]); need.Cmp(most) <= 0 {
		return wrong("a leaf: the weight has to rise by %v, and the jumps can raise it by %v", need, most)
	}
	return nil
}

var fraction = regexp.MustCompile(`^-?[0-9]{1,100}(/[0-9]{1,100})?$`)

// checkCombination verifies that multiples of jumps sum to P'-P: integer ones, or negative ones too, as asked.
func (l *linear) checkCombination(integers, negatives bool) error {
	sum := make([]big.Rat, l.board.Size())
	seen := map[int]bool{}
	for _, m := range l.proof.Multipliers {
		i, err := l.jump("multipliers", m.Jump)
		if err != nil {
			return err
		}
		x, ok := new(big.Rat), fraction.MatchString(m.Times)
		if ok {
			_, ok = x.SetString(m.Times)
		}
		switch {
		case !ok:
			return fmt.Errorf("%w: multiplier %.40q of jump %s is no integer or fraction", ErrForm, m.Times, m.Jump)
		case seen[i]:
			return fmt.Errorf("%w: jump %s has two multipliers", ErrForm, m.Jump)
		case integers && !x.IsInt():
			return wrong("multiplier %s of jump %s must be an integer", m.Times, m.Jump)
		case !negatives && x.Sign() < 0:
			return wrong("multiplier %s of jump %s must not be negative", m.Times, m.Jump)
		}
		seen[i] = true
		j := l.board.Jumps[i]
		sum[j.From].Sub(&sum[j.From], x)
		sum[j.Over].Sub(&sum[j.Over], x)
		sum[j.To].Add(&sum[j.To], x)
	}
	for i := range sum {
		want := int64(0)
		if l.target.patterns[0].pegs.Has(i) {
			want++
		}
		if l.start.Has(i) {
			want--
		}
		if sum[i].Cmp(big.NewRat(want, 1)) != 0 {
			return wrong("at hole %s the jumps sum to %s, and the goal less the start is %d", l.board.Label(i),
				sum[i].RatString(), want)
		}
	}
	return nil
}
