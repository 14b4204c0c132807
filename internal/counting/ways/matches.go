package ways

import (
	"context"
	"fmt"
	"slices"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// A Filter chooses solutions: those that meet every condition.
type Filter struct {
	Through peg.Position // a position that is passed, itself and no image of it; 0 for none
	Jump    *peg.Jump    // a jump that is played once or more often; nil for none
	Sweep   int          // jumps that a sweep has at least; 0 for none
}

// Conditions that a solution can meet on its way, as bits.
const (
	jumpPlayed = 1 << iota
	sweepMade
	conditions
)

// Matches are the solutions that a filter chooses.
//
// Let f(T) of a position, with a set T of conditions, be the number of its ways to the goal that meet none of T. They
// pass the position of the filter where it is still ahead. Ways that meet all conditions are the sum of f(T) over all
// sets, with the sign of the size of T.
//
// A way that does not play a jump is a way in the graph without its edges. For ways without a sweep of k jumps or more,
// every sweep is cut into pieces in all ways. A piece of n jumps weighs 1 where n is 1 modulo k, -1 where k divides n,
// and otherwise 0: the coefficients of (z-z^k)/(1-z^k). So the products of the weights add up to 1 for a sweep of fewer
// than k jumps, and to 0 for a longer one.
//
// A position that is not the least of its class has the ways of the least one under the image of the filter.
type Matches struct {
	Count uint128.Uint128 // the number of solutions

	graph    *Graph
	filter   Filter
	at       int           // jumps to the position of the filter; -1 for none
	asked    int           // its conditions
	sets     []int         // sets of conditions whose counts are kept
	variants []Filter      // images of the filter, itself first
	image    [][]uint8     // by symmetry and variant: the variant that is its image
	plays    [][]uint16    // by symmetry and place of a jump: the variants, as bits, in whose image it is the jump
	product  [][]uint8     // by symmetries g and h: the symmetry that does h first
	open     [][]uint8     // by jumps, then class and variant: bit R says that ways meet all conditions of R
	counts   []conditional // by jumps; those that are not needed any more are empty
	longest  int           // jumps of the longest piece from the last layer that was counted; 0 where sweeps do not matter
}

// conditional has, by sets T of conditions, f(T) by class and variant.
type conditional [conditions][]uint128.Uint128

// Match finds the solutions that a filter chooses. The error wraps ErrTooMany when that takes more than so many bytes.
func (g *Graph) Match(ctx context.Context, f Filter, bytes int64) (*Matches, error) {
	m := &Matches{graph: g, filter: f, at: -1}
	if f.Through != 0 {
		m.at = g.problem.Start.Pegs() - f.Through.Pegs()
	}
	if f.Jump != nil {
		m.asked |= jumpPlayed
	}
	if f.Sweep > 0 {
		m.asked |= sweepMade
	}
	if len(g.layers) == 0 || f.Through != 0 && (m.at < 0 || m.at >= len(g.layers)) {
		return m, nil
	}
	m.turn()
	// Without a position to pass, the ways are f of the empty set.
	for t := range conditions {
		if t&^m.asked == 0 && (t != 0 || m.at >= 0) {
			m.sets = append(m.sets, t)
		}
	}
	m.open, m.counts = make([][]uint8, len(g.layers)), make([]conditional, len(g.layers))
	for n := len(g.layers) - 1; n >= 0; n-- {
		if err := m.count(ctx, n, bytes); err != nil {
			return nil, err
		}
		// A piece from the layer before is one jump and perhaps a piece from this one.
		for k := n + m.longest + 1; k < len(g.layers); k++ {
			m.counts[k] = conditional{}
		}
	}
	m.Count = m.meeting(0, 0, m.asked)
	m.counts = nil
	return m, nil
}

// turn finds the variants.
func (m *Matches) turn() {
	group := m.graph.group
	same := func(a, b Filter) bool {
		return a.Through == b.Through && (a.Jump == nil || *a.Jump == *b.Jump)
	}
	turned := func(f Filter, g peg.Perm) Filter {
		f.Through = g.Apply(f.Through)
		if f.Jump != nil {
			j := g.Jump(*f.Jump)
			f.Jump = &j
		}
		return f
	}
	place := func(f Filter) int {
		return slices.IndexFunc(m.variants, func(v Filter) bool { return same(v, f) })
	}
	for _, g := range group {
		if f := turned(m.filter, g); place(f) < 0 {
			m.variants = append(m.variants, f)
		}
	}
	for _, g := range group {
		var images, products []uint8
		plays := make([]uint16, len(m.graph.problem.Board.Jumps))
		for k, v := range m.variants {
			image := place(turned(v, g))
			images = append(images, uint8(image))
			for i, j := range m.graph.problem.Board.Jumps {
				if m.filter.Jump != nil && *m.variants[image].Jump == j {
					plays[i] |= 1 << k
				}
			}
		}
		for _, h := range group {
			gh := g.Compose(h)
			products = append(products, uint8(slices.IndexFunc(group, func(x peg.Perm) bool { return slices.Equal(x, gh) })))
		}
		m.image, m.plays, m.product = append(m.image, images), append(m.plays, plays), append(m.product, products)
	}
}

// f is f(T) of a class and a variant after n jumps.
func (m *Matches) f(n int, c uint32, k, t int) uint128.Uint128 {
	if list := m.counts[n][t]; list != nil {
		return list[int(c)*len(m.variants)+k]
	}
	return m.graph.layers[n].ways[c]
}

// meeting counts, modulo 2^128, the ways that meet all conditions of r, of a class after n jumps, whose place among
// classes and variants is given.
func (m *Matches) meeting(n, place, r int) (sum uint128.Uint128) {
	c, k := uint32(place/len(m.variants)), place%len(m.variants)
	for t := range conditions {
		switch {
		case t&^r != 0:
		case t == jumpPlayed || t == sweepMade:
			sum, _ = sum.Sub(m.f(n, c, k, t))
		default:
			sum, _ = sum.Add(m.f(n, c, k, t))
		}
	}
	return sum
}

// count fills in the counts and the bits of a layer. They are to take no more than so many bytes in all.
func (m *Matches) count(ctx context.Context, n int, bytes int64) error {
	l, variants := &m.graph.layers[n], len(m.variants)
	held := 0
	for k := range m.counts {
		if list := m.counts[k][m.asked]; list != nil || k == n {
			held += len(m.graph.layers[k].positions)
		}
	}
	if need := int64(16 * held * variants * len(m.sets)); need > bytes {
		return fmt.Errorf("%w: the conditions take more than %d MiB", ErrTooMany, bytes>>20)
	}
	m.longest = 0
	for _, t := range m.sets {
		m.counts[n][t] = make([]uint128.Uint128, len(l.positions)*variants)
	}
	m.open[n] = make([]uint8, len(l.positions)*variants)
	for c := range l.positions {
		if c&0xff == 0 {
			if err := puzzle.Progress(ctx); err != nil {
				return err
			}
		}
		m.countClass(n, uint32(c))
		for place := c * variants; place < (c+1)*variants; place++ {
			for r := range conditions {
				if r&^m.asked == 0 && !m.meeting(n, place, r).IsZero() {
					m.open[n][place] |= 1 << r
				}
			}
		}
	}
	return nil
}

// A piece is consecutive jumps of one peg from the least position of a class.
type piece struct {
	jumps int
	hole  uint8 // where the peg is
	by    uint8 // the symmetry that takes the position after them to the least of its class
	// Variants as bits: those whose position the jumps do not miss, and of these the ones whose jump they do not play.
	passing, avoiding uint16
}

// countClass counts the ways of a class.
func (m *Matches) countClass(n int, c uint32) {
	p := piece{}
	for k, v := range m.variants {
		if n != m.at || m.graph.layers[n].positions[c] == v.Through {
			p.passing |= 1 << k
		}
	}
	if p.avoiding = p.passing; p.passing == 0 {
		return
	}
	if n == len(m.graph.layers)-1 {
		m.add(n, c, n, c, p, 1)
		return
	}
	m.extend(n, c, n, c, p)
}

// extend goes on from a piece that has led from class c after n jumps to class d after k jumps.
func (m *Matches) extend(n int, c uint32, k int, d uint32, p piece) {
	if k == len(m.graph.layers)-1 {
		return
	}
	for _, e := range m.graph.layers[k].of(d) {
		j := m.graph.problem.Board.Jumps[e.jump]
		if p.jumps > 0 && j.From != uint16(p.hole) {
			continue
		}
		q := piece{p.jumps + 1, m.graph.group[e.by][j.To], m.product[e.by][p.by], p.passing,
			p.avoiding &^ m.plays[p.by][e.jump]}
		for v := 0; k+1 == m.at && v < len(m.variants); v++ {
			bit := uint16(1) << v
			if m.graph.layers[k+1].positions[e.to] != m.variants[m.image[q.by][v]].Through {
				q.passing, q.avoiding = q.passing&^bit, q.avoiding&^bit
			}
		}
		if q.passing == 0 {
			continue
		}
		m.add(n, c, k+1, e.to, q, m.weight(q.jumps))
		if m.asked&sweepMade != 0 {
			m.longest = max(m.longest, q.jumps)
			m.extend(n, c, k+1, e.to, q)
		}
	}
}

// weight is the weight of a piece of so many jumps among the ways without a long sweep.
func (m *Matches) weight(jumps int) (w int) {
	if m.asked&sweepMade == 0 {
		return 0
	}
	if jumps%m.filter.Sweep == 1%m.filter.Sweep {
		w++
	}
	if jumps%m.filter.Sweep == 0 {
		w--
	}
	return w
}

// add adds to the counts of class c after n jumps those of the class that a piece has led to: once where sweeps do not
// matter and the piece is a jump, and with the weight of the piece where they do.
func (m *Matches) add(n int, c uint32, k int, d uint32, p piece, weight int) {
	for _, t := range m.sets {
		w, variants := weight, p.passing
		if t&sweepMade == 0 {
			w = 0
			if p.jumps <= 1 {
				w = 1
			}
		}
		if t&jumpPlayed != 0 {
			variants = p.avoiding
		}
		for v := range m.variants {
			if w == 0 || variants>>v&1 == 0 {
				continue
			}
			x := uint128.From(1)
			if p.jumps > 0 {
				x = m.f(k, d, int(m.image[p.by][v]), t)
			}
			sum := &m.counts[n][t][int(c)*len(m.variants)+v]
			if w > 0 {
				*sum, _ = sum.Add(x)
			} else {
				*sum, _ = sum.Sub(x)
			}
		}
	}
}

// Each passes the solutions that are chosen to fn, as [Listing.Each] does, with their numbers among all solutions.
func (m *Matches) Each(
	ctx context.Context, from uint128.Uint128, fn func(number uint128.Uint128, jumps []peg.Jump) error,
) error {
	if m.Count.IsZero() {
		return nil
	}
	return m.graph.Listing().each(ctx, from, m, fn)
}

// A stage is the conditions that a game has not met yet, and its last sweep.
type stage struct {
	open  int
	hole  uint8 // of the peg that has moved last
	jumps int   // that it has made
}

// after returns the stage of a game after its next jump, which has led to q after n jumps.
func (m *Matches) after(s stage, j peg.Jump) stage {
	if uint16(s.hole) != j.From {
		s.jumps = 0
	}
	s.hole, s.jumps = uint8(j.To), s.jumps+1
	if m.filter.Jump != nil && j == *m.filter.Jump {
		s.open &^= jumpPlayed
	}
	if m.filter.Sweep > 0 && s.jumps >= m.filter.Sweep {
		s.open &^= sweepMade
	}
	return s
}

// goesOn reports whether ways from q after n jumps meet the conditions that are open. They may go on with the sweep.
func (m *Matches) goesOn(q peg.Position, n int, s stage) bool {
	c, by, ok := m.graph.find(q, n)
	if !ok {
		return false
	}
	if m.open[n][int(c)*len(m.variants)+int(m.image[by][0])]>>s.open&1 != 0 {
		return true
	}
	if s.open&sweepMade == 0 || n == m.at && q != m.filter.Through {
		return false
	}
	for _, j := range m.graph.problem.Board.Jumps {
		if j.From == uint16(s.hole) && j.Legal(q) && m.goesOn(j.Play(q), n+1, m.after(s, j)) {
			return true
		}
	}
	return false
}
