package tiles

import (
	"math/bits"
	"sync"
)

// The 2x2 block is the unit of the block method. Number its cells
//
//	0 1
//	2 3
//
// and let a be its four different initial colours and f its four different final ones. Relation: cell d comes before
// cell c because f(c) = a(d). Every cell has at most one such d and is one for at most one c. So without a cycle the
// relation is a set of chains, each headed by a colour that the block did not show. With five colours there is one such
// colour, hence one chain: the order of play is forced, and there are 4! = 24 finals. With six colours there are one or
// two chains, and 2*24 + 72 = 120 finals.

// A blockFinal is one way to finish a block.
type blockFinal struct {
	f      [4]uint8
	before [4]uint8 // before[c]: set of the cells that are played before c, directly or not
}

// blockFinals lists the finals of a block of initial colours a, in lexicographic order.
func blockFinals(a [4]uint8, colours int) []blockFinal {
	var out []blockFinal
	k := uint8(colours)
	var b blockFinal
	var fill func(c int, used uint8)
	fill = func(c int, used uint8) {
		if c == 4 {
			if b.close(a) {
				out = append(out, b)
			}
			return
		}
		for v := range k {
			if v != a[c] && used>>v&1 == 0 {
				b.f[c] = v
				fill(c+1, used|1<<v)
			}
		}
	}
	fill(0, 0)
	return out
}

// close fills in b.before and reports whether the relation has no cycle.
func (b *blockFinal) close(a [4]uint8) bool {
	for c := range 4 {
		b.before[c] = 0
		for d := range 4 {
			if b.f[c] == a[d] {
				b.before[c] |= 1 << d
			}
		}
	}
	for range 2 { // chains of at most three links: two rounds of squaring
		for c := range 4 {
			for s := b.before[c]; s != 0; s &= s - 1 {
				b.before[c] |= b.before[bits.TrailingZeros8(s)]
			}
		}
	}
	for c := range 4 {
		if b.before[c]>>c&1 == 1 {
			return false
		}
	}
	return true
}

// order returns the order of two cells in b: bit 0 when x comes before y, bit 1 when y comes before x.
func (b *blockFinal) order(x, y int) uint16 {
	return uint16(b.before[y]>>x&1 | b.before[x]>>y&1<<1)
}

// Gluing blocks, cell by cell: cell 3 of a block is finished after cells 0, 1 and 2. By then the blocks above and to
// the left have said in which order the pairs (0,1) and (0,2) are played. A join entry lists the ways that are left, at
// most three, as 16-bit children:
//
//	bits 0-1   the order that (0,1) must not have: bit 0 "0 before 1", bit 1 "1 before 0"
//	bits 2-3   the same of (0,2)
//	bits 4-6   the final colour of cell 3
//	bits 7-8   the order of (2,3) in this block: bit 0 "2 before 3", bit 1 "3 before 2"
//	bits 9-10  the same of (1,3)
//	bit  11    set: the child exists
//
// The index of an entry is f(1) | f(0)<<3 | f(2)<<6, the shape in which the finals are kept (see partial).
type joinTable [512]uint64

// joinTables holds the tables of all blocks of initial colours for one number of colours, by blockIndex.
type joinTables [1 << 12]*joinTable

func blockIndex(a [4]uint8) int {
	return int(a[0]) | int(a[1])<<3 | int(a[2])<<6 | int(a[3])<<9
}

var joins = map[int]func() *joinTables{
	5: sync.OnceValue(func() *joinTables { return newJoinTables(5) }),
	6: sync.OnceValue(func() *joinTables { return newJoinTables(6) }),
}

func newJoinTables(colours int) *joinTables {
	t := new(joinTables)
	k := uint8(colours)
	for a0 := range k {
		for a1 := range k {
			for a2 := range k {
				for a3 := range k {
					a := [4]uint8{a0, a1, a2, a3}
					if bits.OnesCount8(1<<a0|1<<a1|1<<a2|1<<a3) == 4 {
						t[blockIndex(a)] = newJoinTable(a, colours)
					}
				}
			}
		}
	}
	return t
}

func newJoinTable(a [4]uint8, colours int) *joinTable {
	t := new(joinTable)
	for _, b := range blockFinals(a, colours) {
		child := uint64(swap(b.order(0, 1)) | swap(b.order(0, 2))<<2 | uint16(b.f[3])<<4 |
			b.order(2, 3)<<7 | b.order(1, 3)<<9 | 1<<11)
		e := &t[int(b.f[1])|int(b.f[0])<<3|int(b.f[2])<<6]
		*e |= child << (16 * ((bits.Len64(*e) + 15) / 16)) // in order of the final colour, so that finals come in order
	}
	return t
}

// swap exchanges the two bits of an order, for the order that contradicts it.
func swap(order uint16) uint16 { return order&1<<1 | order>>1 }
