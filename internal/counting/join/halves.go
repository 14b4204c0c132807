package join

import (
	"context"
	"fmt"
	"slices"

	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Half of the jumps suffice where a game is its own reverse.
//
// Both sides of a join may be one enumeration, which near follows for one jump more than far. Then the solutions are a
// sum over the jumps P -> Q between the last two layers,
//
//	solutions = sum over P -> Q of near(P) x near(turned complement of Q)
//
// and the complement of Q, turned, jumps to the complement of P, turned, with the same product. So the jumps come in
// pairs, as do the edges of the lattice of cells. Of two edges that are each other's image one is pulled and counts
// twice. An edge that is its own image counts once.

// Reversible reports whether the jumps of the join's last layer come in pairs: the turn, done twice, must be a symmetry
// of the enumeration, and it must take the enumeration's symmetries to symmetries, or an edge would not have one image.
func (j *Join) Reversible() bool {
	if j.Near != j.Far || j.Jumps != j.FarJumps+1 {
		return false
	}
	group := j.Near.Space.Group
	has := func(p peg.Perm) bool {
		return slices.ContainsFunc(group, func(g peg.Perm) bool { return slices.Equal(g, p) })
	}
	if !has(j.Turn.Compose(j.Turn)) {
		return false
	}
	back := j.Turn.Inverse()
	for _, g := range group {
		if !has(j.Turn.Compose(g).Compose(back)) {
			return false
		}
	}
	return true
}

// A latticeEdge is an edge by the class-count vectors of its ends, after and before the jump.
type latticeEdge struct{ after, before partition.Vector }

// orbit returns the edge that stands for all images of e under the enumeration's group.
func (j *Join) orbit(e latticeEdge) latticeEdge {
	least := e
	for _, g := range j.Near.Space.Group {
		x := latticeEdge{j.moved(e.after, g), j.moved(e.before, g)}
		if slices.Compare(x.after[:], least.after[:]) < 0 ||
			x.after == least.after && slices.Compare(x.before[:], least.before[:]) < 0 {
			least = x
		}
	}
	return least
}

// moved is the vector of a position with vector v, moved by element: the complement of its complement.
func (j *Join) moved(v partition.Vector, element peg.Perm) partition.Vector {
	u := v
	for c, n := range j.Near.Space.ClassSize {
		u[c] = n - v[c]
	}
	return j.Complement(u, element)
}

// times says how often the jumps along an edge into the cell of v count in the sum: 0, 1 or 2.
func (j *Join) times(v partition.Vector, e partition.Edge) uint64 {
	before := v
	before[e.Removed]++
	own := j.orbit(latticeEdge{v, before})
	image := j.orbit(latticeEdge{j.Complement(before, j.Turn), j.Complement(v, j.Turn)})
	switch {
	case own == image:
		return 1
	case slices.Compare(own.after[:], image.after[:]) < 0,
		own.after == image.after && slices.Compare(own.before[:], image.before[:]) < 0:
		return 2
	}
	return 0
}

// Halves returns the share of the solutions of a window of the near enumeration's last layer, with half of its jumps.
// Each prefix is joined as soon as it is made, and its counts are not kept.
func (j *Join) Halves(ctx context.Context, w puzzle.Window, in puzzle.Source) (sum uint128.Uint128, err error) {
	for times := uint64(1); times <= 2; times++ {
		keep := func(v partition.Vector, e partition.Edge) bool { return j.times(v, e) == times }
		part, err := j.along(ctx, w, in, keep, true)
		if err != nil {
			return sum, err
		}
		part, ok := part.Mul64(times)
		total, ok2 := sum.Add(part)
		if sum = total; !ok || !ok2 {
			return sum, fmt.Errorf("window %s: solutions: %w", w, puzzle.ErrOverflow)
		}
	}
	return sum, nil
}

// ByJumps returns the share of a window of the near enumeration's last layer, of all that comes to it by a jump. Each
// prefix is joined as soon as it is made, and its counts are not kept.
func (j *Join) ByJumps(ctx context.Context, w puzzle.Window, in puzzle.Source) (uint128.Uint128, error) {
	return j.along(ctx, w, in, nil, true)
}

// Passing is ByJumps of all that comes to the window, whether by a jump or from a feeder.
func (j *Join) Passing(ctx context.Context, w puzzle.Window, in puzzle.Source) (uint128.Uint128, error) {
	return j.along(ctx, w, in, nil, false)
}

// along joins the counts that come to a window along the edges that keep accepts (nil: all edges), and from a feeder.
// Where memory is short, the window is made first, and then joined.
func (j *Join) along(
	ctx context.Context, w puzzle.Window, in puzzle.Source, keep func(partition.Vector, partition.Edge) bool,
	jumpsOnly bool,
) (uint128.Uint128, error) {
	k, err := j.Near.KernelOf(ctx, w, in, keep)
	if err != nil {
		return uint128.Uint128{}, err
	}
	if jumpsOnly {
		k.JumpsOnly()
	}
	if in.MemoryBytes() > 0 {
		if err := k.Fill(ctx); err != nil {
			return uint128.Uint128{}, err
		}
		return j.Dot(ctx, k, in)
	}
	d := newJoiner(j, k, in)
	one := make([]*partition.Prefix, 1)
	err = k.PullTransient(ctx, func(prefix *partition.Prefix) error {
		one[0] = prefix
		return d.some(ctx, one)
	})
	return d.sum, err
}
