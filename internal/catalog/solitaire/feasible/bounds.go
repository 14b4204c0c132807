package feasible

import (
	"context"
	"fmt"
	"slices"

	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// A JumpBound says how often a jump is played in a solution, at most and at least: by the cone, rounded to whole
// numbers, and by the integer cone. The latter are nil where branch and bound reached its limit.
type JumpBound struct {
	Jump             string `json:"jump"`
	Cone             *int64 `json:"cone"` // at most
	IntegerCone      *int64 `json:"integer_cone"`
	ConeLeast        *int64 `json:"cone_least"`
	IntegerConeLeast *int64 `json:"integer_cone_least"`
}

// Bounds are the bounds of all jumps of a board.
type Bounds struct {
	Jumps []JumpBound `json:"jumps"`
	// Certificates prove the bounds of one jump of each orbit, from the cone and from the integer cone. Where there is no
	// solution within the bounds given, the only one proves that, and Jumps is empty.
	Certificates []*proofs.Certificate `json:"certificates"`
}

// bounding is the work of Bounds.
type bounding struct {
	*branching
	problem peg.Problem
	given   []proofs.Bound
	known   [][]int64 // vectors of EC
	limit   int       // nodes of one search
	all     int       // nodes that are left
	out     *Bounds
}

// Bounds bounds how often each jump is played in the solutions of p in which jumps are played as often as given says.
// orbits are the jumps that symmetries of all this make of each other. limit is the nodes of one search, all of all
// together.
func (f *Prover) Bounds(
	ctx context.Context, p peg.Problem, given []proofs.Bound, orbits [][]int, limit, all int,
) (*Bounds, error) {
	if err := f.onBoard(p); err != nil {
		return nil, err
	}
	p.Board = f.board
	b := &bounding{
		branching: &branching{prover: f, ctx: ctx, difference: f.difference(p)},
		problem:   p, given: given, limit: limit, all: all,
		out: &Bounds{Jumps: []JumpBound{}, Certificates: []*proofs.Certificate{}},
	}
	b.least, b.most = make([]int64, len(f.columns)), make([]int64, len(f.columns))
	for i, j := range f.board.Jumps {
		b.most[i] = -1
		for _, g := range given {
			if g.Jump == peg.FormatJump(f.board, j) {
				b.least[i] = max(b.least[i], g.AtLeast)
			}
		}
	}
	if r := f.latticeCriterion(p); r.claim == proofs.Infeasible {
		b.out.Certificates = append(b.out.Certificates, proofs.New(p, r.claim, r.proof))
		return b.out, nil
	}
	node, first, err := b.relaxed()
	if err == nil && node == nil {
		if node, _, err = b.integers(); err != nil {
			err = ctx.Err() // that it gave up is no error
		}
	}
	if err != nil || node != nil {
		if err == nil {
			b.prove(node)
		}
		return b.out, err
	}
	b.out.Jumps = make([]JumpBound, len(f.columns))
	for _, orbit := range orbits {
		bound, err := b.jump(orbit[0], first, orbit)
		if err != nil {
			return nil, err
		}
		for _, i := range orbit {
			bound.Jump = peg.FormatJump(f.board, f.board.Jumps[i])
			b.out.Jumps[i] = bound
		}
	}
	return b.out, nil
}

// prove adds the certificate that no solution is within the bounds given and those of more.
func (b *bounding) prove(tree *proofs.Node, more ...proofs.Bound) {
	claim, bounds := proofs.Infeasible, slices.Concat(b.given, more)
	if len(bounds) > 0 {
		claim = proofs.OutOfBounds
	}
	c := proofs.New(b.problem, claim, proofs.Proof{Kind: proofs.Tree, Tree: tree})
	c.Bounds = bounds
	b.out.Certificates = append(b.out.Certificates, c)
}

// fractions are the numbers x[i]/den, a vector of the cone.
type fractions struct {
	x   []int64
	den int64
}

func (v *fractions) floor(i int) int64 { return v.x[i] / v.den }
func (v *fractions) ceil(i int) int64  { return (v.x[i] + v.den - 1) / v.den }

// relaxed returns a vector of the cone within the bounds, or the leaf that proves that there is none.
func (b *bounding) relaxed() (*proofs.Node, *fractions, error) {
	if err := puzzle.Progress(b.ctx); err != nil {
		return nil, nil, err
	}
	t, columns := b.relax()
	inside, err := t.solve()
	if err != nil {
		return nil, nil, err
	}
	if !inside {
		return &proofs.Node{Weights: t.dual()[:b.prover.board.Size()]}, nil, nil
	}
	y, den := t.solution()
	v := &fractions{make([]int64, len(b.least)), den}
	for i, least := range b.least {
		v.x[i] = least * den
	}
	for c, i := range columns {
		v.x[i] += y[c]
	}
	return nil, v, nil
}

// integers does the same for the integer cone. It keeps the vectors that it finds.
func (b *bounding) integers() (*proofs.Node, []int64, error) {
	b.left = min(b.limit, b.all)
	before := b.left
	node, x, err := b.solve()
	b.all -= before - max(0, b.left)
	if x != nil {
		b.known = append(b.known, x)
	}
	return node, x, err
}

// within runs fn with another bound of jump i.
func (b *bounding) within(i int, least, most int64, fn func()) {
	l, m := b.least[i], b.most[i]
	b.least[i] = max(l, least)
	b.most[i] = most
	fn()
	b.least[i], b.most[i] = l, m
}

// jump bounds one jump, which first takes some number of times; the vectors known for a jump of the orbit do for all.
func (b *bounding) jump(i int, first *fractions, orbit []int) (JumpBound, error) {
	bound := JumpBound{}
	name := peg.FormatJump(b.prover.board, b.prover.board.Jumps[i])
	for _, up := range []bool{true, false} {
		// beyond asks for one more than n, or one less.
		beyond := func(n int64) (least, most int64, c proofs.Bound) {
			if up {
				return n + 1, -1, proofs.Bound{Jump: name, AtLeast: n + 1}
			}
			most = n - 1
			return 0, most, proofs.Bound{Jump: name, AtMost: &most}
		}
		value := func(v *fractions) int64 {
			if up {
				return v.floor(i)
			}
			return v.ceil(i)
		}
		cone := value(first)
		for up || cone > b.least[i] {
			least, most, c := beyond(cone)
			var node *proofs.Node
			var v *fractions
			var err error
			b.within(i, least, most, func() { node, v, err = b.relaxed() })
			if err != nil {
				return bound, fmt.Errorf("jump %s: %w", name, err)
			}
			if node != nil {
				b.prove(node, c)
				break
			}
			cone = value(v)
		}
		integer, err := b.exactly(i, up, cone, orbit, beyond)
		if err != nil {
			return bound, err
		}
		if up {
			bound.Cone, bound.IntegerCone = &cone, integer
		} else {
			bound.ConeLeast, bound.IntegerConeLeast = &cone, integer
		}
	}
	return bound, nil
}

// exactly is the bound of a jump by the integer cone, between that of a vector known and that of the cone. It is nil
// where a search gave up.
func (b *bounding) exactly(
	i int, up bool, cone int64, orbit []int, beyond func(int64) (least, most int64, c proofs.Bound),
) (*int64, error) {
	step := int64(1)
	if !up {
		step = -1
	}
	for n := cone; ; n -= step {
		for _, x := range b.known {
			for _, k := range orbit {
				if x[k] == n {
					return &n, nil
				}
			}
		}
		least, most, c := beyond(n - step) // at least n, or at most n
		var node *proofs.Node
		var x []int64
		b.within(i, least, most, func() { node, x, _ = b.integers() })
		switch {
		case x != nil:
			return &n, nil
		case node == nil: // the search gave up
			return nil, b.ctx.Err()
		}
		b.prove(node, c)
	}
}
