package reach

import (
	"math/bits"

	"pagoda/internal/counting/reach/wordmap"
)

type permKey struct{ element, weight int }

// shuffles tabulates the effect of group element g, which keeps the word class, on the bits of rows.
func (s *scheme) shuffles(g, weight int) []wordmap.Shuffle {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := permKey{g, weight}
	list, ok := s.perms[key]
	if ok {
		return list
	}
	for value := range s.values {
		for at, x := range s.wordList(weight, uint32(value)) {
			i := int(s.wordBit(s.class[word].image[g][x]))
			k := 0
			for k < len(list) && (list[k].From != at/64 || list[k].To != i/64) {
				k++
			}
			if k == len(list) {
				list = append(list, wordmap.NewShuffle(at/64, i/64, s.values))
			}
			list[k].Add(value, at%64, i%64)
		}
	}
	for k := range list {
		list[k].Done()
	}
	s.perms[key] = list
	return list
}

// fixedBits returns, for each value that the row leaves to the word and each plane, the bits whose patterns group
// element g, which keeps the word class, maps to themselves.
func (s *scheme) fixedBits(g, weight int) []uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := permKey{g, weight}
	t, ok := s.fixed[key]
	if ok {
		return t
	}
	planes := s.planes(weight)
	t = make([]uint64, s.values*planes)
	for value := range s.values {
		for i, x := range s.wordList(weight, uint32(value)) {
			if s.class[word].image[g][x] == x {
				t[value*planes+i/64] |= 1 << (i % 64)
			}
		}
	}
	s.fixed[key] = t
	return t
}

// aliveBits returns, for each jump, value that the row leaves to the word and plane, the bits whose patterns allow the
// jump.
func (s *scheme) aliveBits(weight int) []uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.alive[weight]
	if ok {
		return t
	}
	planes := s.planes(weight)
	t = make([]uint64, len(s.board.Jumps)*s.values*planes)
	for value := range s.values {
		for i, x := range s.wordList(weight, uint32(value)) {
			for k, set := range s.class[word].legal[int(x)*s.jumpWords:][:s.jumpWords] {
				for ; set != 0; set &= set - 1 {
					j := 64*k + bits.TrailingZeros64(set)
					t[(j*s.values+value)*planes+i/64] |= 1 << (i % 64)
				}
			}
		}
	}
	s.alive[weight] = t
	return t
}
