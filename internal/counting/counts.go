package counting

import (
	"math"
	"slices"

	"pagoda/internal/puzzle/uint128"
)

// A width says how large a count may be.
type width int

const (
	bits32  width = iota // below 2^32
	bits64               // below 2^64
	bits128              // below 2^128
)

// widthOf returns the width of counts of which the largest is n.
func widthOf(n uint128.Uint128) width {
	switch {
	case n.Hi > 0:
		return bits128
	case n.Lo > math.MaxUint32:
		return bits64
	}
	return bits32
}

// Counts are those of consecutive addresses. The kernels wait for memory, so counts take as little as they can: half a
// game of the English board fits in short ones.
type Counts struct {
	short  []uint32 // of all addresses; where nil, the counts are in lo, and where hi is not nil, in both
	lo, hi []uint64
}

func newCounts(addresses uint64, w width) (c Counts) {
	if w == bits32 {
		c.short = make([]uint32, addresses)
		return c
	}
	c.lo = make([]uint64, addresses)
	if w == bits128 {
		c.hi = make([]uint64, addresses)
	}
	return c
}

// IsWide reports whether a count may need more than 64 bits.
func (c *Counts) IsWide() bool { return c.hi != nil }

// A buffer is memory for counts that are not kept.
type buffer struct {
	short  []uint32
	lo, hi []uint64
}

// counts returns counts of so many addresses, all of them zero; those that it returned before are gone.
func (r *buffer) counts(addresses uint64, w width) (c Counts) {
	if w == bits32 {
		r.short = zeros(r.short, addresses)
		c.short = r.short
		return c
	}
	r.lo = zeros(r.lo, addresses)
	c.lo = r.lo
	if w == bits128 {
		r.hi = zeros(r.hi, addresses)
		c.hi = r.hi
	}
	return c
}

func zeros[T uint32 | uint64](s []T, n uint64) []T {
	s = slices.Grow(s[:0], int(n))[:n]
	clear(s)
	return s
}

// Slice returns the counts of the addresses from first to before end.
func (c *Counts) Slice(first, end uint64) (s Counts) {
	if c.short != nil {
		s.short = c.short[first:end:end]
		return s
	}
	s.lo = c.lo[first:end:end]
	if c.hi != nil {
		s.hi = c.hi[first:end:end]
	}
	return s
}

// At returns the count of an address.
func (c *Counts) At(address uint64) uint128.Uint128 {
	if c.short != nil {
		return uint128.From(uint64(c.short[address]))
	}
	n := uint128.From(c.lo[address])
	if c.hi != nil {
		n.Hi = c.hi[address]
	}
	return n
}

// countAt returns how many of these addresses have a count that is not zero.
func (c *Counts) countAt(addresses []uint16) (n uint64) {
	switch {
	case c.short != nil:
		return countNonzero(c.short, addresses)
	case c.hi == nil:
		return countNonzero(c.lo, addresses)
	}
	for _, at := range addresses {
		if c.lo[at]|c.hi[at] != 0 {
			n++
		}
	}
	return n
}

func countNonzero[T uint32 | uint64](counts []T, addresses []uint16) (n uint64) {
	for _, at := range addresses {
		x := uint64(counts[at])
		n += (x | -x) >> 63
	}
	return n
}

// Set sets the count of an address; the counts become wider where they must.
func (c *Counts) Set(address uint64, n uint128.Uint128) {
	c.widen(widthOf(n))
	if c.short != nil {
		c.short[address] = uint32(n.Lo)
		return
	}
	c.lo[address] = n.Lo
	if c.hi != nil {
		c.hi[address] = n.Hi
	}
}

// fill sets the count of every address; the counts become wider where they must.
func (c *Counts) fill(n uint128.Uint128) {
	c.widen(widthOf(n))
	if c.short != nil {
		fill(c.short, uint32(n.Lo))
		return
	}
	fill(c.lo, n.Lo)
	if c.hi != nil {
		fill(c.hi, n.Hi)
	}
}

func fill[T uint32 | uint64](s []T, x T) {
	for i := range s {
		s[i] = x
	}
}

// widen makes room for counts of a width.
func (c *Counts) widen(w width) {
	if w > bits32 && c.short != nil {
		c.lo = make([]uint64, len(c.short))
		for i, n := range c.short {
			c.lo[i] = uint64(n)
		}
		c.short = nil
	}
	if w == bits128 && c.hi == nil {
		c.hi = make([]uint64, len(c.lo))
	}
}

// narrow brings the counts to the least width that takes them all. The kernels rely on it: where no count of a cell
// passes 2^32, all its windows are short.
func (c *Counts) narrow() {
	if c.hi != nil && allZero(c.hi) {
		c.hi = nil
	}
	if c.hi != nil || c.short != nil {
		return
	}
	var bits uint64
	for _, n := range c.lo {
		bits |= n
	}
	if bits>>32 == 0 {
		c.short = make([]uint32, len(c.lo))
		for i, n := range c.lo {
			c.short[i] = uint32(n)
		}
		c.lo = nil
	}
}

// isZero reports whether all counts are zero.
func (c *Counts) isZero() bool { return allZero(c.short) && allZero(c.lo) && allZero(c.hi) }

func allZero[T uint32 | uint64](s []T) bool {
	for _, x := range s {
		if x != 0 {
			return false
		}
	}
	return true
}
