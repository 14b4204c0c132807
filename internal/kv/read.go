package kv

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
)

// decoded holds memory for blocks being read.
var decoded = sync.Pool{New: func() any { return new(puzzle.Block) }}

// Blocks passes the blocks of the window of rec that intersect addresses [first, first+addresses) to fn, in address
// order. A block belongs to fn's caller again when fn returns. Every block is checked by itself, and when the range
// covers the window, the window is checked against its seal at the end: fn's results count only if Blocks returns nil.
// A read of a part cannot notice a block that is missing from the range.
//
// The error wraps ErrNotFound when the store has no such window, and ErrCorrupt when the blocks are damaged or do not
// match rec; it then names run, window and block.
func (s *Store) Blocks(ctx context.Context, rec Record, first, addresses uint64, fn func(*puzzle.Block) error) error {
	return s.read(ctx, rec, first, addresses, fn, nil)
}

// Verify reads the whole window of rec and computes its digest anew. Errors are those of Blocks.
func (s *Store) Verify(ctx context.Context, rec Record) error {
	h := blocks.NewHasher(rec.Window)
	add := func(b *puzzle.Block) error {
		h.Add(b)
		return nil
	}
	return s.read(ctx, rec, rec.First, rec.Addresses, add, h)
}

func (s *Store) read(ctx context.Context, rec Record, first, addresses uint64, fn func(*puzzle.Block) error,
	h *blocks.Hasher) error {
	var rows, number uint64
	var l seal
	b := decoded.Get().(*puzzle.Block)
	defer decoded.Put(b)
	from, whole := rec.blockOf(first), first <= rec.First && first+addresses >= rec.First+rec.Addresses
	v, err := s.coded(ctx, rec.ID(), &rec.Digest, from, first+addresses, func(at uint64, coded []byte) error {
		if err := blocks.Decode(coded, b); err != nil {
			return fmt.Errorf("block %d: %w", at, err)
		}
		if err := b.Check(rec.Window); err != nil {
			return fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
		if b.First != at {
			return fmt.Errorf("%w: block %d says that it is block %d", ErrCorrupt, at, b.First)
		}
		l.add(at, coded)
		number++
		rows += uint64(b.Rows())
		return fn(b)
	})
	if err != nil || !whole {
		return err
	}
	if number != rec.Blocks || rows != rec.Rows || l.sum() != v.seal {
		return s.at(rec.ID(), fmt.Errorf("%w: %d blocks with %d rows and seal %016x, want %d, %d, %016x",
			ErrCorrupt, number, rows, l.sum(), rec.Blocks, rec.Rows, v.seal))
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

// coded passes the coded blocks of a window whose first address lies in [from, end), to the last one when end is 0, to
// fn. It sees one state of the window, whatever is committed or dropped meanwhile.
func (s *Store) coded(ctx context.Context, id puzzle.WindowID, want *blocks.Digest, from, end uint64,
	fn func(first uint64, coded []byte) error) (location, error) {
	if err := s.enter(); err != nil {
		return location{}, err
	}
	defer s.exit()
	s.located.RLock()
	l, found, err := s.locate(id)
	s.segments.pin(l.extents)
	s.located.RUnlock()
	defer s.segments.unpin(l.extents)
	switch {
	case err != nil:
		return location{}, err
	case !found:
		return location{}, s.at(id, ErrNotFound)
	case want != nil && *want != l.digest:
		return location{}, s.at(id, &OtherDigestError{l.digest, *want})
	}
	r := blockReader{segments: s.segments, extents: l.extents}
	defer r.close()
	for _, p := range l.blocks {
		if err := ctx.Err(); err != nil {
			return location{}, s.at(id, err)
		}
		first := l.first + p.number*puzzle.BlockAddresses
		if end != 0 && first >= end {
			break
		}
		if first < from {
			err = r.skip(p.length)
		} else if err = r.read(p.length); err == nil {
			err = fn(first, *r.buf)
		}
		if err != nil {
			return location{}, s.at(id, err)
		}
	}
	return l, nil
}

// blockReader reads the blocks of a window, which lie one behind the other in extents.
type blockReader struct {
	segments *segments
	extents  []extent
	offset   int64    // in the first extent
	file     vfs.File // the segment of the first extent, when it is open
	buf      *[]byte  // the last block read
}

// next moves on to the extent that holds the next block, of n bytes.
func (r *blockReader) next(n uint64) error {
	for len(r.extents) > 0 && r.offset == r.extents[0].length {
		r.closeFile()
		r.extents, r.offset = r.extents[1:], 0
	}
	if len(r.extents) == 0 || uint64(r.extents[0].length-r.offset) < n {
		return fmt.Errorf("%w: %w", ErrCorrupt, errLocation)
	}
	return nil
}

func (r *blockReader) skip(n uint64) error {
	err := r.next(n)
	r.offset += int64(n)
	return err
}

func (r *blockReader) read(n uint64) error {
	if err := r.next(n); err != nil {
		return err
	}
	e := r.extents[0]
	if r.file == nil {
		f, err := r.segments.fs.Open(r.segments.path(e.segment))
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: segment %d is missing", ErrCorrupt, e.segment)
		}
		if err != nil {
			return unreadable(e.segment, err)
		}
		r.file = f
	}
	if r.buf == nil {
		r.buf = buffers.Get().(*[]byte)
	}
	*r.buf = slices.Grow((*r.buf)[:0], int(n))[:n]
	_, err := r.file.ReadAt(*r.buf, e.offset+r.offset)
	r.offset += int64(n)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: segment %d is too short", ErrCorrupt, e.segment)
	}
	return unreadable(e.segment, err)
}

// unreadable turns a read error of the disk into damaged rows: they are read elsewhere, or computed again.
func unreadable(segment uint64, err error) error {
	if errors.Is(err, syscall.EIO) {
		return fmt.Errorf("%w: segment %d cannot be read: %w", ErrCorrupt, segment, err)
	}
	return err
}

func (r *blockReader) closeFile() {
	if r.file != nil {
		free(r.file)
		r.file = nil
	}
}

func (r *blockReader) close() {
	r.closeFile()
	if r.buf != nil {
		buffers.Put(r.buf)
	}
}

// blockOf returns the first address of the block that holds address a, or the window's first address when a is before
// it.
func (r *Record) blockOf(a uint64) uint64 {
	if a <= r.First {
		return r.First
	}
	return a - (a-r.First)%puzzle.BlockAddresses
}

func putWords(b []byte, words ...uint64) {
	for i, w := range words {
		binary.LittleEndian.PutUint64(b[8*i:], w)
	}
}
