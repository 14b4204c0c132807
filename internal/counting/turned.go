package counting

import "slices"

// Turned holds counts of stretches of one low type in such an order that those that are picked at a time are side by
// side: all of one address, of every stretch; or, where more addresses are picked at a time than there are stretches,
// all of one stretch. Its memory is used again.
type Turned struct {
	buffer
	counts    Counts
	stretches int
	firsts    []uint64 // where the stretches begin in counts; nil where the counts of an address are side by side
	own       []uint64 // memory for firsts
}

// Leave leaves the counts of stretches that begin at firsts in from, where they are.
func (t *Turned) Leave(from *Counts, firsts []uint64) {
	t.counts, t.stretches, t.firsts = *from, len(firsts), firsts
}

// Turn takes the counts of stretches that begin at firsts in from, each at these addresses after its first, in their
// order. The counts have at most 64 bits. About so many addresses will be picked at a time.
func (t *Turned) Turn(from *Counts, firsts []uint64, addresses []uint16, picked int) {
	t.counts, t.stretches, t.firsts = Counts{}, len(firsts), nil
	if picked >= len(firsts) {
		t.own = t.own[:0]
		for k := range firsts {
			t.own = append(t.own, uint64(k*len(addresses)))
		}
		t.firsts = t.own
	}
	if from.short != nil {
		t.short = turn(t.short, from.short, firsts, addresses, t.firsts == nil)
		t.counts.short = t.short
		return
	}
	t.lo = turn(t.lo, from.lo, firsts, addresses, t.firsts == nil)
	t.counts.lo = t.lo
}

// turn writes the counts to memory that it is given.
func turn[T uint32 | uint64](to, from []T, firsts []uint64, addresses []uint16, byAddress bool) []T {
	n := len(firsts)
	to = slices.Grow(to[:0], n*len(addresses))[:n*len(addresses)]
	if !byAddress {
		for k, first := range firsts {
			row, from := to[k*len(addresses):][:len(addresses)], from[first:]
			for i, at := range addresses {
				row[i] = from[at]
			}
		}
		return to
	}
	const line = 8 // at a time, so that the writes to a row fill a line of the cache
	for k := 0; k < n; k += line {
		some := firsts[k:min(k+line, n)]
		for i, at := range addresses {
			row := to[i*n+k:][:len(some)]
			for x, first := range some {
				row[x] = from[first+uint64(at)]
			}
		}
	}
	return to
}
