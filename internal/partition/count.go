package partition

import "sync"

// A census counts, without building layouts, how many patterns of mid and low together contribute a given need. A plan
// asks for the size of every cell; layouts of the cells of a large board take minutes, this takes milliseconds.
type census struct {
	once  sync.Once
	sizes [4]uint32 // class sizes of mid and low, plus 1
	dim   int       // of the invariants
	count []uint64  // by place; nil when the table would be too large
}

const maxCensus = 1 << 23

// build adds the holes one by one: a pattern either lacks the hole or has it.
func (c *census) build(s *Space, dim int) {
	c.sizes, c.dim = [4]uint32{1, 1, 1, 1}, dim
	rest := s.Low.Bits + s.Mid.Bits // the lowest bits
	for b := range rest {
		for k, n := range s.bitVector[b] {
			c.sizes[k] += uint32(n)
		}
	}
	size := uint64(1)
	for _, n := range c.sizes {
		size *= uint64(n)
	}
	if dim > 16 || size<<dim > maxCensus {
		return
	}
	count := make([]uint64, size<<dim)
	count[0] = 1
	step := [4]uint64{1, uint64(c.sizes[0]), uint64(c.sizes[0]) * uint64(c.sizes[1]), 0}
	step[3] = step[2] * uint64(c.sizes[2])
	for b := range rest {
		by := uint64(0)
		for k, n := range s.bitVector[b] {
			by += step[k] * uint64(n)
		}
		// From the top, so that no pattern gets the hole twice. A place below by has no predecessor.
		for at := size - 1; at >= by && at < size; at-- {
			to, from := count[at<<dim:(at+1)<<dim], count[(at-by)<<dim:(at-by+1)<<dim]
			for inv := range to {
				to[inv] += from[uint64(inv)^s.bitInv[b]]
			}
		}
	}
	c.count = count
}

// of returns how many patterns contribute n.
func (c *census) of(n need) uint64 {
	var at uint64
	for k := 3; k >= 0; k-- {
		v := n.counts >> (8 * k) & 255
		if v >= c.sizes[k] {
			return 0
		}
		at = at*uint64(c.sizes[k]) + uint64(v)
	}
	return c.count[at<<c.dim|n.inv]
}

// Slots is the size of the address space of the cell of v, which must be canonical.
func (s *Space) Slots(v Vector) uint64 {
	s.census.once.Do(func() { s.census.build(s, s.lows.dim) })
	if s.census.count == nil {
		return s.Layout(v).Slots()
	}
	_, coset := s.Canonical(v)
	whole := need{v.pack(), s.startInv}
	var slots uint64
	for _, g := range s.leadTable(coset).groups {
		if rest, ok := whole.less(g.contrib); ok {
			slots += g.patterns * s.census.of(rest)
		}
	}
	return slots
}
