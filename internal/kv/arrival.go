package kv

import (
	"fmt"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
)

// An Arrival checks the coded blocks of a window that come from another store, before any use: each block by itself as
// it comes, and the digest over all of them at the end. Used by one goroutine.
type Arrival struct {
	rec                 Record
	hasher              *blocks.Hasher
	rows, blocks, bytes uint64
	next                uint64
}

// NewArrival returns an Arrival of the window that rec describes. It does not look at the tally of rec.
func NewArrival(rec Record) *Arrival {
	return &Arrival{rec: rec, hasher: blocks.NewHasher(rec.Window), next: rec.First}
}

// Add takes the next coded block, and returns its first address. An error wraps ErrCorrupt and leaves the Arrival as it
// was: the block can be had again from Next on.
func (a *Arrival) Add(coded []byte) (first uint64, err error) {
	b := decoded.Get().(*puzzle.Block)
	defer decoded.Put(b)
	if err := blocks.Decode(coded, b); err != nil {
		return 0, fmt.Errorf("block from address %d on: %w", a.next, err)
	}
	rows := uint64(b.Rows())
	switch err := b.Check(a.rec.Window); {
	case err != nil:
		return 0, fmt.Errorf("%w: %w", ErrCorrupt, err)
	case b.First < a.next:
		return 0, fmt.Errorf("%w: block %d comes after block %d", ErrCorrupt, b.First, a.next-puzzle.BlockAddresses)
	case a.blocks >= a.rec.Blocks || rows > a.rec.Rows-a.rows || uint64(len(coded)) > a.rec.Bytes-a.bytes:
		return 0, fmt.Errorf("%w: more than the %d blocks with %d rows in %d bytes of the window", ErrCorrupt,
			a.rec.Blocks, a.rec.Rows, a.rec.Bytes)
	}
	a.hasher.Add(b)
	a.rows += rows
	a.blocks++
	a.bytes += uint64(len(coded))
	a.next = b.First + puzzle.BlockAddresses
	return b.First, nil
}

// Next returns the address from which on blocks are expected: where a transfer that was cut off resumes.
func (a *Arrival) Next() uint64 { return a.next }

// Lacking is how many bytes of blocks are still to come.
func (a *Arrival) Lacking() uint64 { return a.rec.Bytes - a.bytes }

// Check says whether the blocks so far are the window; the error wraps ErrCorrupt.
func (a *Arrival) Check() error {
	if d := a.hasher.Sum(); d != a.rec.Digest || a.rows != a.rec.Rows || a.blocks != a.rec.Blocks {
		return fmt.Errorf("%w: %d rows with digest %s, want %d rows with digest %s", ErrCorrupt, a.rows, d,
			a.rec.Rows, a.rec.Digest)
	}
	if a.bytes != a.rec.Bytes {
		return fmt.Errorf("%w: %d bytes, want %d", ErrCorrupt, a.bytes, a.rec.Bytes)
	}
	return nil
}
