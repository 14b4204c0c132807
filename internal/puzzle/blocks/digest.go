package blocks

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"

	"pagoda/internal/puzzle"
)

// A Digest identifies the content of a window: SHA-256 over the canonical form, which is for each block in address
// order
//
//	First in the window    uint64
//	Addresses              uint64
//	columns                uint64, trailing columns that are all zero not counted
//	Occupied               uint64 each
//	Columns                uint64 each, column after column
//
// all little endian. A window without rows has the digest of nothing.
type Digest [sha256.Size]byte

// String is the digest in hex, 64 characters.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText writes the digest as 64 lower-case hex digits.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the output of MarshalText, and nothing else.
func (d *Digest) UnmarshalText(b []byte) error {
	var v Digest
	if len(b) != hex.EncodedLen(len(v)) {
		return fmt.Errorf("a digest has %d hex digits, not %d", hex.EncodedLen(len(v)), len(b))
	}
	if _, err := hex.Decode(v[:], b); err != nil || bytes.ContainsAny(b, "ABCDEF") {
		return fmt.Errorf("%q is not a digest of lower-case hex digits", b)
	}
	*d = v
	return nil
}

// A Hasher computes the digest of a window from its blocks in order.
type Hasher struct {
	first uint64
	h     hash.Hash
}

// NewHasher returns a Hasher for window w.
func NewHasher(w puzzle.Window) *Hasher { return &Hasher{first: w.First, h: sha256.New()} }

// Add adds the next block. The form of b must have been checked, see [puzzle.Block.Check].
func (h *Hasher) Add(b *puzzle.Block) {
	columns := b.Columns[:usedColumns(b)]
	var head [24]byte
	binary.LittleEndian.PutUint64(head[0:], b.First-h.first)
	binary.LittleEndian.PutUint64(head[8:], uint64(b.Addresses))
	binary.LittleEndian.PutUint64(head[16:], uint64(len(columns)))
	h.h.Write(head[:])
	h.words(b.Occupied)
	for _, c := range columns {
		h.words(c)
	}
}

// Sum returns the digest of the blocks so far.
func (h *Hasher) Sum() (d Digest) {
	h.h.Sum(d[:0])
	return d
}

func (h *Hasher) words(v []uint64) {
	if b, ok := littleEndianBytes(v); ok {
		h.h.Write(b)
		return
	}
	var buf [8 * 512]byte
	for len(v) > 0 {
		n := min(len(v), 512)
		h.h.Write(appendWords(buf[:0], v[:n]))
		v = v[n:]
	}
}

// usedColumns counts the columns of b without the trailing ones that are all zero.
func usedColumns(b *puzzle.Block) int {
	n := len(b.Columns)
	for n > 0 && allZero(b.Columns[n-1]) {
		n--
	}
	return n
}

func allZero(v []uint64) bool {
	for len(v) >= 8 {
		if v[0]|v[1]|v[2]|v[3]|v[4]|v[5]|v[6]|v[7] != 0 {
			return false
		}
		v = v[8:]
	}
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}
