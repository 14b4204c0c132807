package feasible

import "pagoda/internal/peg"

// A summing looks for jumps that sum to a given vector, each taken any number of times and in no order: a quick way to
// see whether P'-P is in the integer cone, where branch and bound takes linear programs. It goes into the depth, takes
// the most promising jumps first, and gives up when it has tried a number of them. When it ends before, it has tried
// all.
type summing struct {
	jumps   []peg.Jump
	class   []uint8
	into    [][]uint8 // of each hole, the jumps that end in it
	out     [][]uint8 // and those that take a peg from it
	size    int
	left    int // jumps that may still be tried
	missing [peg.MaxHoles]int8
	taken   []uint8 // the jumps of a sum that was found
	// over says how many jumps must still go over a hole of each playable class: a jump changes only the sum over the
	// class of the hole that it goes over.
	over [4]int
}

func newSumming(b *peg.Board) *summing {
	s := &summing{
		jumps: b.Jumps, class: b.Class, size: b.Size(),
		into: make([][]uint8, b.Size()), out: make([][]uint8, b.Size()),
	}
	if len(b.Jumps) > 256 {
		return nil
	}
	for i, j := range b.Jumps {
		s.into[j.To] = append(s.into[j.To], uint8(i))
		s.out[j.From] = append(s.out[j.From], uint8(i))
		s.out[j.Over] = append(s.out[j.Over], uint8(i))
	}
	return s
}

// solve says whether n jumps sum to the vector: allowed, forbidden, or gaveUp.
func (s *summing) solve(vector []int64, n, most int) answer {
	if s == nil {
		return gaveUp
	}
	s.over = [4]int{}
	for i, v := range vector {
		if v > 100 || v < -100 {
			return gaveUp
		}
		s.missing[i] = int8(v)
		s.over[s.class[i]] -= int(v)
	}
	s.left, s.taken = most, s.taken[:0]
	switch {
	case s.over[0] < 0 || s.over[1] < 0 || s.over[2] < 0 || s.over[3] < 0:
		return forbidden
	case s.search(n):
		return allowed
	case s.left < 0:
		return gaveUp
	}
	return forbidden
}

// search looks for n jumps that sum to missing. A hole that lacks pegs must be the end of one of them; when none does,
// one that has too many must lose a peg by one.
func (s *summing) search(n int) bool {
	lacks, has, most := -1, -1, int8(0)
	gains := 0
	for i, v := range s.missing[:s.size] {
		switch {
		case v > 0:
			if gains += int(v); lacks < 0 || len(s.into[i]) < len(s.into[lacks]) {
				lacks = i
			}
		case v < most:
			has, most = i, v
		}
	}
	switch {
	case gains > n:
		return false
	case lacks < 0 && has < 0:
		return n == 0
	case n == 0:
		return false
	}
	options := s.into[max(lacks, 0)]
	if lacks < 0 {
		options = s.out[has]
	}
	// The fewer holes lack pegs after a jump, the better.
	for want := range 3 {
		for _, i := range options {
			j := s.jumps[i]
			if s.over[s.class[j.Over]] == 0 {
				continue
			}
			lacking := 0
			if s.missing[j.From] >= 0 {
				lacking++
			}
			if s.missing[j.Over] >= 0 {
				lacking++
			}
			if lacking != want {
				continue
			}
			if s.left--; s.left < 0 {
				return false
			}
			s.over[s.class[j.Over]]--
			s.missing[j.From]++
			s.missing[j.Over]++
			s.missing[j.To]--
			if s.search(n - 1) {
				s.taken = append(s.taken, i)
				return true
			}
			s.over[s.class[j.Over]]++
			s.missing[j.From]--
			s.missing[j.Over]--
			s.missing[j.To]++
		}
	}
	return false
}
