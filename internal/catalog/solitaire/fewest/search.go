package fewest

import (
	"context"
	"errors"
	"slices"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

// A search looks for solutions from both ends, sweep by sweep.
type search struct {
	peg.Problem
	regions []peg.Position
	changed []peg.Position // the regions that are full at the start
	orbits  *peg.Orbits    // nil without symmetries that fix start and goal
	forward *sweeps
	back    *sweeps
	work    int64 // positions that may yet be looked at
	most    int   // positions that may be kept
	room    int   // positions that may yet be kept
	width   int   // of a layer from the start
	far     []int // by hole: 16 times the squared distance from the middle of the goal
}

func newSearch(p peg.Problem, o Options) *search {
	s := &search{Problem: p, regions: regions(p.Board), forward: newSweeps(p.Board, false), back: newSweeps(p.Board, true),
		work: o.work(), most: o.room(), far: p.Board.Distances(p.Goal, 16)}
	for _, r := range s.regions {
		if r&^p.Start == 0 {
			s.changed = append(s.changed, r)
		}
	}
	if group := p.Symmetries(); len(group) > 1 {
		s.orbits = peg.NewOrbits(group)
	}
	return s
}

// A side is one end of the search.
type side struct {
	sweeps *sweeps
	seen   *set
	layers [][]peg.Position // by sweeps from this end: the keys of the positions that are no nearer
	// left is how many sweeps there are at least between a position and the other end.
	left  func(peg.Position) int
	tried int64 // positions around those of the last layer but one
}

func (d *side) last() []peg.Position { return d.layers[len(d.layers)-1] }

// price is about how many positions there are around those of the last layer.
func (d *side) price() float64 {
	n := float64(len(d.last()))
	if len(d.layers) > 1 {
		n *= float64(d.tried) / float64(len(d.layers[len(d.layers)-2]))
	}
	return n
}

// errLong says that the search needs more work or memory than it may use.
var errLong = errors.New("the search is too long")

// within returns a solution of at most so many sweeps, or nil. When there is none with fewer, and the width of the
// layers is not bounded, nil says that there is none.
func (s *search) within(ctx context.Context, limit, width int) ([]peg.Jump, error) {
	s.room, s.width = s.most, width
	near := s.side(s.forward, s.Start, func(p peg.Position) int { return least(s.regions, p, s.Goal) })
	far := s.side(s.back, s.Goal, func(p peg.Position) int { return least(s.changed, s.Start, p) })
	for len(near.layers)+len(far.layers)-1 < limit {
		d, _ := s.cheaper(near, far)
		if err := s.extend(ctx, d, limit-len(d.layers)); err != nil {
			return nil, err
		}
		if len(d.last()) == 0 {
			return nil, nil
		}
	}
	d, other := s.cheaper(near, far)
	meeting := newSet()
	for _, k := range other.last() {
		meeting.add(k)
	}
	b := batch{search: s, side: d, most: len(other.layers) - 1}
	for b.next(ctx) {
		meeting.touch(b.keys)
		for i, k := range b.keys {
			if !meeting.has(k) {
				continue
			}
			x, y := d.last()[b.from[i]], k
			if d == far {
				x, y = y, x
			}
			keys := s.trace(near, s.back, x)
			slices.Reverse(keys)
			return s.game(append(append(keys, x, y), s.trace(far, s.forward, y)...)), nil
		}
	}
	return nil, b.err
}

func (s *search) side(w *sweeps, at peg.Position, left func(peg.Position) int) *side {
	d := &side{sweeps: w, seen: newSet(), layers: [][]peg.Position{{at}}, left: left}
	d.seen.add(at)
	return d
}

// cheaper returns the side to extend next. Where the layers of the start are thinned out, those of the goal stay whole
// as long as they are small. Then the positions left on one side meet all of the other.
func (s *search) cheaper(near, far *side) (d, other *side) {
	price := near.price()
	if s.width < whole {
		price = float64(100 * s.width)
	}
	if far.price() < price {
		return far, near
	}
	return near, far
}

// extend adds a layer: the positions that are most sweeps away from the other end at most.
func (s *search) extend(ctx context.Context, d *side, most int) error {
	var next []peg.Position
	b := batch{search: s, side: d, most: most}
	for b.next(ctx) {
		d.seen.touch(b.keys)
		for _, k := range b.keys {
			if d.seen.add(k) {
				next = append(next, k)
			}
		}
		if s.room < len(next) {
			return errLong
		}
	}
	if !d.sweeps.back {
		next = s.thinned(next, s.width)
	}
	s.room -= len(next)
	d.tried, d.layers = b.tried, append(d.layers, next)
	return b.err
}

// A batch is the keys around some positions of the last layer of a side.
type batch struct {
	*search
	*side
	most  int // sweeps between a key and the other end
	at    int // in the layer
	keys  []peg.Position
	from  []int // where in the layer
	tried int64
	err   error
}

// next goes on in the layer, and reports whether there was something left of it.
func (b *batch) next(ctx context.Context) bool {
	b.keys, b.from = b.keys[:0], b.from[:0]
	layer := b.last()
	if b.at == len(layer) {
		return false
	}
	if b.err = puzzle.Progress(ctx); b.err == nil && b.work < 0 {
		b.err = errLong
	}
	for ; b.err == nil && b.at < len(layer) && len(b.keys) < 512; b.at++ {
		list := b.sweeps.of(layer[b.at])
		b.tried += int64(len(list))
		b.work -= int64(len(list))
		for _, q := range list {
			if b.left(q) <= b.most {
				b.keys, b.from = append(b.keys, b.key(q)), append(b.from, b.at)
			}
		}
	}
	return b.err == nil
}

// key stands for a position and its images under the symmetries that fix start and goal.
func (s *search) key(p peg.Position) peg.Position {
	if s.orbits == nil {
		return p
	}
	return s.orbits.Least(p)
}

// trace returns the keys from a position of the last layer to the end, without the first one and with the last.
func (s *search) trace(d *side, home *sweeps, k peg.Position) []peg.Position {
	var keys []peg.Position
	for i := len(d.layers) - 2; i >= 0; i-- {
		around := newSet()
		for _, q := range home.of(k) {
			around.add(s.key(q))
		}
		k = d.layers[i][slices.IndexFunc(d.layers[i], around.has)]
		keys = append(keys, k)
	}
	return keys
}

// game returns the jumps of sweeps over the keys, from the start on. Whatever a symmetry does to a position, it leaves
// the goal in its place.
func (s *search) game(keys []peg.Position) []peg.Jump {
	var game []peg.Jump
	at := keys[0]
	for _, k := range keys[1:] {
		for _, j := range s.forward.jumpsTo(at, func(q peg.Position) bool { return s.key(q) == k }) {
			at, game = j.Play(at), append(game, j)
		}
	}
	return game
}
