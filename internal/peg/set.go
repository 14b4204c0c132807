package peg

import "math/bits"

// A Set is a set of holes of a [Layout], such as those that hold a peg: bit i%64 of word i/64 is hole i. Sets are
// compared with ==.
type Set [MaxLarge / 64]uint64

// Pegs is what says of every hole whether it has a peg: a [Position], or a pointer to a [Set].
type Pegs interface {
	Pegs() int
	Has(hole int) bool
}

// Pegs counts the holes of s.
func (s *Set) Pegs() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// Has reports whether s has hole i.
func (s *Set) Has(i int) bool { return s[i/64]>>uint(i%64)&1 != 0 }

// Put adds hole i.
func (s *Set) Put(i int) { s[i/64] |= 1 << uint(i%64) }

// Take removes hole i.
func (s *Set) Take(i int) { s[i/64] &^= 1 << uint(i%64) }

// First is the smallest hole; -1 where there is none.
func (s Set) First() int {
	for i, w := range s {
		if w != 0 {
			return 64*i + bits.TrailingZeros64(w)
		}
	}
	return -1
}

// Less returns the holes of s that t has not, and Xor those that one of the two has.
func (s Set) Less(t Set) Set {
	for i, w := range t {
		s[i] &^= w
	}
	return s
}

// Xor is described at Less.
func (s Set) Xor(t Set) Set {
	for i, w := range t {
		s[i] ^= w
	}
	return s
}

// Set is p as a set.
func (p Position) Set() Set { return Set{uint64(p)} }

// All is the set of all holes of b.
func (b *Layout) All() (s Set) {
	for i := range b.Holes {
		s.Put(i)
	}
	return s
}

// Legal reports whether jump j can be played on s.
func (s *Set) Legal(j Jump) bool {
	return s.Has(int(j.From)) && s.Has(int(j.Over)) && !s.Has(int(j.To))
}

// Play plays jump j.
func (s *Set) Play(j Jump) {
	s.Take(int(j.From))
	s.Take(int(j.Over))
	s.Put(int(j.To))
}

// DeadSet reports whether no jump of b is legal on s.
func (b *Layout) DeadSet(s *Set) bool {
	for _, j := range b.Jumps {
		if s.Legal(j) {
			return false
		}
	}
	return true
}
