package solve

import (
	"context"
	"fmt"
	"slices"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// A search looks for a solution of its problem from both sides. The side of the goal plays the problem backwards, that
// is forwards on complements, so both sides are the same code.
type search struct {
	peg.Problem
	prover *feasible.Prover
	group  []transform // the symmetries that fix start and goal, without the identity
	sides  [2]*side
	// twin, when not nil, maps the problem to itself played backwards: then the layers of the far side are the images of
	// those of the near side, and sides[1] has these in the place of its own.
	twin *twin
	most int64 // positions that may be kept at a time
	// budgets are the rounds.
	budgets []budget
	kept    int64
	rounds  int
	misses  int  // linear programs in a row that excluded nothing
	beamed  bool // a beam found the solution
}

// A budget is the positions of the exact layers in all, and the width of the beams.
type budget struct{ exact, width int }

var defaultBudgets = []budget{
	{20_000, 300}, {100_000, 2000}, {400_000, 10_000}, {2_000_000, 50_000}, {8_000_000, 200_000}, {40_000_000, 500_000},
	{56_000_000, 50_000}, {240_000_000, 50_000}, {600_000_000, 50_000},
}

// A side is one end of the search: the positions reached from it, in layers.
type side struct {
	start, goal peg.Position
	prunings    []pruning
	// exact[k] lists the positions that can be reached in k jumps and may lead to the goal, one of each symmetry class, in
	// ascending order.
	exact [][]peg.Position
}

func newSearch(p peg.Problem, prover *feasible.Prover, most int64) *search {
	s := &search{Problem: p, prover: prover, most: most, budgets: defaultBudgets}
	for _, g := range p.Symmetries()[1:] {
		s.group = append(s.group, newTransform(g))
	}
	r := p.Reverse()
	for i, q := range []peg.Problem{p, r} {
		s.sides[i] = &side{start: q.Start, goal: q.Goal, exact: [][]peg.Position{{q.Start}}}
	}
	for _, g := range p.Board.Symmetries() {
		if g.Apply(p.Start) == r.Start && g.Apply(p.Goal) == r.Goal {
			s.twin = &twin{there: g, back: newTransform(g.Inverse())}
			s.sides[1].exact = [][]peg.Position{{p.Start}}
			break
		}
	}
	return s
}

// A twin is a symmetry of the board that maps the near side to the far one.
type twin struct {
	there peg.Perm
	back  transform
}

// canonical is the smallest image of q.
func (s *search) canonical(q peg.Position) peg.Position {
	least := q
	for i := range s.group {
		least = min(least, s.group[i].apply(q))
	}
	return least
}

// run returns a solution, or nil when there is none. It ends after the given round, and goes on there when it is called
// again.
func (s *search) run(ctx context.Context, rounds int) ([]peg.Jump, error) {
	for _, budget := range s.budgets[s.rounds:rounds] {
		if int64(budget.exact)+int64(budget.width*s.Jumps()) > s.most {
			break
		}
		s.rounds++
		done, err := s.extend(ctx, budget.exact)
		if err != nil {
			return nil, err
		}
		if done {
			near, far := s.sides[0], s.sides[1]
			at, ok := s.meet(near.last(), far.last())
			if !ok {
				return nil, nil
			}
			return s.join(at, near.exact, far.exact), nil
		}
		for variant := range variants {
			for turn := range s.sides {
				if turn > 0 && s.twin != nil {
					break // it is the image of the one before
				}
				near, far := s.sides[turn], s.sides[1-turn]
				layers, err := s.beam(ctx, near, s.Jumps()-len(far.exact)+2, budget.width, variant)
				if err != nil {
					return nil, err
				}
				if at, ok := s.meet(layers[len(layers)-1], far.last()); ok {
					game := s.join(at, layers, far.exact)
					if turn == 1 {
						slices.Reverse(game)
					}
					s.beamed = true
					return game, nil
				}
			}
		}
	}
	return nil, fmt.Errorf("%w: %d rounds in the memory allowed", ErrGaveUp, s.rounds)
}

func (d *side) last() []peg.Position { return d.exact[len(d.exact)-1] }

// extend adds exact layers, always on the side that has fewer positions in its last one, until the budget is spent.
// done says that the two sides have come to the same number of pegs.
func (s *search) extend(ctx context.Context, budget int) (done bool, err error) {
	total := 0
	for i, d := range s.sides {
		for _, layer := range d.exact {
			if i == 0 || s.twin == nil {
				total += len(layer)
			}
		}
	}
	for len(s.sides[0].exact)+len(s.sides[1].exact)-2 < s.Jumps() {
		near, far := s.sides[0], s.sides[1]
		switch {
		case s.twin != nil && len(far.exact) < len(near.exact):
			far.exact = append(far.exact, near.exact[len(far.exact)])
			continue
		case s.twin == nil && len(far.last()) < len(near.last()):
			near = far
		}
		if total+2*len(near.last()) > budget {
			return false, nil
		}
		next, err := s.next(ctx, near, near.last())
		if err != nil {
			return false, err
		}
		next = s.learn(near, next, 8)
		near.exact = append(near.exact, next)
		total += len(next)
		s.kept += int64(len(next))
	}
	return true, nil
}

// next returns the positions after one jump, one of each class, in ascending order.
func (s *search) next(ctx context.Context, d *side, layer []peg.Position) ([]peg.Position, error) {
	if len(s.group) == 0 && len(layer) > mergeFrom {
		return s.merge(ctx, d, layer)
	}
	var next []peg.Position
	compacted := 1 << 16
	for i, q := range layer {
		if i%4096 == 0 && puzzle.Progress(ctx) != nil {
			return nil, ctx.Err()
		}
		for _, j := range s.Board.Jumps {
			if j.Legal(q) {
				if r := j.Play(q); !d.excluded(r) {
					next = append(next, s.canonical(r))
				}
			}
		}
		if len(next) > 2*compacted {
			slices.Sort(next)
			next = slices.Compact(next)
			compacted = max(compacted, len(next))
		}
	}
	slices.Sort(next)
	return slices.Compact(next), nil
}

// meet returns a position of the near side whose complement the far side has.
func (s *search) meet(near, far []peg.Position) (peg.Position, bool) {
	for _, q := range near {
		if _, ok := slices.BinarySearch(far, s.canonical(s.across(q))); ok {
			return q, true
		}
	}
	return 0, false
}

// across is the complement of a position of the near side, as the layers of the far side have it.
func (s *search) across(q peg.Position) peg.Position {
	q = s.Board.Complement(q)
	if s.twin != nil {
		q = s.twin.back.apply(q)
	}
	return q
}

// join returns the jumps from the start of the near side over position at to the start of the far one. at is one of its
// class, but a symmetry fixes both ends: the images of the jumps to one position of a class lead to all.
func (s *search) join(at peg.Position, near, far [][]peg.Position) []peg.Jump {
	game := s.backtrack(at, near)
	slices.Reverse(game)
	for _, j := range s.backtrack(s.across(at), far) {
		if s.twin != nil {
			j = s.twin.there.Jump(j)
		}
		game = append(game, j)
	}
	return game
}

// backtrack returns the jumps that lead from the first layer to q, the last first. A jump that is undone on one side is
// a jump that is played on the other.
func (s *search) backtrack(q peg.Position, layers [][]peg.Position) []peg.Jump {
	var game []peg.Jump
	for i := len(layers) - 2; i >= 0; i-- {
		for _, j := range s.Board.Jumps {
			if q&j.Mask() != 1<<j.To {
				continue
			}
			r := q ^ j.Mask()
			if _, ok := slices.BinarySearch(layers[i], s.canonical(r)); ok {
				game, q = append(game, j), r
				break
			}
		}
	}
	return game
}
