package join

import (
	"context"
	"fmt"
	"math/bits"
	"sync"

	"pagoda/internal/counting"
	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/uint128"
)

// A Join counts the solutions of one problem from two enumerations.
//
// Playing backwards is playing forwards on the complement. So the ways from a position R to the goal are the ways from
// the complement of the goal to the complement of R. With near, the enumeration from the start, and far, the
// enumeration from the complement of the goal,
//
//	solutions = sum over the positions R after n jumps of near(R) x far(complement of R)
//
// for any n. A problem may be turned by symmetries of the board so that its two ends fall on the starts of enumerations
// that other problems use too: near starts from an image of the start, far from an image of the goal's complement, and
// turn takes the complements of near's positions to far's.
type Join struct {
	Near, Far *counting.Enumeration
	Turn      peg.Perm
	Jumps     int // n: of the near enumeration
	FarJumps  int // of the far enumeration: n + FarJumps jumps lead from start to goal

	images []Ending // of positions whose prefix no symmetry fixes

	Slow bool // tests only: look every row up by itself
	Runs bool // tests only: go run by run where fields stay fields, too

	mu       sync.Mutex
	byEnding map[string]*transform // by element of an ending
}

// New joins near after the given number of jumps with far after the rest of total. The error says that the pegs of
// the two layers are not those of complements.
func New(near, far *counting.Enumeration, turn peg.Perm, jumps, total int) (*Join, error) {
	n := len(near.Space.Board.Holes)
	if near.Pegs-jumps != n-(far.Pegs-(total-jumps)) {
		return nil, fmt.Errorf("a join after %d of %d jumps does not meet", jumps, total)
	}
	j := &Join{Near: near, Far: far, Turn: turn, Jumps: jumps, FarJumps: total - jumps, byEnding: map[string]*transform{}}
	j.images = j.endings(1)
	return j, nil
}

// An Ending is a group of far's look-ups: near's positions, complemented and moved by element, weighed with times.
type Ending struct {
	Element peg.Perm
	times   uint64
}

// endings lists, for a prefix that the elements of fixed map to itself, which images of near's addressed
// positions the sum runs over. Each addressed position stands for one position for each coset of fixed in near's
// group. Their complements, turned, are looked up in far, whose counts do not change under its own group: images that
// differ by it are looked up once.
func (j *Join) endings(fixed uint64) []Ending {
	group := j.Near.Space.Group
	var list []Ending
	seen := map[string]bool{} // images under the cosets of fixed
	classes := map[string]int{}
	for _, g := range group {
		if seen[string(g)] {
			continue
		}
		for f := fixed; f != 0; f &= f - 1 {
			seen[string(g.Compose(group[bits.TrailingZeros64(f)]))] = true
		}
		w := j.Turn.Compose(g)
		// Of all far symmetries after w the smallest names the class.
		least := w
		for _, h := range j.Far.Space.Group {
			if x := h.Compose(w); string(x) < string(least) {
				least = x
			}
		}
		if i, ok := classes[string(least)]; ok {
			list[i].times++
			continue
		}
		classes[string(least)] = len(list)
		list = append(list, Ending{w, 1})
	}
	return list
}

// FarVectors returns the cells of far that the complements of the positions of a near cell lie in.
func (j *Join) FarVectors(v partition.Vector) []partition.Vector {
	var list []partition.Vector
	for _, e := range j.images {
		u, _ := j.Far.Space.Canonical(j.Complement(v, e.Element))
		if n, ok := j.Far.LayerOf(u); !ok || n != j.FarJumps {
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

// Complement is the class-count vector of the complement of a position with vector v, moved by element.
func (j *Join) Complement(v partition.Vector, element peg.Perm) partition.Vector {
	s := j.Near.Space
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
func (j *Join) share(ctx context.Context, w puzzle.Window, in puzzle.Source) (uint128.Uint128, error) {
	k, err := j.Near.FilledKernel(ctx, w, in)
	if err != nil {
		return uint128.Uint128{}, err
	}
	return j.Dot(ctx, k, in)
}

// Dot returns the share of the solutions of the near enumeration's window that k has made.
func (j *Join) Dot(ctx context.Context, k *counting.Kernel, in puzzle.Source) (sum uint128.Uint128, err error) {
	d := newJoiner(j, k, in)
	if in.MemoryBytes() > 0 {
		return d.byParts(ctx)
	}
	return d.sum, d.prefixes(ctx)
}

// Back is the join of the same problem with the roles of near and far exchanged, one layer nearer to the start.
func (j *Join) Back() (*Join, error) {
	return New(j.Far, j.Near, j.Turn.Inverse(), j.FarJumps+1, j.Jumps+j.FarJumps)
}

// Recount returns the second join, to be compared with the result of the first one.
func (j *Join) Recount(want uint128.Uint128) (puzzle.Recount, error) {
	back, err := j.Back()
	if err != nil {
		return puzzle.Recount{}, err
	}
	r := puzzle.Recount{Want: want, Share: func(
		ctx context.Context, w puzzle.Window, in puzzle.Source,
	) (uint128.Uint128, error) {
		return back.share(ctx, w, in)
	}}
	r.What = fmt.Sprintf("solutions, joined after %s", plural.Of(j.Jumps-1, "jump"))
	if back.Jumps < len(back.Near.Layers) {
		for _, c := range back.Near.Plan(back.Jumps) {
			for i := range c.Windows() {
				r.Windows = append(r.Windows, c.Window(i))
			}
		}
	}
	return r, nil
}
