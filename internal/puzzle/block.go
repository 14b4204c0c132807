package puzzle

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
)

// BlockAddresses is the size of a block's address range. It is part of the format: blocks of a window start at
// multiples of it from the window's first address. So every writer divides the content of a window in the same way.
const BlockAddresses = 1 << 16

// A Block holds the rows of a window whose addresses lie in [First, First+Addresses), column by column.
//
//	Occupied  bit i of the words, least significant first: address First+i has a row
//	Columns   Columns[c][r] is column c of the r-th row in address order; trailing columns that are all zero are absent
//
// A window's blocks come in address order; a block without rows is not written at all.
type Block struct {
	First     uint64
	Addresses int
	Occupied  []uint64
	Columns   [][]uint64
}

// Clone returns a copy of b that shares no memory with it.
func (b *Block) Clone() *Block {
	c := &Block{First: b.First, Addresses: b.Addresses, Occupied: slices.Clone(b.Occupied)}
	for _, column := range b.Columns {
		c.Columns = append(c.Columns, slices.Clone(column))
	}
	return c
}

// Rows counts the rows of b.
func (b *Block) Rows() int {
	n := 0
	for _, w := range b.Occupied {
		n += bits.OnesCount64(w)
	}
	return n
}

// Column returns column c, nil when it is absent and so all zero.
func (b *Block) Column(c int) []uint64 {
	if c >= len(b.Columns) {
		return nil
	}
	return b.Columns[c]
}

// Check returns an error when b does not have the form of a block of w. Every decoder calls it before it uses a block
// from outside.
func (b *Block) Check(w Window) error {
	if b.First < w.First || (b.First-w.First)%BlockAddresses != 0 || b.First-w.First >= w.Addresses {
		return fmt.Errorf("block address %d does not belong to window %s", b.First, w)
	}
	if want := min(uint64(BlockAddresses), w.Addresses-(b.First-w.First)); uint64(b.Addresses) != want {
		return fmt.Errorf("block %d has %d addresses, want %d", b.First, b.Addresses, want)
	}
	if len(b.Occupied) != (b.Addresses+63)/64 {
		return fmt.Errorf("block %d has %d occupancy words for %d addresses", b.First, len(b.Occupied), b.Addresses)
	}
	if r := b.Addresses % 64; r != 0 && b.Occupied[len(b.Occupied)-1]>>r != 0 {
		return fmt.Errorf("block %d has rows past its last address", b.First)
	}
	rows := b.Rows()
	if rows == 0 {
		return fmt.Errorf("block %d has no rows", b.First)
	}
	for c, col := range b.Columns {
		if len(col) != rows {
			return fmt.Errorf("block %d has %d values in column %d for %d rows", b.First, len(col), c, rows)
		}
	}
	return nil
}

// Source gives a computation the windows of its parents.
type Source interface {
	// Tally returns the merged sums and maxima of a parent cell, without its flows.
	Tally(c Cell) (Tally, error)
	// Windows returns the windows of a parent cell, in address order.
	Windows(c Cell) ([]Window, error)
	// Blocks passes the blocks of one window of a parent that intersect addresses [first, first+addresses) to fn, in
	// address order. A block belongs to the caller only until fn returns. The content has been checked against the
	// window's digest; where that fails, the error wraps ErrMissing.
	Blocks(ctx context.Context, w Window, first, addresses uint64, fn func(*Block) error) error
	// Cache holds decoded windows between computations, within the memory that the pipeline grants. It may forget
	// anything at any time.
	Cache() Cache
	// MemoryBytes bounds the memory of the computation in bytes, parents included, when that is less than
	// CellPlan.MemoryBytes; it is at least LeastBytes. 0 means the amount in the plan. The result does not depend on it.
	MemoryBytes() uint64
}

// Cache keeps values of the puzzle's choosing by window. Values are shared between computations and never modified
// after Put. Safe for concurrent use.
type Cache interface {
	Get(id WindowID) (v any, ok bool)
	// Put offers v, which occupies size bytes.
	Put(id WindowID, v any, size uint64)
}

// Sink takes the rows of the window being computed.
type Sink interface {
	// Block writes one block with at least one row; blocks come in address order. b may be reused after the return.
	Block(b *Block) error
}
