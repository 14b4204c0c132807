package certificate

import (
	"encoding/hex"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// A Hash is a SHA-256 hash.
type Hash [tlog.HashSize]byte

// String is the hash as 64 lower-case hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText writes what String returns.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads what MarshalText writes, and nothing else.
func (h *Hash) UnmarshalText(b []byte) error {
	var v Hash
	if len(b) != hex.EncodedLen(len(v)) {
		return fmt.Errorf("a hash has %d hex digits, not %d", hex.EncodedLen(len(v)), len(b))
	}
	if _, err := hex.Decode(v[:], b); err != nil || v.String() != string(b) {
		return errors.New("a hash is written in lower-case hex digits")
	}
	*h = v
	return nil
}

// A tree is a tree of RFC 6962 that is being built. The zero tree is empty.
type tree struct {
	hashes []tlog.Hash // as tlog stores them
	leaves int64
}

// add appends a leaf.
func (t *tree) add(text []byte) error {
	more, err := tlog.StoredHashes(t.leaves, text, tlog.HashReaderFunc(t.read))
	if err != nil {
		return err
	}
	t.hashes = append(t.hashes, more...)
	t.leaves++
	return nil
}

// root is the hash of the tree so far.
func (t *tree) root() (Hash, error) {
	h, err := tlog.TreeHash(t.leaves, tlog.HashReaderFunc(t.read))
	return Hash(h), err
}

func (t *tree) read(indexes []int64) ([]tlog.Hash, error) {
	list := make([]tlog.Hash, len(indexes))
	for i, n := range indexes {
		if n < 0 || n >= int64(len(t.hashes)) {
			return nil, fmt.Errorf("hash %d of %d", n, len(t.hashes))
		}
		list[i] = t.hashes[n]
	}
	return list, nil
}

// reset empties the tree.
func (t *tree) reset() { t.hashes, t.leaves = t.hashes[:0], 0 }
