package reach

import (
	"math/bits"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// Sums that windows report. A position's symmetries are the group elements that map it to itself: summed over all
// positions and divided by the size of the group they give the number of classes (Burnside).
const (
	sumPositions  = "positions"
	sumDead       = "dead_positions"
	sumSymmetries = "symmetries"
)

// A tally counts the positions of runs.
type tally struct {
	*scheme
	shape shape
	times uint64 // positions that each stands for, its orbit in the cell apart
	fixed []fixing
	alive []uint64

	positions, dead, symmetries uint64
}

// A fixing counts the positions of a run that a symmetry, other than the identity, maps to themselves.
type fixing struct {
	element int
	to      [roles]int
	from    [roles]int // the inverse of to
	bits    []uint64   // see fixedBits; nil when the element moves the word class
	runs    []uint32   // run patterns that can occur, by rank, unless lead or mid decides
}

func (s *scheme) newTally(v partition.Vector) tally {
	t := tally{scheme: s, shape: s.shape(v), times: uint64(len(s.orbit(v)))}
	t.fixed = s.fixings(v, s.stabiliser(v))
	t.alive = s.aliveBits(t.shape.weight[word])
	return t
}

// fixings prepares the given elements, which map v to itself.
func (s *scheme) fixings(v partition.Vector, elements []int) (list []fixing) {
	h := s.shape(v)
	for _, g := range elements {
		if g == 0 {
			continue
		}
		f := fixing{element: g, to: s.toRole[g]}
		for r, t := range f.to {
			f.from[t] = r
		}
		if f.to[word] == word {
			f.bits = s.fixedBits(g, h.weight[word])
		}
		f.runs = make([]uint32, 0, h.runs)
		for l, x := range s.class[run].byWeight[h.weight[run]] {
			if f.to[run] != run || s.class[run].image[g][x] == x {
				f.runs = append(f.runs, uint32(l))
			}
		}
		list = append(list, f)
	}
	return list
}

// run counts the positions of a run.
func (t *tally) run(hd *head, words []uint64) {
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
		lead: t.class[lead].byWeight[t.shape.weight[lead]][hd.lead],
		mid:  t.class[mid].byWeight[t.shape.weight[mid]][hd.mid],
	}
	t.dead += orbit * uint64(t.countDead(x, words))
	for i := range t.fixed {
		n += t.countFixed(&t.fixed[i], x, words)
	}
	t.symmetries += orbit * uint64(n)
}

// countDead counts the positions without a jump. Most rows have a jump that leaves the word class alone.
func (t *tally) countDead(x [roles]uint32, words []uint64) (dead int) {
	n := t.jumpWords
	high := make([]uint64, n, 8)
	for k := range high {
		high[k] = t.class[lead].legal[int(x[lead])*n+k] & t.class[mid].legal[int(x[mid])*n+k]
	}
	value := t.base ^ t.class[lead].inv[x[lead]] ^ t.class[mid].inv[x[mid]]
	planes, runs := t.shape.planes, t.shape.runs
rows:
	for l, y := range t.class[run].byWeight[t.shape.weight[run]] {
		low := t.class[run].legal[int(y)*n:][:n]
		for k, set := range high {
			if set&low[k]&t.rowOnly[k] != 0 {
				continue rows
			}
		}
		at := int(value ^ t.class[run].inv[y])
		for p := range planes {
			left := words[p*runs+l]
			for k, set := range high {
				for set &= low[k]; set != 0 && left != 0; set &= set - 1 {
					j := 64*k + bits.TrailingZeros64(set)
					left &^= t.alive[(j*t.values+at)*planes+p]
				}
			}
			dead += bits.OnesCount64(left)
		}
	}
	return dead
}

// countFixed counts the positions of a run that f maps to themselves: those whose pattern in every class is the image
// of the pattern in the class that f maps there. x has the lead and mid patterns.
func (t *tally) countFixed(f *fixing, x [roles]uint32, words []uint64) (n int) {
	image := func(r int) uint32 { return t.class[r].image[f.element][x[r]] }
	for _, r := range [...]int{lead, mid} {
		if to := f.to[r]; (to == lead || to == mid) && image(r) != x[to] {
			return 0
		}
	}
	list := f.runs
	var one [1]uint32
	if r := f.from[run]; r == lead || r == mid {
		one[0] = t.class[run].rank[image(r)]
		list = one[:]
	}
	value := t.base ^ t.class[lead].inv[x[lead]] ^ t.class[mid].inv[x[mid]]
	planes, runs := t.shape.planes, t.shape.runs
	for _, l := range list {
		x[run] = t.class[run].byWeight[t.shape.weight[run]][l]
		if to := f.to[run]; to != word && image(run) != x[to] {
			continue
		}
		at := int(value ^ t.class[run].inv[x[run]])
		if f.bits != nil {
			for p := range planes {
				n += bits.OnesCount64(words[p*runs+int(l)] & f.bits[at*planes+p])
			}
			continue
		}
		// The word class is moved: its pattern is the image of another's, and its own image must be what is there.
		x[word] = image(f.from[word])
		if image(word) != x[f.to[word]] || int(t.class[word].inv[x[word]]) != at {
			continue
		}
		bit := t.wordBit(x[word])
		n += int(words[int(bit/64)*runs+int(l)] >> (bit % 64) & 1)
	}
	return n
}

// result is the tally of the window.
func (t *tally) result() (puzzle.Tally, error) {
	var sum puzzle.Tally
	for _, s := range []struct {
		name string
		n    uint64
	}{{sumPositions, t.positions}, {sumDead, t.dead}, {sumSymmetries, t.symmetries}} {
		if err := sum.AddSum(s.name, uint128.Mul(s.n, t.times)); err != nil {
			return sum, err
		}
	}
	return sum, nil
}
