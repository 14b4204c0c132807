package feasible

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// A Decider says of many problems on one board which criterion is the first to forbid each, in the order of
// [Prover.Decide] but without certificates. The answers are the same as long as no criterion reaches its limit: branch
// and bound may need more nodes for one image of a problem than for another, and the decider asks about one image only.
// It keeps the pagoda functions that it has found, and the answers that depend on P'-P alone, up to symmetry. To forget
// some of them changes no answer. It is safe for concurrent use.
type Decider struct {
	prover *Prover
	limits Limits
	finer  bool
	sums   sync.Pool
	group  []peg.Perm
	exits  [][]int32 // the corners' pagoda functions

	mu    sync.RWMutex
	pool  [][]int32 // pagoda functions, one weight for each hole
	known map[difference]linear
	walks map[[2]uint64]answer
}

// A difference is P'-P: the holes of P alone, and those of P' alone.
type difference struct{ less, more peg.Position }

// linear holds the answers of the slow criteria that depend on P'-P alone; unknown until one was asked.
type linear struct{ lattice, cone, integer answer }

// An answer of a criterion.
type answer uint8

const (
	unknown answer = iota
	allowed
	forbidden
	gaveUp
)

// Bounds of the memory of a decider.
const (
	maxKnown   = 1 << 21
	maxPagodas = 1024
	maxPagoda  = 1 << 24 // of a weight
)

// So many jumps are tried before the linear program, and after it.
const (
	quickSums   = 300
	patientSums = 20_000
)

// The places of criteria in Names.
var place = func() map[string]int {
	m := map[string]int{}
	for i, name := range Names() {
		m[name] = i
	}
	return m
}()

// NewDecider prepares the criteria for board b, all but the search.
func NewDecider(b *peg.Board, limits Limits) *Decider {
	f := New(b)
	d := &Decider{prover: f, limits: limits.withDefaults(), finer: f.Finer(), group: b.Symmetries(),
		known: map[difference]linear{}, walks: map[[2]uint64]answer{}}
	d.sums.New = func() any { return newSumming(b) }
	for _, g := range f.groups {
		for _, sign := range []int64{-1, 1} {
			w, _ := narrow(f.weights(f.classes[g.class], 1, g.corners, sign))
			d.exits = append(d.exits, w)
		}
	}
	return d
}

// First returns the place in [Names] of the first criterion that forbids p, -1 when none does; then limited says that
// one of them reached its limit. The goal has fewer pegs than the start. The error is that of the context.
func (d *Decider) First(ctx context.Context, p peg.Problem) (criterion int, limited bool, err error) {
	p.Board = d.prover.board
	if i := d.simple(p); i >= 0 {
		return i, false, nil
	}
	if d.finer && d.lattice(p) == forbidden {
		return place[Lattice], false, nil
	}
	if i := d.corners(p); i >= 0 {
		return i, false, nil
	}
	slow := []struct {
		name  string
		apply func(context.Context, peg.Problem) (answer, error)
	}{{Cone, d.cone}, {ClassWalk, d.walk}, {IntegerCone, d.integerCone}}
	for _, c := range slow {
		a, err := c.apply(ctx, p)
		switch {
		case err != nil:
			return -1, false, err
		case a == forbidden:
			return place[c.name], false, nil
		case a == gaveUp:
			limited = true
		}
	}
	return -1, limited, nil
}

// Quick returns the place in [Names] of a criterion that forbids p, -1 when none does. It asks those that take no time
// worth mentioning and the pagoda functions known so far. With a p that can be solved it tests the criteria.
func (d *Decider) Quick(p peg.Problem) int {
	p.Board = d.prover.board
	if i := d.simple(p); i >= 0 {
		return i
	}
	if i := d.corners(p); i >= 0 {
		return i
	}
	if d.pooled(p) {
		return place[Cone]
	}
	return -1
}

// simple applies the trivial criteria, the playable classes and the rule of three.
func (d *Decider) simple(p peg.Problem) int {
	f := d.prover
	switch {
	case f.board.Dead(p.Start):
		return place[Dead]
	case f.board.Dead(f.board.Complement(p.Goal)):
		return place[Unreachable]
	}
	if _, ok := f.gainingClass(p); ok {
		return place[Classes]
	}
	if _, ok := f.changedInvariant(p); ok {
		return place[RuleOfThree]
	}
	return -1
}

func (d *Decider) corners(p peg.Problem) int {
	if gains(p, d.exits) {
		return place[Corners]
	}
	if d.prover.lastExit(p).claim == proofs.Infeasible {
		return place[LastExit]
	}
	return -1
}

// pooled reports whether one of the pagoda functions known so far forbids p.
func (d *Decider) pooled(p peg.Problem) bool {
	d.mu.RLock()
	pool := d.pool
	d.mu.RUnlock()
	return gains(p, pool)
}

// gains reports whether the goal weighs more than the start by one of the functions.
func gains(p peg.Problem, functions [][]int32) bool {
	var holes [peg.MaxHoles]uint8
	n := 0
	for set := p.Goal &^ p.Start; set != 0; set &= set - 1 {
		holes[n] = uint8(bits.TrailingZeros64(uint64(set)))
		n++
	}
	more := n
	for set := p.Start &^ p.Goal; set != 0; set &= set - 1 {
		holes[n] = uint8(bits.TrailingZeros64(uint64(set)))
		n++
	}
	for _, w := range functions {
		sum := int32(0)
		for _, h := range holes[:more] {
			sum += w[h]
		}
		for _, h := range holes[more:n] {
			sum -= w[h]
		}
		if sum > 0 {
			return true
		}
	}
	return false
}

// narrow returns weights of which 64 sum to less than 32 bits; ok is false where they are larger.
func narrow(weights []int64) (list []int32, ok bool) {
	for _, w := range weights {
		if w > maxPagoda || w < -maxPagoda {
			return nil, false
		}
		list = append(list, int32(w))
	}
	return list, true
}

// canonical is the image of P'-P under the symmetries of the board that stands for all of them. Branch and bound can
// reach its limit on one image and not on another: it is only asked about this one.
func (d *Decider) canonical(p peg.Problem) difference {
	c := difference{p.Start &^ p.Goal, p.Goal &^ p.Start}
	least := c
	for _, g := range d.group[1:] {
		less := g.Apply(c.less)
		if less > least.less {
			continue
		}
		if more := g.Apply(c.more); less < least.less || more < least.more {
			least = difference{less, more}
		}
	}
	return least
}

func (d *Decider) recall(c difference) linear {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.known[c]
}

func (d *Decider) remember(c difference, set func(*linear)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.known) >= maxKnown {
		clear(d.known)
	}
	l := d.known[c]
	set(&l)
	d.known[c] = l
}

func (c difference) problem(b *peg.Board) peg.Problem {
	return peg.Problem{Board: b, Start: c.less, Goal: c.more}
}

func said(r finding) answer {
	switch {
	case r.claim == proofs.Infeasible:
		return forbidden
	case r.gaveUp:
		return gaveUp
	}
	return allowed
}

func (d *Decider) lattice(p peg.Problem) answer {
	c := d.canonical(p)
	a := d.recall(c).lattice
	if a == unknown {
		a = said(d.prover.latticeCriterion(c.problem(p.Board)))
		d.remember(c, func(l *linear) { l.lattice = a })
	}
	return a
}

// cone asks the linear program where no function known so far forbids p and no jumps are found that sum to P'-P. Such
// jumps prove that P'-P is in the integer cone too.
func (d *Decider) cone(ctx context.Context, p peg.Problem) (answer, error) {
	if d.pooled(p) {
		return forbidden, nil
	}
	c := d.canonical(p)
	if a := d.recall(c).cone; a != unknown {
		return a, nil
	}
	if err := puzzle.Progress(ctx); err != nil {
		return unknown, err
	}
	vector, jumps := d.prover.difference(c.problem(p.Board)), c.less.Pegs()-c.more.Pegs()
	sums := d.sums.Get().(*summing)
	defer d.sums.Put(sums)
	integer := sums.solve(vector, jumps, quickSums)
	if integer == allowed {
		d.remember(c, func(l *linear) { l.cone, l.integer = allowed, allowed })
		return allowed, nil
	}
	t := newTableau(d.prover.columns, vector)
	inside, err := t.solve()
	if err != nil {
		return unknown, fmt.Errorf("criterion %s, %s to %s: %w", Cone, peg.FormatLine(p.Board, p.Start),
			peg.FormatLine(p.Board, p.Goal), err)
	}
	if !inside {
		d.keep(t.dual())
		d.remember(c, func(l *linear) { l.cone = forbidden })
		return forbidden, nil
	}
	if integer == gaveUp {
		integer = sums.solve(vector, jumps, patientSums)
	}
	if integer == gaveUp {
		// The whole parts of the solution leave less to be summed, but nothing to be sure of.
		x, den := t.solution()
		for i, v := range x {
			for _, e := range d.prover.columns[i] {
				vector[e.row] -= v / den * e.value
			}
			jumps -= int(v / den)
		}
		if integer = sums.solve(vector, jumps, patientSums); integer != allowed {
			integer = unknown
		}
	}
	d.remember(c, func(l *linear) { l.cone, l.integer = allowed, integer })
	return allowed, nil
}

// keep adds a pagoda function and its images to the pool.
func (d *Decider) keep(weights []int64) {
	w, ok := narrow(weights)
	d.mu.Lock()
	defer d.mu.Unlock()
	if !ok || len(d.pool) >= maxPagodas {
		return
	}
	pool := slices.Clone(d.pool)
	for _, g := range d.group {
		image := make([]int32, len(w))
		for i, v := range w {
			image[g[i]] = v
		}
		if !slices.ContainsFunc(pool, func(f []int32) bool { return slices.Equal(f, image) }) {
			pool = append(pool, image)
		}
	}
	d.pool = pool
}

func (d *Decider) walk(ctx context.Context, p peg.Problem) (answer, error) {
	key := [2]uint64{d.prover.packCells(p.Start), d.prover.packCells(p.Goal)}
	d.mu.RLock()
	a := d.walks[key]
	d.mu.RUnlock()
	if a != unknown {
		return a, nil
	}
	a = said(d.prover.classWalk(ctx, p, d.limits))
	if err := puzzle.Progress(ctx); err != nil {
		return unknown, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.walks) >= maxKnown {
		clear(d.walks)
	}
	d.walks[key] = a
	return a, nil
}

func (d *Decider) integerCone(ctx context.Context, p peg.Problem) (answer, error) {
	c := d.canonical(p)
	a := d.recall(c).integer
	if a == unknown {
		a = said(d.prover.integerCone(ctx, c.problem(p.Board), d.limits))
		if err := puzzle.Progress(ctx); err != nil {
			return unknown, err
		}
		d.remember(c, func(l *linear) { l.integer = a })
	}
	return a, nil
}
