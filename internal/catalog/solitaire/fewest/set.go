package fewest

import "pagoda/internal/peg"

// A set has positions with at least one peg, by open addressing.
type set struct {
	keys  []peg.Position // 0 where there is none
	count int
	shift uint
}

const setBits = 10 // of an empty set

func newSet() *set { return &set{keys: make([]peg.Position, 1<<setBits), shift: 64 - setBits} }

// first is where the search for p begins.
func (s *set) first(p peg.Position) int { return int(uint64(p) * 0x9e3779b97f4a7c15 >> s.shift) }

// find is the place of p, or the free one where it belongs.
func (s *set) find(p peg.Position) int {
	i := s.first(p)
	for s.keys[i] != p && s.keys[i] != 0 {
		i = (i + 1) & (len(s.keys) - 1)
	}
	return i
}

// touch brings the places of positions near, all at once: memory answers many questions in the time of one.
func (s *set) touch(list []peg.Position) (sum peg.Position) {
	for _, p := range list {
		sum += s.keys[s.first(p)]
	}
	return sum
}

func (s *set) has(p peg.Position) bool { return s.keys[s.find(p)] == p }

// add reports whether p is new.
func (s *set) add(p peg.Position) bool {
	i := s.find(p)
	if s.keys[i] == p {
		return false
	}
	s.keys[i] = p
	if s.count++; s.count > len(s.keys)/2 {
		old := s.keys
		s.keys, s.shift = make([]peg.Position, 2*len(old)), s.shift-1
		for _, k := range old {
			if k != 0 {
				s.keys[s.find(k)] = k
			}
		}
	}
	return true
}
