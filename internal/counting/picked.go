package counting

// Picked are counts that are not zero, in any order, each with a pattern. Memory that is used again.
type Picked struct {
	short    []uint32
	lo       []uint64
	isShort  bool // which of the two is used
	patterns []uint32
	n        int
}

// Pick adds those of c that are not zero, the i-th with the pattern x^changes[i]. The counts must have at most 64 bits,
// and between two calls of Take all be of the same window.
func (p *Picked) Pick(c *Counts, x uint32, changes []uint32) {
	if p.isShort = c.short != nil; p.isShort {
		p.short = room(p.short, p.n+len(changes))
		p.patterns = room(p.patterns, p.n+len(changes))
		p.n += pick(p.short[p.n:], p.patterns[p.n:], c.short, x, changes)
		return
	}
	p.lo = room(p.lo, p.n+len(changes))
	p.patterns = room(p.patterns, p.n+len(changes))
	p.n += pick(p.lo[p.n:], p.patterns[p.n:], c.lo, x, changes)
}

// room returns s with at least n elements.
func room[T any](s []T, n int) []T {
	if len(s) < n {
		s = append(s, make([]T, n)...)
	}
	return s
}

// pick writes every count down, and keeps it if it is not zero: nobody can predict which are.
func pick[T uint32 | uint64](to []T, patterns []uint32, from []T, x uint32, changes []uint32) (n int) {
	from = from[:len(changes)]
	for i, change := range changes {
		c := uint64(from[i])
		to[n], patterns[n] = T(c), x^change
		n += int((c | -c) >> 63)
	}
	return n
}

// Take returns what has been picked since the last call, good until the next Pick.
func (p *Picked) Take() (c Counts, patterns []uint32) {
	n := p.n
	p.n = 0
	if p.isShort {
		c.short = p.short[:n]
	} else {
		c.lo = p.lo[:n]
	}
	return c, p.patterns[:n]
}
