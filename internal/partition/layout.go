package partition

import (
	"math/bits"
	"sort"
	"sync/atomic"

	"pagoda/internal/peg"
)

// A Layout is the address function of one cell and its inverse. It is immutable.
type Layout struct {
	Space  *Space
	Vector Vector // the cell's class-count vector, canonical
	Fixing uint64 // the group elements that map Vector to itself, as a bit set

	addresses uint64
	table     *prefixTable
	prefixes  []Prefix // canonical prefixes that have addresses, by group and pattern
	nodes     []*Node  // by Prefix.node
	byPrefix  []int32  // by rank in table: index in prefixes, -1 for none
	bytes     int      // memory that the layout added
}

// A Prefix is a canonical prefix pattern of a cell. It has no pointers: there are hundreds of thousands of prefixes,
// and the garbage collector would look at each.
type Prefix struct {
	Pattern   uint64
	Base      uint64 // first address
	Addresses uint64
	Fixed     uint64 // elements of Layout.Fixing that map the pattern to itself
	node      int32  // of its stretches; prefixes that contribute the same have the same node
}

// A Node of the trellis that ranks mid patterns, one segment of at most segmentBits at a time. The node's state is the
// need that the rest of the position must still meet; each pattern of the segment leads to the node of the need left
// after it. Nodes are shared by all prefixes and cells with the same need.
type Node struct {
	off       []uint64 // by pattern: addresses before it
	next      []*Node  // by pattern: node of the next segment, nil where nothing fits; in the last segment next is nil
	types     []int32  // by pattern in the last segment: low type, -1 where nothing fits
	addresses uint64

	stretches atomic.Pointer[[]Stretch] // see Layout.Stretches; kept for nodes of the last segment
}

// Layouts and nodes are kept until they pass layoutBytes. Of small layouts fewer are kept: layoutsKept are enough for
// the layers at work, and to make one again takes some microseconds.
const (
	layoutBytes = 24 << 20
	layoutsKept = 256
)

// Layout returns the address function of the cell of v, which must be canonical. The result may have no addresses at
// all.
func (s *Space) Layout(v Vector) *Layout {
	_, coset := s.Canonical(v)
	table := s.prefixTable(coset)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.layouts.of(v, layoutBytes, func() *Layout { return newLayout(s, v, coset, table) },
		func(l *Layout) int { return max(l.bytes, layoutBytes/layoutsKept) })
}

func newLayout(s *Space, v Vector, coset uint64, table *prefixTable) *Layout {
	l := &Layout{Space: s, Vector: v, Fixing: coset, table: table, byPrefix: make([]int32, len(table.canonical))}
	whole := need{v.pack(), s.startInv}
	b := builder{s: s}
	counts := s.censuses()
	// Prefixes with the same node have the same stretches, and the kernels use the same tables for them: side by side they
	// find those tables in the cache.
	numbers, prefixes := make([]int32, len(table.groups)), 0
	for i := range table.groups {
		g := &table.groups[i]
		numbers[i] = -1
		state, ok := whole.less(g.contrib)
		if !ok || counts != nil && counts[0].of(state) == 0 {
			continue
		}
		if n := b.node(0, state); n != nil {
			numbers[i] = int32(len(l.nodes))
			l.nodes = append(l.nodes, n)
			prefixes += g.patterns
		}
	}
	l.prefixes = make([]Prefix, 0, prefixes)
	for i, node := range numbers {
		if node < 0 {
			continue
		}
		g := &table.groups[i]
		for r := g.first; r < g.first+g.patterns; r++ {
			l.prefixes = append(l.prefixes, Prefix{Pattern: uint64(table.canonical[r]), node: node, Fixed: table.fixed[r]})
		}
	}
	for r := range l.byPrefix {
		l.byPrefix[r] = -1
	}
	for i := range l.prefixes {
		prefix := &l.prefixes[i]
		prefix.Base, prefix.Addresses = l.addresses, l.nodes[prefix.node].addresses
		l.addresses += prefix.Addresses
		l.byPrefix[table.rank[prefix.Pattern]] = int32(i)
	}
	l.bytes = 40*len(l.prefixes) + 4*len(l.byPrefix) + b.bytes
	return l
}

// Node returns the stretches of a prefix of the layout.
func (l *Layout) Node(prefix *Prefix) *Node { return l.nodes[prefix.node] }

// SameStretches reports whether two prefixes of one layout have the same stretches.
func (prefix *Prefix) SameStretches(other *Prefix) bool { return prefix.node == other.node }

// segment returns the place of segment i in the mid field.
func (s *Space) segment(i int) Field {
	shift := i * segmentBits
	return Field{shift, max(0, min(segmentBits, s.Mid.Bits-shift))}
}

func (s *Space) segments() int { return max(1, (s.Mid.Bits+segmentBits-1)/segmentBits) }

type stateKey struct {
	segment int
	state   need
}

// nodeCache keeps the nodes built lately, nil for a state that nothing fits; it is emptied when it passes layoutBytes.
type nodeCache struct {
	nodes map[stateKey]*Node
	bytes int
}

// A builder makes the nodes that a layout needs and the cache of the space lacks. The space is locked.
type builder struct {
	s     *Space
	bytes int // of the nodes made
}

// node returns the node for a state before a segment, nil when nothing fits.
func (b *builder) node(segment int, state need) *Node {
	s, c := b.s, &b.s.nodes
	// Where there is more than one segment, most states of a nearly full or nearly empty cell lead nowhere: a look-up
	// tells.
	if list := s.censuses(); list != nil && list[segment].of(state) == 0 {
		return nil
	}
	key := stateKey{segment, state}
	n, ok := c.nodes[key]
	if !ok {
		n = b.newNode(segment, state)
		if c.nodes == nil || c.bytes > layoutBytes {
			c.nodes, c.bytes = map[stateKey]*Node{}, 0
		}
		size := 48 * len(s.midContrib[segment])
		c.nodes[key] = n
		c.bytes += size
		b.bytes += size
	}
	return n
}

func (b *builder) newNode(segment int, state need) *Node {
	s := b.s
	contrib := s.midContrib[segment]
	n := &Node{off: make([]uint64, len(contrib))}
	last := segment == len(s.midContrib)-1
	if last {
		n.types = make([]int32, len(contrib))
	} else {
		n.next = make([]*Node, len(contrib))
	}
	for x, c := range contrib {
		n.off[x] = n.addresses
		if last {
			n.types[x] = -1
		}
		rest, ok := state.less(c)
		if !ok {
			continue
		}
		if last {
			if t := s.lows.meeting(rest); t >= 0 {
				n.types[x] = t
				n.addresses += uint64(len(s.lows.patterns[t]))
			}
		} else if m := b.node(segment+1, rest); m != nil {
			n.next[x] = m
			n.addresses += m.addresses
		}
	}
	if n.addresses == 0 {
		return nil
	}
	return n
}

// Addresses is the size of the address space.
func (l *Layout) Addresses() uint64 { return l.addresses }

// Prefixes returns the canonical prefixes that have addresses, in address order; not to be modified.
func (l *Layout) Prefixes() []Prefix { return l.prefixes }

// PrefixOf returns the prefix entry of a canonical pattern; nil when no address has it.
func (l *Layout) PrefixOf(pattern uint64) *Prefix {
	if r := l.PrefixRank(pattern); r >= 0 {
		return l.PrefixAt(r)
	}
	return nil
}

// PrefixPatterns returns the prefixes that are canonical under Fixing, whether an address of the cell has them or
// not, in rank order; not to be modified.
func (l *Layout) PrefixPatterns() []uint32 { return l.table.canonical }

// PrefixRank is the rank of a pattern in PrefixPatterns, -1 when it is not there.
func (l *Layout) PrefixRank(pattern uint64) int32 { return l.table.rank[pattern] }

// PrefixAt returns the prefix entry of the canonical pattern of a rank; nil when no address has it.
func (l *Layout) PrefixAt(rank int32) *Prefix {
	if i := l.byPrefix[rank]; i >= 0 {
		return &l.prefixes[i]
	}
	return nil
}

// Mid returns the offset of a mid pattern from the base of a prefix with the given node, and the type of the low
// patterns that complete it. The type is -1 when nothing does.
func (l *Layout) Mid(node *Node, mid uint64) (off uint64, lowType int32) {
	for node.types == nil {
		x := mid & (1<<segmentBits - 1)
		off += node.off[x]
		if node = node.next[x]; node == nil {
			return 0, -1
		}
		mid >>= segmentBits
	}
	if lowType = node.types[mid]; lowType < 0 {
		return 0, -1
	}
	return off + node.off[mid], lowType
}

// A Stretch is a range of consecutive addresses that share prefix and mid pattern: the low patterns of one type, in
// rank order.
type Stretch struct {
	Mid     uint64
	Off     uint64 // from the base of the prefix
	Size    int
	LowType int32
}

// Stretches returns the stretches of a prefix with the given node, in address order; not to be modified.
func (l *Layout) Stretches(node *Node) []Stretch {
	if stretches := node.stretches.Load(); stretches != nil {
		return *stretches
	}
	var stretches []Stretch
	l.EachMid(node, func(mid, off uint64, lowType int32) bool {
		stretches = append(stretches, Stretch{mid, off, len(l.Space.lows.patterns[lowType]), lowType})
		return true
	})
	if node.types != nil { // the nodes of several segments may have millions of stretches
		node.stretches.Store(&stretches)
	}
	return stretches
}

// MidOffsets returns Mid as a table, offsets by mid pattern, where the mid field has one segment: an offset means
// something only where Mid gives a low type. It returns nil where there are more segments.
func (l *Layout) MidOffsets(node *Node) []uint64 {
	if node.types == nil {
		return nil
	}
	return node.off
}

// EachMid calls fn for every mid pattern under a node that has addresses, in address order, until fn returns false.
func (l *Layout) EachMid(node *Node, fn func(mid, off uint64, lowType int32) bool) {
	node.eachMid(0, 0, 0, fn)
}

func (n *Node) eachMid(shift int, mid, off uint64, fn func(mid, off uint64, lowType int32) bool) bool {
	for x, t := range n.types {
		if t >= 0 && !fn(mid|uint64(x)<<shift, off+n.off[x], t) {
			return false
		}
	}
	for x, next := range n.next {
		if next != nil && !next.eachMid(shift+segmentBits, mid|uint64(x)<<shift, off+n.off[x], fn) {
			return false
		}
	}
	return true
}

// find descends to the stretch that holds the address at off from the base of a prefix with node n.
func (n *Node) find(off uint64) (mid, stretchOff uint64, lowType int32) {
	for shift := 0; ; shift += segmentBits {
		// Patterns that lead nowhere share the offset of the next that does, so the last one at or before off does.
		x := sort.Search(len(n.off), func(x int) bool { return n.off[x] > off-stretchOff }) - 1
		stretchOff += n.off[x]
		mid |= uint64(x) << shift
		if n.types != nil {
			return mid, stretchOff, n.types[x]
		}
		n = n.next[x]
	}
}

// Ordered is the inverse of the address function: the ordered position at an address below Addresses.
func (l *Layout) Ordered(address uint64) uint64 {
	s := l.Space
	i := sort.Search(len(l.prefixes), func(i int) bool { return l.prefixes[i].Base > address }) - 1
	prefix := &l.prefixes[i]
	rest := address - prefix.Base
	mid, off, lowType := l.Node(prefix).find(rest)
	low := s.lows.patterns[lowType][rest-off]
	return prefix.Pattern<<s.Prefix.Shift | mid<<s.Mid.Shift | uint64(low)<<s.Low.Shift
}

// Address is the address function: the address of an ordered position of the cell; ok is false when the position is not
// in the cell or its prefix is not canonical.
func (l *Layout) Address(x uint64) (address uint64, ok bool) {
	s := l.Space
	prefix := l.PrefixOf(s.Prefix.Of(x))
	if prefix == nil {
		return 0, false
	}
	return l.behind(prefix, x)
}

// behind returns the address of an ordered position with a prefix.
func (l *Layout) behind(prefix *Prefix, x uint64) (address uint64, ok bool) {
	s := l.Space
	off, lowType := l.Mid(l.Node(prefix), s.Mid.Of(x))
	t, rank := s.LowRank(s.Low.Of(x))
	if lowType < 0 || t != lowType {
		return 0, false
	}
	return prefix.Base + off + uint64(rank), true
}

// ClassAddress returns the address that stands for the class of an ordered position. best is the BestElement of the
// coset that takes the vector of the position to that of the cell (see Space.Canonical); one image is enough where
// prefixes have no ties. ok is false when the cell has no address for the class.
func (l *Layout) ClassAddress(best []uint8, x uint64) (address uint64, ok bool) {
	s := l.Space
	if g := best[s.Prefix.Of(x)]; g != 0 { // not the identity
		x = s.Move(int(g), x)
	}
	prefix := l.PrefixOf(s.Prefix.Of(x))
	if prefix == nil {
		return 0, false
	}
	least := x
	for c := prefix.Fixed &^ 1; c != 0; c &= c - 1 {
		least = min(least, s.Move(bits.TrailingZeros64(c), x))
	}
	return l.behind(prefix, least)
}

// Move applies group element g to an ordered position.
func (s *Space) Move(g int, x uint64) uint64 {
	return uint64(s.prefixPerm[g][s.Prefix.Of(x)])<<s.Prefix.Shift |
		s.midPerm[g].Apply(s.Mid.Of(x))<<s.Mid.Shift |
		uint64(s.lowPerm[g][s.Low.Of(x)])<<s.Low.Shift
}

// Locate finds the symmetry class of a position: the vector of its cell, its canonical form, and the number of
// positions in the class. The canonical form is the image with the largest class-count vector, and among those the
// smallest in the order of prefix, mid and low. Locate does not check the invariants of the start: Layout.Address does.
func (s *Space) Locate(p peg.Position) (v Vector, canonical uint64, orbit int) {
	v, coset := s.Canonical(s.Vector(p))
	x := s.Ordered(p)
	canonical = ^uint64(0)
	fixing := 0
	for g := range s.Group {
		y := s.Move(g, x)
		if y == x {
			fixing++
		}
		if coset>>g&1 != 0 {
			canonical = min(canonical, y)
		}
	}
	return v, canonical, len(s.Group) / fixing
}

// Class reports whether an addressed position stands for its class, and how many positions its class has. Ties among
// prefixes give a class several addresses, of which the smallest counts.
func (l *Layout) Class(prefix *Prefix, x uint64) (stands bool, orbit int) {
	fixing := 0
	for c := prefix.Fixed; c != 0; c &= c - 1 {
		y := l.Space.Move(bits.TrailingZeros64(c), x)
		if y < x {
			return false, 0
		}
		if y == x {
			fixing++
		}
	}
	return true, len(l.Space.Group) / fixing
}
