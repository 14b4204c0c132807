package counting

// marks are bits by number.
type marks []uint64

// newMarks returns marks with numbers below n, none of them set.
func newMarks(n uint64) marks { return make(marks, n/64+1) }

func (m marks) set(i uint64)      { m[i>>6] |= 1 << (i & 63) }
func (m marks) has(i uint64) bool { return m[i>>6]>>(i&63)&1 != 0 }

// any reports whether a number from first to last is marked.
func (m marks) any(first, last uint64) bool {
	i, j := first>>6, last>>6
	from, upTo := ^uint64(0)<<(first&63), ^uint64(0)>>(63-last&63)
	if i == j {
		return m[i]&from&upTo != 0
	}
	some := m[i]&from | m[j]&upTo
	for i++; i < j; i++ {
		some |= m[i]
	}
	return some != 0
}

// setAll marks first+i for every bit i that is set in words.
func (m marks) setAll(first uint64, words []uint64) {
	m, shift := m[first>>6:], first&63
	for i, w := range words {
		m[i] |= w << shift
		if over := w >> (63 - shift) >> 1; over != 0 {
			m[i+1] |= over
		}
	}
}
