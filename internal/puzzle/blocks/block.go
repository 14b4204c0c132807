package blocks

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"sync"

	"github.com/cespare/xxhash/v2"

	"pagoda/internal/puzzle"
)

const (
	// MaxColumns bounds the columns of a block.
	MaxColumns = 8
	// MaxBytes bounds a coded block; a receiver may refuse a longer one.
	MaxBytes = blockHead + 2 + puzzle.BlockAddresses/8 + MaxColumns*(1+8*puzzle.BlockAddresses) + checksumBytes

	blockHead     = 1 + 8 + 4 + 4 + 1
	checksumBytes = 8
)

var coders = sync.Pool{New: func() any { return new(coder) }}

// Encode appends the coded form of b to dst and returns the result. b must have the form that [puzzle.Block.Check]
// demands and at most MaxColumns columns. The same block gives the same bytes everywhere:
//
//	FormatVersion   1 byte
//	First           8 bytes, little endian like all numbers here
//	Addresses       4 bytes
//	rows            4 bytes
//	columns         1 byte, trailing columns that are all zero left out
//	Occupied        a plane of the bitmap's bytes (see plane.go), the last one cut after the last address
//	columns         see column.go
//	checksum        8 bytes, XXH64 of all that comes before
func Encode(dst []byte, b *puzzle.Block) []byte {
	c := coders.Get().(*coder)
	defer coders.Put(c)
	start := len(dst)
	columns := b.Columns[:usedColumns(b)]
	dst = append(dst, FormatVersion)
	dst = binary.LittleEndian.AppendUint64(dst, b.First)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(b.Addresses))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(b.Rows()))
	dst = append(dst, byte(len(columns)))
	c.bytes = appendWords(c.bytes[:0], b.Occupied)
	dst = encodePlane(dst, c.bytes[:(b.Addresses+7)/8], &c.huff)
	for _, col := range columns {
		dst = c.encodeColumn(dst, col)
	}
	return binary.LittleEndian.AppendUint64(dst, xxhash.Sum64(dst[start:]))
}

// Checksum returns the checksum that a coded block carries in its last 8 bytes.
func Checksum(coded []byte) uint64 {
	return binary.LittleEndian.Uint64(coded[len(coded)-checksumBytes:])
}

// Intact reports whether a coded block has the checksum that it carries.
func Intact(coded []byte) bool {
	n := len(coded) - checksumBytes
	return n >= 0 && xxhash.Sum64(coded[:n]) == Checksum(coded)
}

// Decode decodes the output of Encode into b, reusing its slices. Any input gives a block in proper form, or an error
// that wraps [ErrCorrupt]. Memory is bounded by the largest block. [puzzle.Block.Check] decides whether the block
// belongs to a window.
func Decode(src []byte, b *puzzle.Block) error {
	c := coders.Get().(*coder)
	defer coders.Put(c)
	if err := c.decodeBlock(src, b); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return nil
}

func (c *coder) decodeBlock(src []byte, b *puzzle.Block) error {
	if len(src) < blockHead+checksumBytes {
		return fmt.Errorf("%w: %d bytes", errMalformed, len(src))
	}
	if src[0] != FormatVersion {
		return fmt.Errorf("block of format %d, want %d", src[0], FormatVersion)
	}
	if sum := xxhash.Sum64(src[:len(src)-checksumBytes]); sum != Checksum(src) {
		return fmt.Errorf("block checksum %016x, want %016x", sum, Checksum(src))
	}
	first := binary.LittleEndian.Uint64(src[1:])
	addresses := int(binary.LittleEndian.Uint32(src[9:]))
	rows := int(binary.LittleEndian.Uint32(src[13:]))
	columns := int(src[17])
	if addresses < 1 || addresses > puzzle.BlockAddresses || rows < 1 || rows > addresses || columns > MaxColumns {
		return fmt.Errorf("%w: %d addresses, %d rows, %d columns", errMalformed, addresses, rows, columns)
	}
	// The checksum stays in src: it is the readable tail that decodeColumn asks for.
	rest := src[blockHead:]
	b.First, b.Addresses = first, addresses
	b.Occupied = growWords(b.Occupied, (addresses+63)/64)
	c.bytes = grow(c.bytes, 8*len(b.Occupied))
	clear(c.bytes[len(c.bytes)-8:])
	rest, err := decodePlane(c.bytes[:(addresses+7)/8], rest, &c.huff)
	if err != nil {
		return err
	}
	readWords(b.Occupied, c.bytes)
	if addresses%64 != 0 && b.Occupied[len(b.Occupied)-1]>>(addresses%64) != 0 || b.Rows() != rows {
		return fmt.Errorf("%w: bitmap does not hold %d rows in %d addresses", errMalformed, rows, addresses)
	}
	b.Columns = growColumns(b.Columns, columns, rows)
	for _, col := range b.Columns {
		if rest, err = c.decodeColumn(col, rest); err != nil {
			return err
		}
	}
	if len(rest) != checksumBytes {
		return fmt.Errorf("%w: %d bytes left over", errMalformed, len(rest)-checksumBytes)
	}
	if columns > 0 && allZero(b.Columns[columns-1]) {
		return fmt.Errorf("%w: last column is all zero", errMalformed)
	}
	return nil
}

func growWords(v []uint64, n int) []uint64 {
	if cap(v) < n {
		// Room to spare: the blocks of a window differ a little in their number of rows.
		v = make([]uint64, n, 1<<bits.Len(uint(n)))
	}
	return v[:n]
}

func growColumns(cols [][]uint64, n, rows int) [][]uint64 {
	cols = cols[:cap(cols)]
	for len(cols) < n {
		cols = append(cols, nil)
	}
	cols = cols[:n]
	for i := range cols {
		cols[i] = growWords(cols[i], rows)
	}
	return cols
}
