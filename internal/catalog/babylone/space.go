package babylone

import (
	"fmt"
	"math/bits"
	"slices"
	"sort"
)

// Bounds of the tables of a space.
const (
	maxPartitions = 1 << 18
	maxCounts     = 1 << 26
	maxPositions  = 1<<48 - 1 // up to colours, with one number of piles
)

// A space numbers the positions of a game up to colours, for every number of piles, without gaps.
//
// A position is its partitions in descending order of id, the empty ones left out. Positions are ordered by their
// highest class, then by the number of partitions in it, then by the choice of these, then by the rest in the same way.
// A remainder is the colours, bricks and piles still to be given out. For each class and each remainder a table has the
// number of ways to give it out among the classes up to that one; the number of a position is a sum of at most three
// terms for each of its partitions.
//
// A colour needs bricks for its partition. With the colours in descending order of bricks and the partitions in
// descending order of weight, a position occurs when each colour has bricks for its partition. From the last class to
// the first the weight descends, as far as that matters.
type space struct {
	bricks  []int // descending
	total   int   // bricks in all
	classes []class
	all     []partition
	tables  *moveTables
	keys    []key
	counts  []uint64 // [class][colours left][bricks left][piles left], saturated
	row     int      // total+1
	slab    int      // entries of one class
}

// A key holds the figures of a partition that go into the number of a position.
type key struct {
	first  int32 // of its class
	class  int32
	before int32 // where the counts of the class before begin
	step   int32 // by how much one partition of the class lowers the place among the counts of a class
}

// newSpace returns the space of a game. The error wraps ErrGame when the game is too large.
func newSpace(bricks []int) (*space, error) {
	return newSpaceOf(bricks, sum(bricks))
}

// newSpaceOf is newSpace with positions of total bricks, which may be fewer than all: every position of any game of
// total bricks is in the space of total colours with total bricks each.
func newSpaceOf(bricks []int, total int) (*space, error) {
	s := &space{bricks: slices.Clone(bricks), total: total, row: total + 1}
	slices.SortFunc(s.bricks, func(a, b int) int { return b - a })
	list := partitions(maxPartitions, total, s.bricks[0])
	if list == nil {
		return nil, fmt.Errorf("%w of this size: bricks %s give more than %d sets of piles of one colour; choose fewer",
			ErrGame, writeBricks(bricks), maxPartitions)
	}
	s.classes, s.all = classify(list, s.bricks)
	s.slab = (len(bricks) + 1) * s.row * s.row
	if len(s.classes)*s.slab > maxCounts {
		return nil, fmt.Errorf("%w of this size: bricks %s need a table of %d counts, more than %d; choose fewer",
			ErrGame, writeBricks(bricks), len(s.classes)*s.slab, maxCounts)
	}
	s.count()
	for piles := range s.row {
		if s.size(piles) == maxPositions {
			return nil, fmt.Errorf("%w of this size: bricks %s have %d positions or more with %d piles; choose fewer",
				ErrGame, writeBricks(bricks), uint64(maxPositions), piles)
		}
	}
	s.tables = newMoveTables(s.all)
	s.keys = make([]key, len(s.all))
	for c := range s.classes {
		cl := &s.classes[c]
		for i := range cl.n {
			s.keys[cl.first+i] = key{
				first: cl.first, class: int32(c), before: int32((c - 1) * s.slab), step: int32(s.step(cl)),
			}
		}
	}
	return s, nil
}

// at is the place of a remainder among the counts of a class.
func (s *space) at(colours, size, piles int) int { return (colours*s.row+size)*s.row + piles }

func (s *space) step(c *class) int { return s.at(1, c.size, c.piles) }

// count fills in the counts.
func (s *space) count() {
	s.counts = make([]uint64, len(s.classes)*s.slab)
	for colours := range len(s.bricks) + 1 {
		s.counts[s.at(colours, 0, 0)] = 1
	}
	for c := 1; c < len(s.classes); c++ {
		cl, slab, before := &s.classes[c], s.counts[c*s.slab:(c+1)*s.slab], s.counts[(c-1)*s.slab:c*s.slab]
		copy(slab, before)
		for colours := 1; colours <= len(s.bricks); colours++ {
			for size := cl.size; size <= s.total; size++ {
				for piles := cl.piles; piles <= s.total; piles++ {
					at := s.at(colours, size, piles)
					n := slab[at]
					for j := 1; j <= s.room(cl, colours) && j*cl.size <= size && j*cl.piles <= piles; j++ {
						if ways := before[at-j*s.step(cl)]; ways > 0 {
							n = min(n+saturated(multisets(uint64(cl.n), j), ways), maxPositions)
						}
					}
					slab[at] = n
				}
			}
		}
	}
}

// room says how many partitions of a class a position can have when so many colours are left for it and the classes
// before it.
func (s *space) room(c *class, colours int) int { return c.colours - (len(s.bricks) - colours) }

// multisets is the number of multisets of j of n things, at most maxPositions.
func multisets(n uint64, j int) uint64 {
	v := uint64(1)
	for i := range uint64(j) {
		hi, lo := bits.Mul64(v, n+i)
		if hi >= i+1 {
			return maxPositions
		}
		if v, _ = bits.Div64(hi, lo, i+1); v >= maxPositions {
			return maxPositions
		}
	}
	return v
}

// saturated is the product of two numbers, at most maxPositions.
func saturated(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi > 0 {
		return maxPositions
	}
	return min(lo, maxPositions)
}

// size is the number of positions with so many piles.
func (s *space) size(piles int) uint64 {
	return s.counts[(len(s.classes)-1)*s.slab+s.at(len(s.bricks), s.total, piles)]
}

// positions is the number of positions with any number of piles.
func (s *space) positions() (n uint64) {
	for piles := range s.row {
		n += s.size(piles)
	}
	return n
}

// rank is the number of a position with so many piles.
func (s *space) rank(ids []int32, piles int) uint64 {
	at := s.at(len(s.bricks), s.total, piles)
	r := uint64(0)
	for i := 0; i < len(ids); i++ {
		id := ids[i]
		k := &s.keys[id]
		if i+1 == len(ids) || ids[i+1] < k.first { // alone in its class
			r += s.counts[int(k.before)+at]
			at -= int(k.step)
			r += uint64(id-k.first) * s.counts[int(k.before)+at]
			continue
		}
		j, choice := 1, uint64(0)
		for i+j < len(ids) && ids[i+j] >= k.first {
			j++
		}
		n := uint64(s.classes[k.class].n)
		for taken := range j {
			r += multisets(n, taken) * s.counts[int(k.before)+at-taken*int(k.step)]
			choice += choices(uint64(ids[i+taken]-k.first), j-taken)
		}
		at -= j * int(k.step)
		r += choice * s.counts[int(k.before)+at]
		i += j - 1
	}
	return r
}

// choices is the number of multisets of j things of i.
func choices(i uint64, j int) uint64 {
	if j == 1 {
		return i
	}
	return multisets(i, j)
}

// unrank appends to ids, which is empty, the position of a number below size(piles).
func (s *space) unrank(r uint64, piles int, ids []int32) []int32 {
	at, top := s.at(len(s.bricks), s.total, piles), len(s.classes)-1
	for at%(s.row*s.row) != 0 {
		// The highest class is the first whose count passes r.
		c := 1 + sort.Search(top-1, func(i int) bool { return s.counts[(i+1)*s.slab+at] > r })
		cl, before := &s.classes[c], s.counts[(c-1)*s.slab:c*s.slab]
		r -= before[at]
		step := s.step(cl)
		j := 1
		for ; ; j++ {
			n := saturated(multisets(uint64(cl.n), j), before[at-j*step])
			if r < n {
				break
			}
			r -= n
		}
		at -= j * step
		choice := r / before[at]
		r %= before[at]
		for high := uint64(cl.n); j > 0; j-- {
			i := uint64(sort.Search(int(high), func(i int) bool { return choices(uint64(i)+1, j) > choice }))
			choice -= choices(i, j)
			ids = append(ids, cl.first+int32(i))
			high = i + 1
		}
		top = c - 1
	}
	return ids
}

// next turns a position into the next one with as many piles, whose number is r.
func (s *space) next(ids []int32, r uint64, piles int) []int32 {
	if last := len(ids) - 1; last >= 0 {
		id := ids[last]
		cl := &s.classes[s.keys[id].class]
		if id+1 < cl.first+cl.n && (last == 0 || id < ids[last-1]) {
			ids[last]++
			return ids
		}
	}
	return s.unrank(r, piles, ids[:0])
}
