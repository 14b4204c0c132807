package kv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
)

// A location says where the blocks of a committed window are, and how to tell that they are all there.
type location struct {
	digest  blocks.Digest
	seal    uint64
	first   uint64   // of the window
	extents []extent // in the order of the blocks, which lie in them without gaps; no block lies in two
	blocks  []placed
	copied  bool // they come from another store
}

// placed is a block: its number in the window, counted in steps of puzzle.BlockAddresses, and its length.
type placed struct{ number, length uint64 }

// maxBlocks bounds the blocks of a window.
const maxBlocks = math.MaxUint64 / puzzle.BlockAddresses

// add appends a block to the location.
func (l *location) add(number uint64, length int) {
	l.blocks = append(l.blocks, placed{number, uint64(length)})
}

// stored is the value under keyRecord:
//
//	digest    32 bytes
//	seal       8 bytes, big endian
//	first     the first address of the window
//	extents   their number, then segment, offset and length of each; the number has a needless zero byte at its end when
//	          the blocks come from another store, which earlier programs read as the same number
//	blocks    their number, then for each the numbers left out before it, and its length
//	record    see Record.Encode
//	checksum   8 bytes, big endian, XXH64 of all that comes before
//
// Numbers without a size are varints. A read needs only what comes before the record.
type stored struct {
	location
	Record
}

const storedFrame = len(blocks.Digest{}) + 8 + 1 + 1 + 1 + 8

func (v *stored) encode() ([]byte, error) {
	rec, err := v.Encode()
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, storedFrame+24*len(v.extents)+6*len(v.blocks)+len(rec))
	b = append(b, v.digest[:]...)
	b = binary.BigEndian.AppendUint64(b, v.seal)
	b = binary.AppendUvarint(b, v.first)
	b = binary.AppendUvarint(b, uint64(len(v.extents)))
	if v.copied {
		b = needless(b)
	}
	for _, e := range v.extents {
		b = binary.AppendUvarint(b, e.segment)
		b = binary.AppendUvarint(b, uint64(e.offset))
		b = binary.AppendUvarint(b, uint64(e.length))
	}
	b = binary.AppendUvarint(b, uint64(len(v.blocks)))
	next := uint64(0)
	for _, p := range v.blocks {
		b = binary.AppendUvarint(b, p.number-next)
		b = binary.AppendUvarint(b, p.length)
		next = p.number + 1
	}
	b = append(b, rec...)
	return binary.BigEndian.AppendUint64(b, xxhash.Sum64(b)), nil
}

// needless appends a zero byte to the varint at the end of b, which stays the same number.
func needless(b []byte) []byte {
	b[len(b)-1] |= 0x80
	return append(b, 0)
}

var errLocation = errors.New("malformed location")

// decodeLocation reads the part of a stored value before the record, and returns the record as it is.
func decodeLocation(b []byte) (l location, rec []byte, err error) {
	n := len(b) - 8
	if len(b) < storedFrame {
		return l, nil, fmt.Errorf("%w: record of %d bytes", ErrCorrupt, len(b))
	}
	if xxhash.Sum64(b[:n]) != binary.BigEndian.Uint64(b[n:]) {
		return l, nil, fmt.Errorf("%w: record checksum", ErrCorrupt)
	}
	b = b[copy(l.digest[:], b):n]
	l.seal = binary.BigEndian.Uint64(b)
	r := varints{b: b[8:]}
	l.first = r.next(math.MaxUint64)
	room, total := uint64(0), uint64(0)
	begun := r.b
	extents := r.count(3)
	last := len(begun) - len(r.b) - 1
	l.copied = last > 0 && begun[last] == 0
	for range extents {
		e := extent{r.next(math.MaxUint64), int64(r.next(math.MaxInt64 / 2)), int64(r.next(math.MaxInt64 / 2))}
		l.extents = append(l.extents, e)
		room += uint64(e.length)
	}
	next, number := uint64(0), r.count(2)
	l.blocks = slices.Grow(l.blocks, number)
	for range number {
		p := placed{next + r.next(maxBlocks-next), r.next(blocks.MaxBytes)}
		l.blocks = append(l.blocks, p)
		next, total = p.number+1, total+p.length
	}
	if r.bad || total != room {
		return location{}, nil, fmt.Errorf("%w: %w", ErrCorrupt, errLocation)
	}
	return l, r.b, nil
}

// varints reads varints until one is missing or too large.
type varints struct {
	b   []byte
	bad bool
}

func (r *varints) next(most uint64) uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > most || r.bad {
		r.bad = true
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count reads the number of items that follow, of size varints each.
func (r *varints) count(size int) int {
	return int(r.next(uint64(len(r.b) / size)))
}

// decodeStored reads the value under the record key of window id.
func (s *Store) decodeStored(id puzzle.WindowID, b []byte) (v stored, err error) {
	l, rec, err := decodeLocation(b)
	if err == nil {
		v.location = l
		v.Record, err = DecodeRecord(rec)
	}
	if err == nil && (v.Run != s.run || v.ID() != id || v.Record.Digest != v.digest || v.First != v.first) {
		err = fmt.Errorf("%w: record of run %s, window %s", ErrCorrupt, v.Run, v.Window)
	}
	if err != nil {
		return stored{}, s.at(id, err)
	}
	return v, nil
}
