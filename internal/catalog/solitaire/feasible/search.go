package feasible

import (
	"context"
	"fmt"
	"slices"

	"pagoda/internal/catalog/solitaire/proofs"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// search visits all positions from the start and from the goal, always on the side that has fewer, until they meet. It
// passes over positions that a pagoda function excludes. A first pass collects the functions, from the linear programs
// of positions that the ones found so far allow; a second pass counts with all of them from the beginning, so that the
// checker finds the same number.
func (f *Prover) search(ctx context.Context, p peg.Problem, limits Limits) finding {
	first := &twoSided{Problem: p, left: limits.Positions, prover: f}
	forward, backward, ok := first.run(ctx)
	if !ok {
		return finding{gaveUp: true, note: fmt.Sprintf("more than %d positions", limits.Positions)}
	}
	if at, ok := meeting(forward[len(forward)-1], backward[len(backward)-1]); ok {
		game := backtrack(p, forward, backward, at)
		return finding{claim: proofs.Feasible, proof: GameProof(f.board, game)}
	}
	second := &twoSided{Problem: p, left: limits.Positions, pool: first.pool}
	forward, _, ok = second.run(ctx)
	if !ok {
		return finding{gaveUp: true, note: fmt.Sprintf("more than %d positions", limits.Positions)}
	}
	return forbids(proofs.Proof{
		Kind: proofs.Search, Pruning: second.pool, Forward: len(forward) - 1, Positions: limits.Positions - second.left,
	})
}

// GameProof is the proof of feasibility that a game is.
func GameProof(b *peg.Board, game []peg.Jump) proofs.Proof {
	proof := proofs.Proof{Kind: proofs.Game}
	for _, j := range game {
		proof.Jumps = append(proof.Jumps, peg.FormatJump(b, j))
	}
	return proof
}

// A twoSided search keeps all layers from both ends.
type twoSided struct {
	peg.Problem
	left   int // positions that may still be visited
	pool   [][]int64
	prover *Prover // nil: no new functions
}

// run returns the layers, each in ascending order: forward from the start, backward from the goal, together as many
// as there are numbers of pegs, the last two having the same one. ok is false when the limit ends it.
func (s *twoSided) run(ctx context.Context) (forward, backward [][]peg.Position, ok bool) {
	forward, backward = [][]peg.Position{{s.Start}}, [][]peg.Position{{s.Goal}}
	s.left -= 2
	for len(forward)+len(backward)-2 < s.Jumps() {
		side, undo := &forward, false
		if len(backward[len(backward)-1]) < len(forward[len(forward)-1]) {
			side, undo = &backward, true
		}
		next := s.step((*side)[len(*side)-1], undo)
		if s.left -= len(next); s.left < 0 || puzzle.Progress(ctx) != nil {
			return nil, nil, false
		}
		*side = append(*side, next)
	}
	return forward, backward, true
}

const (
	maxPool  = 24 // functions; each costs time at every position
	perLayer = 4  // positions of a layer whose linear program is solved
)

func (s *twoSided) step(layer []peg.Position, undo bool) []peg.Position {
	var next []peg.Position
	for _, q := range layer {
		for _, j := range s.Board.Jumps {
			want := j.Need()
			if undo {
				want = 1 << j.To
			}
			if q&j.Mask() != want {
				continue
			}
			if r := j.Play(q); !s.excluded(r, undo) {
				next = append(next, r)
			}
		}
		if len(next) > 2*s.left+1<<16 {
			slices.Sort(next)
			if next = slices.Compact(next); len(next) > s.left {
				return next
			}
		}
	}
	slices.Sort(next)
	next = slices.Compact(next)
	if s.prover == nil || len(next) == 0 {
		return next
	}
	for i := 0; i < perLayer && len(s.pool) < maxPool && len(next) > 0; i++ {
		q := next[i*len(next)/perLayer%len(next)]
		one := peg.Problem{Board: s.Board, Start: q, Goal: s.Goal}
		if undo {
			one = peg.Problem{Board: s.Board, Start: s.Start, Goal: q}
		}
		if w, ok := s.prover.Pagoda(one); ok {
			s.pool = append(s.pool, w)
			next = slices.DeleteFunc(next, func(r peg.Position) bool { return s.excludedBy(w, r, undo) })
		}
	}
	return next
}

func (s *twoSided) excluded(q peg.Position, undo bool) bool {
	for _, w := range s.pool {
		if s.excludedBy(w, q, undo) {
			return true
		}
	}
	return false
}

func (s *twoSided) excludedBy(w []int64, q peg.Position, undo bool) bool {
	if undo {
		return weigh(w, q) > weigh(w, s.Start)
	}
	return weigh(w, q) < weigh(w, s.Goal)
}

// meeting returns the first position that two ascending layers share.
func meeting(a, b []peg.Position) (peg.Position, bool) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			return a[0], true
		}
	}
	return 0, false
}

// backtrack returns a game through the position at, which is in the last layer of both sides.
func backtrack(p peg.Problem, forward, backward [][]peg.Position, at peg.Position) []peg.Jump {
	in := func(layer []peg.Position, q peg.Position) bool {
		_, ok := slices.BinarySearch(layer, q)
		return ok
	}
	var game []peg.Jump
	q := at
	for i := len(forward) - 2; i >= 0; i-- {
		for _, j := range p.Board.Jumps {
			if r := j.Play(q); q&j.Mask() == 1<<j.To && in(forward[i], r) {
				game, q = append(game, j), r
				break
			}
		}
	}
	slices.Reverse(game)
	q = at
	for i := len(backward) - 2; i >= 0; i-- {
		for _, j := range p.Board.Jumps {
			if r := j.Play(q); j.Legal(q) && in(backward[i], r) {
				game, q = append(game, j), r
				break
			}
		}
	}
	return game
}
