package large

import (
	"context"
	"slices"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// A search looks for a game with beams of growing width. A beam plays from the start, or for a single goal from the
// goal backwards, which is forwards on complements.
type search struct {
	sides  []*side
	most   int // positions that may be kept
	kept   int
	rounds int
}

// A side is a problem, with what its beams need.
type side struct {
	*feasible.Open
	near    [][]uint16 // of each hole: the holes next to it in a jump
	changed [][]uint16 // of each jump: the jumps that have a hole with it in common
	around  [][]uint16 // and its holes, with those next to them
	hash    []uint64   // of each hole
	exact   bool       // there is one goal
	// onward is, by position, the jump towards the goal: of all positions few jumps before it. It is made for one goal.
	onward map[peg.Set]peg.Jump
	ahead  int  // the most pegs of a position of onward
	back   bool // it plays the problem backwards
}

// A variant is a way to judge positions: lower is better.
type variant struct {
	wrong    int64 // for a hole that is not as in the goal
	distance int64 // times the square of a peg's distance from the middle of the goal's pegs
	corner   int64 // for a peg that cannot be jumped
	lonely   int64 // for a peg without a neighbour
	mobility int64 // a bonus: times the possible jumps
	pull     int64 // a bonus: times the golden weight of the pegs towards missing ones
}

var variants = []variant{
	{wrong: 40, distance: 4, corner: 8, mobility: 2, pull: 400},
	{wrong: 40, distance: 1, corner: 20, lonely: 6, mobility: 6, pull: 4000},
	{wrong: 20, distance: 8, lonely: 10, pull: 400},
}

// bytesPerPosition is what a position of a beam takes, with its share of the candidates.
const bytesPerPosition = 4096

func newSearch(p *feasible.Open, bytes int64) *search {
	if bytes == 0 {
		bytes = 512 << 20
	}
	s := &search{most: int(bytes / bytesPerPosition)}
	s.sides = append(s.sides, newSide(p, false))
	if p.Free == (peg.Set{}) {
		all := p.Board.All()
		back := &feasible.Open{Board: p.Board, Start: all.Less(p.Pegs), Pegs: all.Less(p.Start)}
		s.sides = append(s.sides, newSide(back, true))
	}
	return s
}

func newSide(p *feasible.Open, back bool) *side {
	n := p.Board.Size()
	d := &side{Open: p, near: make([][]uint16, n), exact: p.Free == (peg.Set{}), back: back}
	add := func(list []uint16, more ...uint16) []uint16 {
		for _, x := range more {
			if !slices.Contains(list, x) {
				list = append(list, x)
			}
		}
		return list
	}
	jumpsOf := make([][]uint16, n)
	for i, j := range p.Board.Jumps {
		for _, h := range []uint16{j.From, j.Over, j.To} {
			jumpsOf[h] = append(jumpsOf[h], uint16(i))
		}
		d.near[j.From], d.near[j.To] = add(d.near[j.From], j.Over), add(d.near[j.To], j.Over)
		d.near[j.Over] = add(d.near[j.Over], j.From, j.To)
	}
	for _, j := range p.Board.Jumps {
		var jumps, holes []uint16
		for _, h := range []uint16{j.From, j.Over, j.To} {
			jumps, holes = add(jumps, jumpsOf[h]...), add(add(holes, h), d.near[h]...)
		}
		d.changed, d.around = append(d.changed, jumps), append(d.around, holes)
	}
	x := uint64(0x9e3779b97f4a7c15)
	for range n { // splitmix64
		x += 0x9e3779b97f4a7c15
		z := (x ^ x>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		d.hash = append(d.hash, z^z>>31)
	}
	return d
}

// mostOnward bounds the positions that are known to lead to the goal.
const mostOnward = 50_000

// goBack fills onward, with at most so many positions.
func (d *side) goBack(most int) {
	d.onward = map[peg.Set]peg.Jump{}
	layer := []peg.Set{d.Pegs}
	for pegs := d.Pegs.Pegs() + 1; pegs <= d.Start.Pegs(); pegs++ {
		var next []peg.Set
		d.ahead = pegs
		for i := range layer {
			q := &layer[i]
			for _, j := range d.Board.Jumps {
				from, over, to := int(j.From), int(j.Over), int(j.To)
				if q.Has(from) || q.Has(over) || !q.Has(to) {
					continue
				}
				r := *q
				r.Put(from)
				r.Put(over)
				r.Take(to)
				if len(d.onward) == most {
					return
				}
				if _, ok := d.onward[r]; !ok {
					d.onward[r] = j
					next = append(next, r)
				}
			}
		}
		layer = next
	}
}

// round looks for a game with beams of one width. It returns nil where there is none among them.
func (s *search) round(ctx context.Context, width int) ([]peg.Jump, error) {
	if width = min(width, s.most); width == 0 {
		return nil, nil
	}
	s.rounds++
	for _, v := range variants {
		for _, d := range s.sides {
			jumps, err := s.beam(ctx, d, v, width)
			if err != nil || jumps != nil {
				return jumps, err
			}
		}
	}
	return nil, nil
}

// A step is how a kept position came from one of the layer before. The lists of steps tell the game.
type step struct {
	parent int32
	jump   uint16
}

// A candidate is a position after a jump.
type candidate struct {
	step
	score int64
	hash  uint64
}

// A place is a position of the beam, with what its candidates are judged from.
type place struct {
	set   peg.Set
	score int64
	hash  uint64
}

// beam keeps the best positions of each layer.
func (s *search) beam(ctx context.Context, d *side, v variant, width int) ([]peg.Jump, error) {
	if d.exact && d.onward == nil {
		d.goBack(min(mostOnward, s.most))
	}
	j := newJudge(d, v)
	layer := []place{{set: d.Start, score: j.score(&d.Start), hash: d.hashOf(&d.Start)}}
	var history [][]step
	var list []candidate
	seen := map[uint64]bool{}
	pegs, fewest := d.Start.Pegs(), d.Pegs.Pegs()
	for pegs--; pegs >= fewest && len(layer) > 0; pegs-- {
		list = list[:0]
		clear(seen)
		for i := range layer {
			if err := puzzle.Progress(ctx); err != nil {
				return nil, err
			}
			q := &layer[i]
			for k, jump := range d.Board.Jumps {
				if !q.set.Legal(jump) {
					continue
				}
				hash := q.hash ^ d.hash[jump.From] ^ d.hash[jump.Over] ^ d.hash[jump.To]
				if seen[hash] {
					continue
				}
				seen[hash] = true
				here := step{int32(i), uint16(k)}
				if r := q.set; !d.exact || pegs <= d.ahead {
					r.Play(jump)
					if rest, ok := d.finish(r); ok {
						return d.game(append(history, []step{here}), rest), nil
					}
				}
				list = append(list, candidate{here, q.score + j.change(&q.set, k), hash})
			}
		}
		// Equal scores are told apart by the hash, so that they are not all from one parent.
		slices.SortFunc(list, func(a, b candidate) int {
			switch {
			case a.score != b.score && a.score < b.score, a.score == b.score && a.hash < b.hash:
				return -1
			}
			return 1
		})
		list = list[:min(len(list), width)]
		next, steps := make([]place, len(list)), make([]step, len(list))
		for i, c := range list {
			next[i] = place{layer[c.parent].set, c.score, c.hash}
			next[i].set.Play(d.Board.Jumps[c.jump])
			steps[i] = c.step
		}
		s.kept += len(list)
		layer, history = next, append(history, steps)
	}
	return nil, nil
}

func (d *side) hashOf(s *peg.Set) (h uint64) {
	for i, x := range d.hash {
		if s.Has(i) {
			h ^= x
		}
	}
	return h
}

// finish returns the jumps from r to a goal, where they are known.
func (d *side) finish(r peg.Set) (rest []peg.Jump, ok bool) {
	for !d.Has(&r) {
		j, ok := d.onward[r]
		if !ok {
			return nil, false
		}
		rest = append(rest, j)
		r.Play(j)
	}
	return rest, true
}

// game is the jumps of the last step and those before, and the rest, as they are played from the start.
func (d *side) game(history [][]step, rest []peg.Jump) []peg.Jump {
	var jumps []peg.Jump
	at := int32(0)
	for i := len(history) - 1; i >= 0; i-- {
		s := history[i][at]
		jumps = append(jumps, d.Board.Jumps[s.jump])
		at = s.parent
	}
	slices.Reverse(jumps)
	jumps = append(jumps, rest...)
	if d.back {
		slices.Reverse(jumps)
	}
	return jumps
}

// A judge scores positions of a side.
type judge struct {
	*side
	variant
	weights []int64 // of a peg in each hole
}

func newJudge(d *side, v variant) *judge {
	j := &judge{side: d, variant: v, weights: make([]int64, d.Board.Size())}
	over := peg.Set{}
	for _, k := range d.Board.Jumps {
		over.Put(int(k.Over))
	}
	distances := make([]int, d.Board.Size())
	if d.exact {
		distances = d.Board.Distances(&d.Pegs, int(v.distance))
	}
	for i := range d.Board.Holes {
		j.weights[i] += int64(distances[i])
		switch {
		case d.Pegs.Has(i):
			j.weights[i] -= v.wrong
		case !d.Free.Has(i):
			j.weights[i] += v.wrong
		}
		if !over.Has(i) && !d.Free.Has(i) {
			j.weights[i] += v.corner
		}
	}
	// The golden weights of Conway draw pegs to the holes that lack one.
	for t, h := range d.Board.Holes {
		if d.exact || !d.Pegs.Has(t) || d.Start.Has(t) {
			continue
		}
		for i, g := range d.Board.Holes {
			steps := max(g.Row-h.Row, h.Row-g.Row) + max(g.Col-h.Col, h.Col-g.Col)
			pull := v.pull
			for range steps {
				pull = pull * 987 / 1597 // the golden ratio, nearly
			}
			j.weights[i] -= pull
		}
	}
	return j
}

func (j *judge) score(s *peg.Set) (sum int64) {
	for i, w := range j.weights {
		if s.Has(i) {
			sum += w + j.alone(s, i)
		}
	}
	for _, k := range j.Board.Jumps {
		if s.Legal(k) {
			sum -= j.mobility
		}
	}
	return sum
}

// alone is what the peg of hole i costs for having no neighbour.
func (j *judge) alone(s *peg.Set, i int) int64 {
	for _, h := range j.near[i] {
		if s.Has(int(h)) {
			return 0
		}
	}
	return j.lonely
}

// change is how much a jump changes the score.
func (j *judge) change(s *peg.Set, jump int) int64 {
	k, after := j.Board.Jumps[jump], *s
	after.Play(k)
	sum := j.weights[k.To] - j.weights[k.From] - j.weights[k.Over]
	if j.mobility != 0 {
		for _, m := range j.changed[jump] {
			if s.Legal(j.Board.Jumps[m]) {
				sum += j.mobility
			}
			if after.Legal(j.Board.Jumps[m]) {
				sum -= j.mobility
			}
		}
	}
	if j.lonely != 0 {
		for _, h := range j.around[jump] {
			if s.Has(int(h)) {
				sum -= j.alone(s, int(h))
			}
			if after.Has(int(h)) {
				sum += j.alone(&after, int(h))
			}
		}
	}
	return sum
}
