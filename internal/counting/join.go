package counting

import (
	"context"
	"fmt"
	"math/bits"
	"sync"

	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// A join counts the solutions of one problem from two enumerations.
//
// Playing backwards is playing forwards on the complement, so the ways from a position R to the goal are the ways from
// the complement of the goal to the complement of R. With near, the enumeration from the start, and far, the
// enumeration from the complement of the goal,
//
//	solutions = sum over the positions R after n jumps of near(R) x far(complement of R)
//
// for any n. A problem may be turned by symmetries of the board so that its two ends fall on the starts of enumerations
// that other problems use too: near starts from an image of the start, far from an image of the goal's complement, and
// turn takes the complements of near's positions to far's.
type join struct {
	near, far *enumeration
	turn      peg.Perm
	jumps     int // n: of the near enumeration
	farJumps  int // of the far enumeration: n + farJumps jumps lead from start to goal

	images []ending // of positions whose prefix no symmetry fixes

	slow bool // tests only: look every row up by itself

	mu       sync.Mutex
	byEnding map[string]*transform // by element of an ending
}

// newJoin joins near after the given number of jumps with far after the rest of total. The error says that the pegs of
// the two layers are not those of complements.
func newJoin(near, far *enumeration, turn peg.Perm, jumps, total int) (*join, error) {
	n := len(near.space.Board.Holes)
	if near.start.Pegs()-jumps != n-(far.start.Pegs()-(total-jumps)) {
		return nil, fmt.Errorf("a join after %d of %d jumps does not meet", jumps, total)
	}
	j := &join{near: near, far: far, turn: turn, jumps: jumps, farJumps: total - jumps, byEnding: map[string]*transform{}}
	j.images = j.endings(1)
	return j, nil
}

// An ending is a group of far's look-ups: near's positions, complemented and moved by element, weighed with times.
type ending struct {
	element peg.Perm
	times   uint64
}

// endings lists, for a prefix that the elements of fixed map to itself, which images of near's addressed
// positions the sum runs over. Each addressed position stands for one position for each coset of fixed in near's
// group. Their complements, turned, are looked up in far, whose counts do not change under its own group: images that
// differ by it are looked up once.
func (j *join) endings(fixed uint64) []ending {
	group := j.near.space.Group
	var list []ending
	seen := map[string]bool{} // images under the cosets of fixed
	classes := map[string]int{}
	for _, g := range group {
		if seen[string(g)] {
			continue
		}
		for f := fixed; f != 0; f &= f - 1 {
			seen[string(g.Compose(group[bits.TrailingZeros64(f)]))] = true
		}
		w := j.turn.Compose(g)
		// Of all far symmetries after w the smallest names the class.
		least := w
		for _, h := range j.far.space.Group {
			if x := h.Compose(w); string(x) < string(least) {
				least = x
			}
		}
		if i, ok := classes[string(least)]; ok {
			list[i].times++
			continue
		}
		classes[string(least)] = len(list)
		list = append(list, ending{w, 1})
	}
	return list
}

// vectors returns the cells of far that the complements of the positions of a near cell lie in.
func (j *join) vectors(v partition.Vector) []partition.Vector {
	var list []partition.Vector
	for _, e := range j.images {
		u, _ := j.far.space.Canonical(j.complement(v, e.element))
		if n, ok := j.far.cells[u]; !ok || n != j.farJumps {
			continue
		}
		known := false
		for _, have := range list {
			known = known || have == u
		}
		if !known {
			list = append(list, u)
		}
	}
	return list
}

// complement is the class-count vector of the complement of a position with vector v, moved by element.
func (j *join) complement(v partition.Vector, element peg.Perm) partition.Vector {
	s := j.near.space
	var u partition.Vector
	for c := range v {
		if s.ClassSize[c] == 0 {
			continue
		}
		for hole, class := range s.Board.Class {
			if int(class) == c {
				u[s.Board.Class[element[hole]]] = s.ClassSize[c] - v[c]
				break
			}
		}
	}
	return u
}

// share computes the near enumeration's window w from its parents and returns its share of the solutions. Nothing is
// stored.
func (j *join) share(ctx context.Context, w puzzle.Window, in puzzle.Source) (uint128.Uint128, error) {
	k, err := j.near.filledKernel(ctx, w, in)
	if err != nil {
		return uint128.Uint128{}, err
	}
	return j.dot(ctx, k, in)
}

// dot returns the share of the solutions of the near enumeration's window that k has made.
func (j *join) dot(ctx context.Context, k *kernel, in puzzle.Source) (sum uint128.Uint128, err error) {
	d := newJoiner(j, k, in)
	prefixes := k.prefixes()
	for i := range prefixes {
		if err := d.prefix(ctx, &prefixes[i]); err != nil {
			return sum, err
		}
	}
	return d.sum, nil
}
