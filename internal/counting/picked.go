package counting

// Picked is memory for counts that are not zero, each with a pattern.
type Picked struct {
	short    []uint32
	lo       []uint64
	patterns []uint32
}

// Pick returns the counts of t from its i-th address to before the j-th that are not zero, in any order, good until the
// next call. With a count of the a-th address in the k-th stretch comes the pattern lows[a]^changes[k].
func (p *Picked) Pick(t *Turned, i, j int, lows, changes []uint32) (c Counts, patterns []uint32) {
	most := (j - i) * t.stretches
	p.patterns = room(p.patterns, most)
	var n int
	if t.counts.short != nil {
		p.short = room(p.short, most)
		n = pickTurned(t, p.short, p.patterns, t.counts.short, i, j, lows, changes)
		c.short = p.short[:n]
	} else {
		p.lo = room(p.lo, most)
		n = pickTurned(t, p.lo, p.patterns, t.counts.lo, i, j, lows, changes)
		c.lo = p.lo[:n]
	}
	return c, p.patterns[:n]
}

// room returns s with at least n elements.
func room[T any](s []T, n int) []T {
	if len(s) < n {
		s = append(s, make([]T, n)...)
	}
	return s
}

func pickTurned[T uint32 | uint64](
	t *Turned, to []T, patterns []uint32, counts []T, i, j int, lows, changes []uint32,
) (n int) {
	if t.firsts == nil {
		for a := i; a < j; a++ {
			n += pick(to[n:], patterns[n:], counts[a*t.stretches:], lows[a], changes)
		}
		return n
	}
	for k, first := range t.firsts {
		n += pick(to[n:], patterns[n:], counts[first+uint64(i):], changes[k], lows[i:j])
	}
	return n
}

// pick writes every count down, with its pattern, and keeps it if it is not zero: a branch could not predict which are.
func pick[T uint32 | uint64](to []T, patterns []uint32, from []T, x uint32, changes []uint32) (n int) {
	from = from[:len(changes)]
	for i, change := range changes {
		c := uint64(from[i])
		to[n], patterns[n] = T(c), x^change
		n += int((c | -c) >> 63)
	}
	return n
}
