package reach

import (
	"fmt"
	"slices"

	"pagoda/internal/peg"
)

// completed makes to a permutation: classes without holes may go anywhere.
func completed(to [roles]int, class [roles]class) [roles]int {
	var taken [roles]bool
	for r, c := range class {
		if len(c.holes) > 0 {
			taken[to[r]] = true
		}
	}
	for r, c := range class {
		if len(c.holes) == 0 {
			to[r] = slices.Index(taken[:], false)
			taken[to[r]] = true
		}
	}
	return to
}

// chooseRoles decides which class is the word class, by the number of words that all rows of all cells take, up to
// symmetry, and which is the stretch class: as large as goodStretchBits allow. It returns the class of each role.
func (s *scheme) chooseRoles(holes [4][]uint8) (order [roles]int, err error) {
	fixing := func(c int) (n int) {
		for _, g := range s.group {
			if len(holes[c]) == 0 || int(s.board.Class[g[holes[c][0]]]) == c {
				n++
			}
		}
		return n
	}
	w, least := -1, 0.0
	for c, h := range holes {
		if len(h) > maxClassBits {
			return order, fmt.Errorf("%w: %d holes of one class on %s, at most %d are possible", ErrTooLarge, len(h),
				s.board.Name, maxClassBits)
		}
		if len(h) > maxWordBits {
			continue
		}
		planes, binomial := 0, 1
		for n := range len(h) + 1 {
			planes += (binomial + 16*64 - 1) / (16 * 64) // 16 values of the invariants on the usual boards
			binomial = binomial * (len(h) - n) / (n + 1)
		}
		rows := uint64(1) << (s.board.Size() - len(h))
		if cost := float64(rows) * float64(planes) / float64(fixing(c)); w < 0 || cost < least {
			w, least = c, cost
		}
	}
	r := -1
	better := func(c, than int) bool {
		m, n := len(holes[c]), len(holes[than])
		if m != n && (m > goodStretchBits || n > goodStretchBits) {
			return m < n
		}
		return m > n || m == n && fixing(c) > fixing(than)
	}
	for c := range holes {
		if c != w && (r < 0 || better(c, r)) {
			r = c
		}
	}
	if w < 0 || len(holes[r]) > maxStretchBits {
		return order, fmt.Errorf("%w: the classes of %s have more than %d holes", ErrTooLarge, s.board.Name, maxStretchBits)
	}
	if n := s.board.Size() - len(holes[w]) - len(holes[r]); n > maxHeadBits {
		return order, fmt.Errorf("%w: %s has %d holes beside its word and its stretch class, at most %d are possible",
			ErrTooLarge, s.board.Name, n, maxHeadBits)
	}
	order[stretch], order[word] = r, w
	next := prefix
	for c := range holes {
		if c != w && c != r {
			order[next] = c
			next++
		}
	}
	return order, nil
}

// wordInvariants returns the invariants that matter to words: a basis of the given ones modulo those that have no
// hole in the word class. A row on which one of the others is wrong has no position that can be reached, and stays
// empty.
func (s *scheme) wordInvariants(masks []peg.Position) []peg.Position {
	var in peg.Position
	for _, h := range s.class[word].holes {
		in |= 1 << h
	}
	var basis []peg.Position
	for _, m := range masks {
		for _, b := range basis {
			if low := b & in; m&(low&-low) != 0 {
				m ^= b
			}
		}
		if m&in != 0 {
			basis = append(basis, m)
		}
	}
	return basis
}
