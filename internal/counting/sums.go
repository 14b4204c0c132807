package counting

import "pagoda/internal/puzzle/vector"

// stretchSums adds up stretches whose sums fit one word, in eight lanes that are brought together by total.
type stretchSums struct {
	paths, ended, largest [8]uint64
	out                   [4][8]uint64 // by class removed: counts times legal jumps
	dead                  uint64
}

func total(lanes *[8]uint64) (sum uint64) {
	for _, x := range lanes {
		sum += x
	}
	return sum
}

// add adds a stretch with the given counts, of at most 64 bits, and returns its rows, the addresses with a count that
// is not zero. low is the jumps that the low patterns of the stretch allow, and high those that prefix and mid allow.
func (s *stretchSums) add(c *Counts, low *lowSets, high []uint64) (rows int) {
	switch {
	case len(high) == 4 && sumsBy != vector.None:
		return s.addFast(c, low, high)
	case c.short != nil:
		return addPortable(s, c.short, low, high)
	}
	return addPortable(s, c.lo, low, high)
}

func addPortable[T uint32 | uint64](s *stretchSums, counts []T, low *lowSets, high []uint64) (rows int) {
	for r, short := range counts {
		x := uint64(short)
		if x == 0 {
			continue
		}
		rows++
		s.paths[0] += x
		s.largest[0] = max(s.largest[0], x)
		n := low.count(high, r)
		if n == [4]uint64{} {
			s.dead++
			s.ended[0] += x
		}
		for k := range n {
			s.out[k][0] += x * n[k]
		}
	}
	return rows
}

// pack copies the counts that are not zero to out, marks their addresses in occupied and returns their number. Counts
// have at most 64 bits; out must be 7 longer than they are.
func pack(c *Counts, occupied, out []uint64) (rows int) {
	switch {
	case sumsBy != vector.None:
		return packFast(c, occupied, out)
	case c.short != nil:
		return packPortable(c.short, occupied, out)
	}
	return packPortable(c.lo, occupied, out)
}

func packPortable[T uint32 | uint64](counts []T, occupied, out []uint64) (rows int) {
	for i := range occupied {
		var word uint64
		for b, short := range counts[i*64 : min(i*64+64, len(counts))] {
			x := uint64(short)
			out[rows] = x
			bit := (x | -x) >> 63
			word |= bit << b
			rows += int(bit)
		}
		occupied[i] = word
	}
	return rows
}
