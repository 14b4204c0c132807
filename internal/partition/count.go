package partition

import "sort"

// A census counts, without building layouts, how many patterns of a set of holes together contribute a given need. A
// plan asks for the size and the windows of every cell; layouts of all cells of a large board take minutes, this takes
// milliseconds.
type census struct {
	sizes [4]uint32 // class sizes of the holes, plus 1
	dim   int       // of the invariants
	count []uint64  // by place
}

const maxCensus = 1 << 23

// newCensus adds the holes, given as ordered bits, one by one: a pattern either lacks the hole or has it. It returns
// nil when the table would be too large.
func newCensus(s *Space, holes []int) *census {
	c := &census{sizes: [4]uint32{1, 1, 1, 1}, dim: s.lows.dim}
	for _, b := range holes {
		for k, n := range s.bitVector[b] {
			c.sizes[k] += uint32(n)
		}
	}
	size := uint64(1)
	for _, n := range c.sizes {
		size *= uint64(n)
	}
	if c.dim > 16 || size<<c.dim > maxCensus {
		return nil
	}
	c.count = make([]uint64, size<<c.dim)
	c.count[0] = 1
	step := [4]uint64{1, uint64(c.sizes[0]), uint64(c.sizes[0]) * uint64(c.sizes[1]), 0}
	step[3] = step[2] * uint64(c.sizes[2])
	for _, b := range holes {
		by := uint64(0)
		for k, n := range s.bitVector[b] {
			by += step[k] * uint64(n)
		}
		// From the top, so that no pattern gets the hole twice. A place below by has no predecessor.
		for at := size - 1; at >= by && at < size; at-- {
			to, from := c.count[at<<c.dim:(at+1)<<c.dim], c.count[(at-by)<<c.dim:(at-by+1)<<c.dim]
			for inv := range to {
				to[inv] += from[uint64(inv)^s.bitInv[b]]
			}
		}
	}
	return c
}

// censuses returns, for every segment of the mid field, the census of that segment, all later segments and low. It
// returns nil where a table would be too large.
func (s *Space) censuses() []*census {
	s.censusOnce.Do(func() {
		var list []*census
		for i := range s.midContrib {
			var holes []int
			for b := range s.Low.Bits {
				holes = append(holes, s.Low.Shift+b)
			}
			for b := s.segment(i).Shift; b < s.Mid.Bits; b++ {
				holes = append(holes, s.Mid.Shift+b)
			}
			c := newCensus(s, holes)
			if c == nil {
				return
			}
			list = append(list, c)
		}
		s.censusList = list
	})
	return s.censusList
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

// Addresses is the size of the address space of the cell of v, which must be canonical.
func (s *Space) Addresses(v Vector) uint64 {
	list := s.censuses()
	if list == nil {
		return s.Layout(v).Addresses()
	}
	if n, ok := s.sizes.Load(v); ok { // plans ask for every cell several times
		return n.(uint64)
	}
	_, coset := s.Canonical(v)
	whole := need{v.pack(), s.startInv}
	var addresses uint64
	for _, g := range s.prefixTable(coset).merged {
		if rest, ok := whole.less(g.contrib); ok {
			addresses += g.patterns * list[0].of(rest)
		}
	}
	s.sizes.Store(v, addresses)
	return addresses
}

// Cuts divides the addresses of the cell of v, which must be canonical, into windows of at most limit addresses (0: no
// limit), at stretch boundaries: addresses that share prefix and mid are never separated. It returns the first address
// of each window; not to be modified. A single stretch longer than the limit gets a window of its own; MaxLow bounds
// it.
func (s *Space) Cuts(v Vector, limit uint64) []uint64 {
	cuts := []uint64{0}
	addresses := s.Addresses(v)
	if limit == 0 || addresses <= limit {
		return cuts
	}
	if s.Lead.Bits > 0 {
		return s.leadCuts(v, limit)
	}
	stretchAt := s.stretchFinder(v)
	for addresses-cuts[len(cuts)-1] > limit {
		last := cuts[len(cuts)-1]
		start, end := stretchAt(last + limit)
		if start == last { // a stretch longer than the limit
			start = end
		}
		if start == addresses {
			break
		}
		cuts = append(cuts, start)
	}
	return cuts
}

// stretchFinder returns a function that finds the range of the stretch that holds an address.
func (s *Space) stretchFinder(v Vector) func(address uint64) (first, end uint64) {
	list := s.censuses()
	if list == nil {
		return s.Layout(v).stretchAt
	}
	_, coset := s.Canonical(v)
	type prefixes struct { // canonical patterns that contribute the same, so neighbours in address order
		base, each uint64
		rest       need
	}
	var order []prefixes
	var base uint64
	whole := need{v.pack(), s.startInv}
	for _, g := range s.prefixTable(coset).groups {
		if rest, ok := whole.less(g.contrib); ok {
			if each := list[0].of(rest); each > 0 {
				order = append(order, prefixes{base, each, rest})
				base += each * uint64(g.patterns)
			}
		}
	}
	return func(address uint64) (first, end uint64) {
		l := order[sort.Search(len(order), func(i int) bool { return order[i].base > address })-1]
		first = l.base + (address-l.base)/l.each*l.each
		state := l.rest
		for i, contrib := range s.midContrib {
			for _, c := range contrib {
				rest, ok := state.less(c)
				if !ok {
					continue
				}
				var n uint64
				if i+1 < len(list) {
					n = list[i+1].of(rest)
				} else if t := s.lows.meeting(rest); t >= 0 {
					n = uint64(len(s.lows.patterns[t]))
				}
				if address < first+n {
					end, state = first+n, rest
					break
				}
				first += n
			}
		}
		return first, end
	}
}

// stretchAt returns the range of the stretch that holds an address.
func (l *Layout) stretchAt(address uint64) (first, end uint64) {
	i := sort.Search(len(l.prefixes), func(i int) bool { return l.prefixes[i].Base > address }) - 1
	_, off, lowType := l.Node(&l.prefixes[i]).find(address - l.prefixes[i].Base)
	first = l.prefixes[i].Base + off
	return first, first + uint64(len(l.Space.lows.patterns[lowType]))
}
