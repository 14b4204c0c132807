package kv

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"pagoda/internal/puzzle"
)

// decoded holds memory for blocks being read.
var decoded = sync.Pool{New: func() any { return new(puzzle.Block) }}

// Blocks passes the blocks of the window of rec that intersect addresses [first, first+addresses) to fn, in address
// order. A block belongs to fn's caller again when fn returns. Every block is checked by itself, and when the range
// covers the window, the window is checked against its seal at the end: what fn did with the blocks counts only if
// Blocks returns nil. A read of a part cannot notice a block that is missing from the range.
//
// The error wraps ErrNotFound when the store has no such window, and ErrCorrupt when what it has is damaged or is not
// what rec says; it then names run, window and block.
func (s *Store) Blocks(ctx context.Context, rec Record, first, addresses uint64, fn func(*puzzle.Block) error) error {
	return s.read(ctx, rec, first, addresses, fn, nil)
}

// Verify reads the whole window of rec and computes its digest anew. Errors are those of Blocks.
func (s *Store) Verify(ctx context.Context, rec Record) error {
	h := NewHasher(rec.Window)
	add := func(b *puzzle.Block) error {
		h.Add(b)
		return nil
	}
	return s.read(ctx, rec, rec.First, rec.Addresses, add, h)
}

func (s *Store) read(ctx context.Context, rec Record, first, addresses uint64, fn func(*puzzle.Block) error,
	h *Hasher) error {
	var rows, blocks uint64
	var l seal
	b := decoded.Get().(*puzzle.Block)
	defer decoded.Put(b)
	from, whole := rec.blockOf(first), first <= rec.First && first+addresses >= rec.First+rec.Addresses
	v, err := s.coded(ctx, rec.ID(), &rec.Digest, from, first+addresses, func(at uint64, coded []byte) error {
		if err := DecodeBlock(coded, b); err != nil {
			return fmt.Errorf("block %d: %w", at, err)
		}
		if err := b.Check(rec.Window); err != nil {
			return fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
		if b.First != at {
			return fmt.Errorf("%w: block %d says that it is block %d", ErrCorrupt, at, b.First)
		}
		l.add(at, coded)
		blocks++
		rows += uint64(b.Rows())
		return fn(b)
	})
	if err != nil || !whole {
		return err
	}
	if blocks != rec.Blocks || rows != rec.Rows || l.sum() != v.seal {
		return s.at(rec.ID(), fmt.Errorf("%w: %d blocks with %d rows and seal %016x, want %d, %d, %016x",
			ErrCorrupt, blocks, rows, l.sum(), rec.Blocks, rec.Rows, v.seal))
	}
	if h != nil && h.Sum() != rec.Digest {
		return s.at(rec.ID(), fmt.Errorf("%w: digest %s, want %s", ErrCorrupt, h.Sum(), rec.Digest))
	}
	return nil
}

// RawBlocks passes the coded blocks of a window from address from on to fn, in address order, to be handed to
// [Writer.Raw] elsewhere. coded is valid until fn returns; its checksum has been checked. Errors are those of Blocks.
func (s *Store) RawBlocks(ctx context.Context, id puzzle.WindowID, from uint64,
	fn func(first uint64, coded []byte) error) error {
	_, err := s.coded(ctx, id, nil, from, 0, func(at uint64, coded []byte) error {
		if err := checkSum(at, coded); err != nil {
			return err
		}
		return fn(at, coded)
	})
	return err
}

// coded scans the coded blocks of a window whose first address lies in [from, end), to the last one when end is 0. It
// sees one state of the store, whatever is committed or dropped meanwhile.
func (s *Store) coded(ctx context.Context, id puzzle.WindowID, want *Digest, from, end uint64,
	fn func(first uint64, coded []byte) error) (v stored, err error) {
	if err := s.enter(); err != nil {
		return stored{}, err
	}
	defer s.exit()
	snap := s.db.NewSnapshot()
	defer free(snap)
	v, found, err := s.lookup(snap, id)
	if err != nil {
		return stored{}, err
	}
	if !found {
		return stored{}, s.at(id, ErrNotFound)
	}
	if want != nil && *want != v.Digest {
		return stored{}, s.at(id, &OtherDigestError{v.Digest, *want})
	}
	prefix := blockPrefix(id, v.gen)
	bounds := &pebble.IterOptions{LowerBound: blockKey(prefix, from), UpperBound: after(prefix)}
	if end != 0 {
		bounds.UpperBound = blockKey(prefix, end)
	}
	it, err := snap.NewIter(bounds)
	if err != nil {
		return stored{}, s.at(id, s.failure(err))
	}
	for ok := it.First(); ok; ok = it.Next() {
		if err = ctx.Err(); err != nil {
			break
		}
		var value []byte
		if value, err = it.ValueAndErr(); err != nil {
			err = s.failure(err)
			break
		}
		key := it.Key()
		if len(key) != len(prefix)+8 {
			err = fmt.Errorf("%w: block key %x", ErrCorrupt, key)
			break
		}
		first := binary.BigEndian.Uint64(key[len(prefix):])
		if err = fn(first, value); err != nil {
			break
		}
		if last := v.First + v.Addresses - 1; last-first < puzzle.BlockAddresses {
			break // nothing can follow, and asking would read beyond the window
		}
	}
	if cerr := it.Close(); err == nil {
		err = s.failure(cerr)
	}
	if err != nil {
		return stored{}, s.at(id, err)
	}
	return v, nil
}

// blockOf returns the first address of the block that holds address a, or the window's first address when a is before
// it.
func (r *Record) blockOf(a uint64) uint64 {
	if a <= r.First {
		return r.First
	}
	return a - (a-r.First)%puzzle.BlockAddresses
}

// blockKey returns the key of a block in fresh memory.
func blockKey(prefix []byte, first uint64) []byte {
	key := make([]byte, 0, len(prefix)+8)
	return binary.BigEndian.AppendUint64(append(key, prefix...), first)
}

func putWords(b []byte, words ...uint64) {
	for i, w := range words {
		binary.LittleEndian.PutUint64(b[8*i:], w)
	}
}
