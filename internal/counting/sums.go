package counting

import "math/bits"

// runSums adds up runs whose sums fit one word, in eight lanes that are brought together by total.
type runSums struct {
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

// add adds a run with the given counts and returns its rows, the slots with a count that is not zero. low is the jumps
// that the low patterns of the run allow, plane by plane, and high those that lead and mid allow.
func (s *runSums) add(counts, low, high []uint64) (rows int) {
	if len(high) == 4 && haveSumsFast {
		return s.addFast(counts, low, high)
	}
	return s.addPortable(counts, low, high)
}

func (s *runSums) addPortable(counts, low, high []uint64) (rows int) {
	for r, x := range counts {
		if x == 0 {
			continue
		}
		rows++
		s.paths[0] += x
		s.largest[0] = max(s.largest[0], x)
		n := countJumps(high, low, len(counts), r)
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

// countJumps returns, by class removed, the number of legal jumps of the row of the given rank.
func countJumps(high, low []uint64, patterns, rank int) (n [4]uint64) {
	if len(high) == 4 {
		for k := range n {
			n[k] = uint64(bits.OnesCount64(high[k] & low[k*patterns+rank]))
		}
		return n
	}
	words := len(high) / 4
	for w, h := range high {
		n[w/words] += uint64(bits.OnesCount64(h & low[w*patterns+rank]))
	}
	return n
}

// pack copies the counts that are not zero to out, which must be as long and 7 longer, marks their slots in occupied
// and returns their number.
func pack(counts, occupied, out []uint64) (rows int) {
	if len(counts) > 0 && haveSumsFast {
		return packFast(counts, occupied, out)
	}
	return packPortable(counts, occupied, out)
}

func packPortable(counts, occupied, out []uint64) (rows int) {
	for i := range occupied {
		var word uint64
		for b, x := range counts[i*64 : min(i*64+64, len(counts))] {
			out[rows] = x
			bit := (x | -x) >> 63
			word |= bit << b
			rows += int(bit)
		}
		occupied[i] = word
	}
	return rows
}
