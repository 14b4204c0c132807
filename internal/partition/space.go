package partition

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"pagoda/internal/peg"
)

// ErrTooLarge is wrapped when a board cannot be given an address function with tables of bounded size.
var ErrTooLarge = errors.New("board is too large to address")

// A Space is the address space of all positions that share the class lattice and the invariants of a start, under a
// symmetry group that fixes the start. Safe for concurrent use.
type Space struct {
	Board *peg.Board
	Group []peg.Perm // identity first
	Start peg.Position

	Prefix, Mid, Low Field
	// Lead is the part of prefixes that decides the order of addresses first; it has no bits where nothing does. See
	// NewCutSpace.
	Lead      Field
	ClassSize Vector

	bitOf   []uint8  // bitOf[hole] is the hole's bit in an ordered position
	holeOf  []uint8  // the inverse
	classes [][4]int // classes[g][c]: the class that g maps class c to

	bitVector []Vector // class of each ordered bit, as a unit vector
	bitInv    []uint64 // invariants of each ordered bit: bit i is in mask i
	startInv  uint64

	toOrdered   Spread // hole order to bit order
	fromOrdered Spread

	prefixPerm [][]uint32 // [g][pattern]
	lowPerm    [][]uint32
	midPerm    []Spread   // [g]
	midTable   [][]uint16 // [g][pattern], where the mid field has one segment

	lows       lowTable
	midContrib [][]need // by segment of the mid field: the contributions of its patterns

	censusOnce sync.Once
	censusList []*census // see censuses
	sizes      sync.Map  // Vector to uint64: see Addresses

	cutting sync.Mutex // before mu
	cuts    recent[cutsKey, []uint64]

	mu        sync.Mutex
	prefixes  map[uint64]*prefixTable // by coset, a set of group elements
	leadReads map[leadKey][][]int32
	layouts   recent[Vector, *Layout]
	leads     recent[Vector, []uint64] // see Leads
	nodes     nodeCache
}

// NewSpace builds the address space of board's positions that can be met from start, under group (identity first,
// closed, every element fixing start).
func NewSpace(board *peg.Board, group []peg.Perm, start peg.Position) (*Space, error) {
	return newSpace(board, group, start, board.Invariants())
}

// NewWholeSpace builds the address space of all positions of board, under group (identity first, closed): no invariant
// keeps any out. Its start is the full board.
func NewWholeSpace(board *peg.Board, group []peg.Perm) (*Space, error) {
	return newSpace(board, group, board.Full(), nil)
}

// newSpace builds the address space of the positions that have the parities of start on the masks of invariants.
func newSpace(board *peg.Board, group []peg.Perm, start peg.Position, invariants []peg.Position) (*Space, error) {
	return buildSpace(board, group, start, invariants, nil)
}

// buildSpace is newSpace with a lead, whose orbits decide the order of addresses one after the other.
func buildSpace(
	board *peg.Board, group []peg.Perm, start peg.Position, invariants, lead []peg.Position,
) (*Space, error) {
	if len(group) > 64 {
		return nil, fmt.Errorf("a symmetry group of %d elements: %w", len(group), ErrTooLarge)
	}
	s := &Space{Board: board, Group: group, Start: start, prefixes: map[uint64]*prefixTable{}}
	prefix, mid, low := chooseFields(board, group)
	for _, orbit := range lead {
		prefix, mid = prefix|orbit, mid&^orbit
	}
	s.order(prefix, mid, low, lead)
	for _, c := range board.Class {
		s.ClassSize[c]++
	}
	s.grade(invariants)
	s.permute()
	s.lows = newLowTable(s, len(invariants))
	for i := range s.segments() {
		f := s.segment(i)
		s.midContrib = append(s.midContrib, s.contributions(Field{s.Mid.Shift + f.Shift, f.Bits}))
	}
	return s, nil
}

// order numbers the bits: low field at the bottom, prefix at the top; within a field by class, so that the bits of a
// class are neighbours, then by hole. The lead is the top of the prefix, its first orbit the topmost.
func (s *Space) order(prefix, mid, low peg.Position, lead []peg.Position) {
	n := s.Board.Size()
	s.bitOf = make([]uint8, n)
	bit := 0
	place := func(set peg.Position) Field {
		f := Field{Shift: bit}
		for c := range uint8(4) {
			for h := range n {
				if set>>h&1 != 0 && s.Board.Class[h] == c {
					s.bitOf[h] = uint8(bit)
					s.holeOf = append(s.holeOf, uint8(h))
					bit++
				}
			}
		}
		f.Bits = bit - f.Shift
		return f
	}
	for _, orbit := range lead {
		prefix &^= orbit
	}
	s.Low, s.Mid, s.Prefix = place(low), place(mid), place(prefix)
	s.Lead.Shift = s.Prefix.Bits
	for _, orbit := range slices.Backward(lead) {
		s.Lead.Bits += place(orbit).Bits
	}
	s.Prefix.Bits += s.Lead.Bits
	s.toOrdered = newSpread(s.bitOf)
	s.fromOrdered = newSpread(s.holeOf)
}

// grade computes the share of each bit in the class counts and invariants.
func (s *Space) grade(invariants []peg.Position) {
	n := s.Board.Size()
	s.bitVector, s.bitInv = make([]Vector, n), make([]uint64, n)
	for bit, hole := range s.holeOf {
		s.bitVector[bit][s.Board.Class[hole]] = 1
		for i, m := range invariants {
			s.bitInv[bit] |= uint64(m>>hole&1) << i
		}
	}
	s.startInv = s.invariants(s.Ordered(s.Start))
}

// permute tabulates the group on classes and fields.
func (s *Space) permute() {
	n := s.Board.Size()
	for _, g := range s.Group {
		img := [4]int{0, 1, 2, 3}
		perm := make([]uint8, n)
		for hole := range n {
			img[s.Board.Class[hole]] = int(s.Board.Class[g[hole]])
			perm[s.bitOf[hole]] = s.bitOf[g[hole]]
		}
		s.classes = append(s.classes, img)
		s.prefixPerm = append(s.prefixPerm, permTable(perm, s.Prefix))
		s.lowPerm = append(s.lowPerm, permTable(perm, s.Low))
		mid := make([]uint8, s.Mid.Bits)
		for i := range mid {
			mid[i] = perm[s.Mid.Shift+i] - uint8(s.Mid.Shift)
		}
		s.midPerm = append(s.midPerm, newSpread(mid))
		if s.segments() == 1 {
			t := make([]uint16, s.Mid.Size())
			for x := range t {
				t[x] = uint16(s.midPerm[len(s.midPerm)-1].Apply(uint64(x)))
			}
			s.midTable = append(s.midTable, t)
		}
	}
}

// permTable tabulates a permutation of ordered bits on all patterns of a field that it maps to itself.
func permTable(perm []uint8, f Field) []uint32 {
	t := make([]uint32, f.Size())
	for x := 1; x < len(t); x++ {
		low := bits.TrailingZeros32(uint32(x))
		t[x] = t[x&(x-1)] | 1<<(perm[f.Shift+low]-uint8(f.Shift))
	}
	return t
}

// Ordered converts a position from hole order to the order of fields.
func (s *Space) Ordered(p peg.Position) uint64 { return s.toOrdered.Apply(uint64(p)) }

// Position converts back from the order of fields to hole order.
func (s *Space) Position(x uint64) peg.Position { return peg.Position(s.fromOrdered.Apply(x)) }

// SpreadTo returns the spread from the order of s, moved by a symmetry g of the board, to the order of t, another space
// of the same board.
func (s *Space) SpreadTo(t *Space, g peg.Perm) Spread {
	to := make([]uint8, len(s.holeOf))
	for bit, hole := range s.holeOf {
		to[bit] = t.bitOf[g[hole]]
	}
	return newSpread(to)
}

// Bit is the bit of a hole in an ordered position.
func (s *Space) Bit(hole uint16) int { return int(s.bitOf[hole]) }

// PrefixImage applies group element g to a prefix.
func (s *Space) PrefixImage(g int, pattern uint64) uint64 { return uint64(s.prefixPerm[g][pattern]) }

// MidImage applies group element g to a mid pattern.
func (s *Space) MidImage(g int, pattern uint64) uint64 { return s.midPerm[g].Apply(pattern) }

// MidImages is MidImage as a table by pattern, nil where the mid field has more than one segment.
func (s *Space) MidImages(g int) []uint16 {
	if s.midTable == nil {
		return nil
	}
	return s.midTable[g]
}

// LowImage applies group element g to a low pattern.
func (s *Space) LowImage(g int, pattern uint64) uint64 { return uint64(s.lowPerm[g][pattern]) }

// Vector is the class-count vector of a position.
func (s *Space) Vector(p peg.Position) Vector {
	var v Vector
	for p := uint64(p); p != 0; p &= p - 1 {
		v[s.Board.Class[bits.TrailingZeros64(p)]]++
	}
	return v
}

// invariants of an ordered position.
func (s *Space) invariants(x uint64) uint64 {
	var inv uint64
	for ; x != 0; x &= x - 1 {
		inv ^= s.bitInv[bits.TrailingZeros64(x)]
	}
	return inv
}

// Image is the vector that group element g maps v to.
func (s *Space) Image(g int, v Vector) Vector {
	var w Vector
	for c, n := range v {
		if n > 0 {
			w[s.classes[g][c]] = n
		}
	}
	return w
}

// Canonical returns the vector that stands for v's orbit (the largest), and the coset of group elements that map v to
// it, as a bit set over the group.
func (s *Space) Canonical(v Vector) (rep Vector, coset uint64) {
	for g := range s.Group {
		w := s.Image(g, v)
		switch {
		case g == 0 || rep.before(w):
			rep, coset = w, 1<<g
		case w == rep:
			coset |= 1 << g
		}
	}
	return rep, coset
}

// OrbitSize is the number of vectors that v stands for.
func (s *Space) OrbitSize(v Vector) int {
	_, coset := s.Canonical(v)
	return len(s.Group) / bits.OnesCount64(coset)
}
