package reach

import (
	"math/bits"
	"slices"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Sums that windows report. A position's symmetries are the group elements that map it to itself: summed over all
// positions and divided by the size of the group they give the number of classes (Burnside).
const (
	sumPositions  = "positions"
	sumDead       = "dead_positions"
	sumSymmetries = "symmetries"
)

var allSums = []string{sumPositions, sumDead, sumSymmetries}

// A tally counts the positions of stretches.
type tally struct {
	*scheme
	shape shape
	sums  []string
	times uint64 // positions that each stands for, its orbit in the cell apart
	fixed []*fixing
	alive []uint64
	*rowSets
	rows []uint64 // a set

	positions, dead, symmetries uint64
}

// A fixing counts the positions of a stretch that a symmetry, other than the identity, maps to themselves.
type fixing struct {
	element   int
	to        [roles]int
	from      [roles]int // the inverse of to
	bits      []uint64   // see fixedBits; nil when the element moves the word class
	stretches []uint32   // stretch patterns that can occur, by rank, unless prefix or mid decides
}

func (s *scheme) newTally(v partition.Vector, sums []string) tally {
	t := tally{scheme: s, shape: s.shape(v), sums: sums, times: uint64(len(s.orbit(v)))}
	if slices.Contains(sums, sumSymmetries) {
		t.fixed = s.fixings(&t.shape, s.stabiliser(v))
	}
	if slices.Contains(sums, sumDead) {
		t.alive, t.rowSets = s.aliveBits(t.shape.weight[word]), s.rowSetsOf(t.shape.weight[stretch])
	}
	return t
}

type fixingKey struct{ element, stretch, word int }

// fixings prepares the given elements, which map the vector of shape h to itself.
func (s *scheme) fixings(h *shape, elements []int) []*fixing {
	list := make([]*fixing, 0, len(elements))
	for _, g := range elements {
		if g == 0 {
			continue
		}
		key := fixingKey{g, h.weight[stretch], h.weight[word]}
		s.mu.Lock()
		f, ok := s.fixing[key]
		s.mu.Unlock()
		if !ok {
			f = s.newFixing(key)
			s.mu.Lock()
			s.fixing[key] = f
			s.mu.Unlock()
		}
		list = append(list, f)
	}
	return list
}

func (s *scheme) newFixing(key fixingKey) *fixing {
	f := &fixing{element: key.element, to: s.toRole[key.element]}
	for r, t := range f.to {
		f.from[t] = r
	}
	if f.to[word] == word {
		f.bits = s.fixedBits(key.element, key.word)
	}
	for l, x := range s.class[stretch].byWeight[key.stretch] {
		if f.to[stretch] != stretch || s.class[stretch].image[key.element][x] == x {
			f.stretches = append(f.stretches, uint32(l))
		}
	}
	return f
}

// stretch counts the positions of a stretch.
func (t *tally) stretch(hd *head, words []uint64) {
	n := 0
	for _, x := range words {
		n += bits.OnesCount64(x)
	}
	if n == 0 {
		return
	}
	orbit := uint64(hd.orbit)
	t.positions += orbit * uint64(n)
	x := [roles]uint32{
		prefix: t.class[prefix].byWeight[t.shape.weight[prefix]][hd.prefix],
		mid:    t.class[mid].byWeight[t.shape.weight[mid]][hd.mid],
	}
	if t.alive != nil {
		t.dead += orbit * uint64(t.countDead(x, words))
	}
	for i := range t.fixed {
		n += t.countFixed(t.fixed[i], x, words)
	}
	t.symmetries += orbit * uint64(n)
}

// countDead counts the positions without a jump. Most stretches have a jump that leaves stretch and word class alone;
// of the others most rows have one that leaves the word class alone.
func (t *tally) countDead(x [roles]uint32, words []uint64) (dead int) {
	n := t.jumpWords
	high := make([]uint64, n, 8)
	for k := range high {
		high[k] = t.class[prefix].legal[int(x[prefix])*n+k] & t.class[mid].legal[int(x[mid])*n+k]
		if high[k]&t.headOnly[k] != 0 {
			return 0
		}
	}
	rows := append(t.rows[:0], t.all...)
	for k, set := range high {
		for set &= t.rowOnly[k]; set != 0; set &= set - 1 {
			for i, allowed := range t.allowing[64*k+bits.TrailingZeros64(set)] {
				rows[i] &^= allowed
			}
		}
	}
	t.rows = rows
	value := t.base ^ t.class[prefix].inv[x[prefix]] ^ t.class[mid].inv[x[mid]]
	planes, stretches := t.shape.planes, t.shape.stretches
	patterns := t.class[stretch].byWeight[t.shape.weight[stretch]]
	for i, set := range rows {
		for ; set != 0; set &= set - 1 {
			l := 64*i + bits.TrailingZeros64(set)
			y := patterns[l]
			low := t.class[stretch].legal[int(y)*n:][:n]
			at := int(value ^ t.class[stretch].inv[y])
			for p := range planes {
				left := words[p*stretches+l]
				for k, set := range high {
					for set &= low[k]; set != 0 && left != 0; set &= set - 1 {
						j := 64*k + bits.TrailingZeros64(set)
						left &^= t.alive[(j*t.values+at)*planes+p]
					}
				}
				dead += bits.OnesCount64(left)
			}
		}
	}
	return dead
}

// A rowSets is sets of rows of a stretch, as bits.
type rowSets struct {
	all      []uint64
	allowing [][]uint64 // by jump: those whose stretch pattern allows it
}

// rowSetsOf makes the sets of a weight of the stretch class.
func (s *scheme) rowSetsOf(weight int) *rowSets {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.rowSets[weight]
	if ok {
		return r
	}
	patterns := s.class[stretch].byWeight[weight]
	r = &rowSets{all: make([]uint64, (len(patterns)+63)/64), allowing: make([][]uint64, len(s.board.Jumps))}
	for j := range r.allowing {
		r.allowing[j] = make([]uint64, len(r.all))
		for l, x := range patterns {
			r.all[l/64] |= 1 << (l % 64)
			r.allowing[j][l/64] |= s.class[stretch].legal[int(x)*s.jumpWords+j/64] >> (j % 64) & 1 << (l % 64)
		}
	}
	s.rowSets[weight] = r
	return r
}

// countFixed counts the positions of a stretch that f maps to themselves: those whose pattern in every class is the
// image of the pattern in the class that f maps there. x has the prefix and mid patterns.
func (t *tally) countFixed(f *fixing, x [roles]uint32, words []uint64) (n int) {
	image := func(r int) uint32 { return t.class[r].image[f.element][x[r]] }
	for _, r := range [...]int{prefix, mid} {
		if to := f.to[r]; (to == prefix || to == mid) && image(r) != x[to] {
			return 0
		}
	}
	list := f.stretches
	var one [1]uint32
	if r := f.from[stretch]; r == prefix || r == mid {
		one[0] = t.class[stretch].rank[image(r)]
		list = one[:]
	}
	value := t.base ^ t.class[prefix].inv[x[prefix]] ^ t.class[mid].inv[x[mid]]
	planes, stretches := t.shape.planes, t.shape.stretches
	for _, l := range list {
		x[stretch] = t.class[stretch].byWeight[t.shape.weight[stretch]][l]
		if to := f.to[stretch]; to != word && image(stretch) != x[to] {
			continue
		}
		at := int(value ^ t.class[stretch].inv[x[stretch]])
		if f.bits != nil {
			for p := range planes {
				n += bits.OnesCount64(words[p*stretches+int(l)] & f.bits[at*planes+p])
			}
			continue
		}
		// The word class is moved: its pattern is the image of another's, and its own image must be what is there.
		x[word] = image(f.from[word])
		if image(word) != x[f.to[word]] || int(t.class[word].inv[x[word]]) != at {
			continue
		}
		bit := t.wordBit(x[word])
		n += int(words[int(bit/64)*stretches+int(l)] >> (bit % 64) & 1)
	}
	return n
}

// result is the tally of the window.
func (t *tally) result() (puzzle.Tally, error) {
	var sum puzzle.Tally
	n := map[string]uint64{sumPositions: t.positions, sumDead: t.dead, sumSymmetries: t.symmetries}
	for _, name := range t.sums {
		if err := sum.AddSum(name, uint128.Mul(n[name], t.times)); err != nil {
			return sum, err
		}
	}
	return sum, nil
}
