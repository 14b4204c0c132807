package babylone

import "math/bits"

// A walker goes through the moves of positions. It is not safe for concurrent use.
type walker struct {
	s     *space
	ids   []int32
	piles int // after a move
	next  []int32
	after []uint64 // numbers of the positions after the moves of one position
}

func newWalker(s *space) *walker {
	return &walker{s: s, next: make([]int32, 0, s.total+1)}
}

// moves finds the numbers of the positions that are one move away, some of them perhaps twice. It stops and returns
// true at the first one that is in lost. lost may be nil. The numbers are good until the next call.
func (w *walker) moves(ids []int32, piles int, lost *level) (after []uint64, stopped bool) {
	w.ids, w.piles, w.after = ids, piles-1, w.after[:0]
	t := w.s.tables
	for i, id := range ids {
		if i > 0 && ids[i-1] == id {
			continue
		}
		for _, merged := range t.merges[t.mergeStart[id]:t.mergeStart[id+1]] {
			if w.take(i, merged, -1, 0, lost) {
				return nil, true
			}
		}
		// The same moves between any two colours with these two partitions, so the first of each kind stands for all.
		for j := i + 1; j < len(ids); j++ {
			other := ids[j]
			if j > i+1 && ids[j-1] == other {
				continue
			}
			mine, theirs := t.heights[id], t.heights[other]
			for common := mine & theirs; common != 0; common &= common - 1 {
				below := common&-common - 1
				a := t.stepStart[id] + int32(bits.OnesCount64(mine&below))
				b := t.stepStart[other] + int32(bits.OnesCount64(theirs&below))
				if w.take(i, t.up[a], j, t.down[b], lost) {
					return nil, true
				}
				if other != id && w.take(i, t.down[a], j, t.up[b], lost) {
					return nil, true
				}
			}
		}
	}
	return w.after, false
}

// take replaces partition i by a, and j by b unless it is negative, and reports whether the position is lost; without
// lost it notes its number. Of a and b only b, or a with j at hand, may be empty.
//
// The number is computed from scratch: keeping the terms that a move does not change cost 15 % more than it saved with
// five colours.
func (w *walker) take(i int, a int32, j int, b int32, lost *level) bool {
	r := w.s.rank(w.replace(i, a, j, b), w.piles)
	if lost != nil {
		return lost.has(r)
	}
	w.after = append(w.after, r)
	return false
}

// replace returns the position in which partition i has become a, and j has become b unless j is negative.
func (w *walker) replace(i int, a int32, j int, b int32) []int32 {
	next := w.next[:0]
	high, low := max(a, b), min(a, b)
	if j < 0 {
		high, low = a, 0
	}
	for k, id := range w.ids {
		if k == i || k == j {
			continue
		}
		for high > id {
			next = append(next, high)
			high, low = low, 0
		}
		next = append(next, id)
	}
	if high > 0 {
		next = append(next, high)
		if low > 0 {
			next = append(next, low)
		}
	}
	return next
}

// apart is the number of positions that are the same as this one up to colours: the ways to give its partitions to
// colours that have the bricks for them.
func (s *space) apart(ids []int32) uint64 {
	n, equal := uint64(1), uint64(1)
	for i, id := range ids {
		n *= uint64(s.classes[s.keys[id].class].colours - i)
		if i > 0 && ids[i-1] == id {
			equal++
			n /= equal
		} else {
			equal = 1
		}
	}
	return n
}

// edgesApart is the number of positions that the moves of one position lead to when colours are told apart: two of them
// differ when their heights do, or the colours of equal heights.
func (s *space) edgesApart(ids []int32) (n uint64) {
	t := s.tables
	for i, id := range ids {
		n += uint64(t.mergeStart[id+1] - t.mergeStart[id])
		for _, other := range ids[i+1:] {
			n += 2 * uint64(bits.OnesCount64(t.heights[id]&t.heights[other]))
		}
	}
	return n
}

// terminal reports whether a position has no move: all heights differ, and all colours.
func (s *space) terminal(ids []int32) bool {
	seen := uint64(0)
	for _, id := range ids {
		h := s.tables.heights[id]
		if seen&h != 0 || len(s.all[id].heights) > 1 {
			return false
		}
		seen |= h
	}
	return true
}
