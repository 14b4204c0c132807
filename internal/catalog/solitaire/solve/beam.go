package solve

import (
	"context"
	"slices"

	"pagoda/internal/peg"
)

// A variant is a way to judge positions: lower is better.
type variant struct {
	distance int32 // times the square of a peg's distance from the middle of the goal's pegs
	corner   int32 // for a peg that cannot be jumped
	lonely   int32 // for a peg without a neighbour
	mobility int32 // a bonus: times the possible jumps
}

var variants = []variant{
	{distance: 4, corner: 8, mobility: 2},
	{distance: 1, corner: 20, mobility: 6},
	{distance: 8, corner: 0, lonely: 10},
}

// A judge scores positions of one side.
type judge struct {
	variant
	board *peg.Board
	weigh *weighing
	near  []peg.Position // neighbours of each hole
}

func newJudge(b *peg.Board, goal peg.Position, v variant) *judge {
	j := &judge{variant: v, board: b, near: make([]peg.Position, b.Size())}
	corners := b.Full()
	for _, k := range b.Jumps {
		corners &^= 1 << k.Over
		j.near[k.From] |= 1 << k.Over
		j.near[k.To] |= 1 << k.Over
		j.near[k.Over] |= 1<<k.From | 1<<k.To
	}
	weights := make([]int32, b.Size())
	for i, d := range b.Distances(goal, int(v.distance)) {
		weights[i] = int32(d)
		if corners.Has(i) {
			weights[i] += v.corner
		}
	}
	j.weigh = newWeighing(weights)
	return j
}

func (j *judge) score(q peg.Position) int32 {
	s := j.weigh.sum(q)
	if j.mobility != 0 {
		for _, k := range j.board.Jumps {
			if k.Legal(q) {
				s -= j.mobility
			}
		}
	}
	if j.lonely != 0 {
		for i := range j.near {
			if q.Has(i) && q&j.near[i] == 0 {
				s += j.lonely
			}
		}
	}
	return s
}

// beam returns layers from the start of the side, the exact ones first, of which the last may be thinned out, until
// there are count of them. Each further one is the best positions that the one before leads to. The layers are in
// ascending order.
func (s *search) beam(ctx context.Context, d *side, count, width, v int) ([][]peg.Position, error) {
	j := newJudge(s.Board, d.goal, variants[v])
	layers := slices.Clone(d.exact)
	for len(layers) < count {
		from := j.best(layers[len(layers)-1], width, uint64(v))
		next, err := s.next(ctx, d, from)
		if err != nil {
			return nil, err
		}
		if len(next) > 0 {
			next = s.learn(d, next, 1)
		}
		if len(layers)+1 < count { // the last one is compared whole
			next = j.best(next, width, uint64(v))
		}
		layers = append(layers, next)
		s.kept += int64(len(next))
	}
	return layers, nil
}

// best returns the best positions of a layer, in their order. Equal ones are picked by a hash.
func (j *judge) best(layer []peg.Position, width int, seed uint64) []peg.Position {
	if len(layer) <= width {
		return layer
	}
	scores := make([]int64, len(layer))
	for i, q := range layer {
		scores[i] = int64(j.score(q))<<16 | int64((uint64(q)^seed)*0x9e3779b97f4a7c15>>48)
	}
	order := slices.Clone(scores)
	slices.Sort(order)
	limit := order[width-1]
	kept := make([]peg.Position, 0, width)
	for i, q := range layer {
		if scores[i] <= limit {
			kept = append(kept, q)
		}
	}
	return kept
}
