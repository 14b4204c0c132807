package reach

import (
	"errors"
	"math/bits"
	"slices"
	"sync"

	"pagoda/internal/counting/reach/wordmap"
	"pagoda/internal/peg"
)

// ErrTooLarge is wrapped by New when a board has a class too large for tables of its patterns.
var ErrTooLarge = errors.New("board is too large for bitmaps")

// maxClassBits bounds the holes of a class: tables have an entry for each pattern. Of the word class it bounds the
// length of a row, of the stretch class the ranks, which are 16 bits wide.
const (
	maxClassBits    = 20
	maxWordBits     = 16
	maxStretchBits  = 16
	goodStretchBits = 10
	maxHeadBits     = 26 // prefix and mid class together
)

// The roles of the playable classes. Rows are ordered by prefix, mid and stretch pattern.
const (
	prefix = iota
	mid
	stretch
	word
	roles
)

// A scheme lays out the positions of a board in rows and words, for starts and a group of symmetries. The starts have
// the same invariants and as many pegs, and the group maps their set to itself.
type scheme struct {
	board *peg.Board
	// starts are the positions with which an enumeration begins: one, or the images of some under the symmetries.
	starts []peg.Position
	group  []peg.Perm // all symmetries
	// orbits has the canonical positions of exported rows; it is made when it is first needed.
	orbits func() *peg.Orbits
	keep   []int // those that map the word class to itself, the identity first; they unfold cells

	class   [roles]class
	role    [4]int       // of each playable class
	toRole  [][roles]int // [g][r]: the role of g's image of the class of role r
	toClass [][4]int     // [g][class]: the same by playable classes
	base    uint32       // the sum of the invariants of row and word: those of the start
	values  int          // number of values of the invariants
	groups  [4][]group   // by playable class of the peg removed: groups of jumps
	works   []work       // the effects of groups on stretches; the first leaves them as they are
	changes []change     // the effects of jumps on word patterns; the first leaves them as they are

	jumpWords int      // words of a set of jumps
	rowOnly   []uint64 // jumps that do not touch the word class
	headOnly  []uint64 // of those, the ones that do not touch the stretch class either

	product  [][]int // [f][g]: the element that does g first and f after it
	inverse  []int
	permutes bool // bits of words are permuted in one instruction, not moved

	mu          sync.Mutex
	tables      map[tableKey]*table
	rowLists    map[rowKey][]wordmap.Pair
	pairList    []wordmap.Pair // memory in which lists are made, before a copy of their length is kept
	maps        map[permKey]*wordmap.Maps
	complements map[permKey]*wordmap.Maps // see complementMaps
	origins     map[originKey][]place
	rowSets     map[int]*rowSets
	alive       map[int][]uint64
	perms       map[permKey][]wordmap.Shuffle
	fixed       map[permKey][]uint64
	fixing      map[fixingKey]*fixing
	heads       map[headKey]heads
	// Memory of one computation that the next uses again:
	scratch sync.Pool // *[]uint64
	spare   sync.Pool // *rows
	kernels sync.Pool // *kernel
}

// A class is the holes of one playable class and the tables of its patterns; bit i of a pattern is the i-th hole.
type class struct {
	holes    []uint8
	inv      []uint32   // by pattern: its share in the invariants
	byWeight [][]uint32 // the patterns of a weight, by invariants and then ascending
	rank     []uint32   // by pattern: its place in byWeight
	starts   [][]uint32 // by weight and value of the invariants: where its patterns begin; one more ends the last
	image    [][]uint32 // [g][pattern]: the image, a pattern of the class that g maps this one to
	legal    []uint64   // by pattern, jumpWords each: the jumps whose holes in this class it allows
}

// newScheme lays out the positions of a board. The roles of the classes are those of like, unless it is nil.
func newScheme(b *peg.Board, starts []peg.Position, group []peg.Perm, like *scheme) (*scheme, error) {
	s := &scheme{board: b, starts: starts, group: group,
		orbits: sync.OnceValue(func() *peg.Orbits { return peg.NewOrbits(group) }),
		tables: map[tableKey]*table{}, rowLists: map[rowKey][]wordmap.Pair{}, maps: map[permKey]*wordmap.Maps{},
		complements: map[permKey]*wordmap.Maps{},
		origins:     map[originKey][]place{}, rowSets: map[int]*rowSets{},
		alive: map[int][]uint64{}, perms: map[permKey][]wordmap.Shuffle{}, fixed: map[permKey][]uint64{},
		fixing: map[fixingKey]*fixing{},
		heads:  map[headKey]heads{}, permutes: wordmap.Permutes()}
	var holes [4][]uint8
	for h, c := range b.Class {
		holes[c] = append(holes[c], uint8(h))
	}
	var order [roles]int
	if like != nil {
		for c, r := range like.role {
			order[r] = c
		}
	} else {
		var err error
		if order, err = s.chooseRoles(holes); err != nil {
			return nil, err
		}
	}
	for r, c := range order {
		s.class[r].holes, s.role[c] = holes[c], r
	}
	for g, p := range group {
		var to [roles]int
		for r := range to {
			to[r] = r
			if len(s.class[r].holes) > 0 {
				to[r] = s.role[b.Class[p[s.class[r].holes[0]]]]
			}
		}
		if to[word] == word {
			s.keep = append(s.keep, g)
		}
		s.toRole = append(s.toRole, completed(to, s.class))
		var classes [4]int
		for c, r := range s.role {
			classes[c] = order[s.toRole[g][r]]
		}
		s.toClass = append(s.toClass, classes)
	}
	masks := s.wordInvariants(b.Invariants())
	s.values = 1 << len(masks)
	s.base = uint32(peg.Parities(masks, starts[0]))
	s.jumpWords = (len(b.Jumps) + 63) / 64
	s.rowOnly, s.headOnly = make([]uint64, s.jumpWords), make([]uint64, s.jumpWords)
	for r := range s.class {
		s.tabulate(r, masks)
	}
	s.groupJumps()
	s.multiply()
	return s, nil
}

// tabulate makes the tables of the class of role r.
func (s *scheme) tabulate(r int, masks []peg.Position) {
	c := &s.class[r]
	size := 1 << len(c.holes)
	c.inv, c.rank = make([]uint32, size), make([]uint32, size)
	c.byWeight = make([][]uint32, len(c.holes)+1)
	c.starts = make([][]uint32, len(c.holes)+1)
	for x := range size {
		if x > 0 {
			h := peg.Position(1) << c.holes[bits.TrailingZeros(uint(x))]
			c.inv[x] = c.inv[x&(x-1)] ^ uint32(peg.Parities(masks, h))
		}
		w := bits.OnesCount(uint(x))
		c.byWeight[w] = append(c.byWeight[w], uint32(x))
	}
	for w, list := range c.byWeight {
		slices.SortStableFunc(list, func(x, y uint32) int { return int(c.inv[x]) - int(c.inv[y]) })
		starts := make([]uint32, s.values+1)
		for i, x := range list {
			c.rank[x] = uint32(i)
			starts[c.inv[x]+1]++
		}
		for i := range s.values {
			starts[i+1] += starts[i]
		}
		c.starts[w] = starts
	}
	for _, g := range s.group {
		t := make([]uint32, size)
		for x := 1; x < size; x++ {
			to := g[c.holes[bits.TrailingZeros(uint(x))]]
			t[x] = t[x&(x-1)] | 1<<s.bit(to)
		}
		c.image = append(c.image, t)
	}
	c.legal = make([]uint64, size*s.jumpWords)
	for x := range size {
		p := c.position(uint32(x))
		var own peg.Position
		for _, h := range c.holes {
			own |= 1 << h
		}
		for i, j := range s.board.Jumps {
			if p&j.Mask() == j.Need()&own {
				c.legal[x*s.jumpWords+i/64] |= 1 << (i % 64)
			}
		}
	}
}

// bit is the bit of a hole in the patterns of its class.
func (s *scheme) bit(hole uint8) int {
	return slices.Index(s.class[s.role[s.board.Class[hole]]].holes, hole)
}

// position is the set of holes of a pattern.
func (c *class) position(pattern uint32) peg.Position {
	var p peg.Position
	for ; pattern != 0; pattern &= pattern - 1 {
		p |= 1 << c.holes[bits.TrailingZeros32(pattern)]
	}
	return p
}

// all returns the share of the full pattern in the invariants.
func (c *class) all() uint32 { return c.inv[len(c.inv)-1] }

// complement is the pattern of the holes that x leaves empty.
func (c *class) complement(x uint32) uint32 { return x ^ uint32(len(c.inv)-1) }

// patterns splits a position by class.
func (s *scheme) patterns(p peg.Position) (x [roles]uint32) {
	for r := range s.class {
		for i, h := range s.class[r].holes {
			x[r] |= uint32(p>>h&1) << i
		}
	}
	return x
}

// planes is the number of words that the bits of a row take where the word class has weight w.
func (s *scheme) planes(w int) int {
	most := uint32(1)
	for v := range s.values {
		most = max(most, s.class[word].starts[w][v+1]-s.class[word].starts[w][v])
	}
	return int(most+63) / 64
}

// wordList is the word patterns of a weight and value of the invariants: bit i of a row stands for the i-th.
func (s *scheme) wordList(w int, value uint32) []uint32 {
	c := &s.class[word]
	return c.byWeight[w][c.starts[w][value]:c.starts[w][value+1]]
}

// wordBit is the place of a word pattern in its list.
func (s *scheme) wordBit(x uint32) uint32 {
	c := &s.class[word]
	return c.rank[x] - c.starts[bits.OnesCount32(x)][c.inv[x]]
}
