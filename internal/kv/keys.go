package kv

import (
	"bytes"
	"encoding/binary"
	"errors"

	"pagoda/internal/puzzle"
)

// First bytes of the keys; the package comment draws the rest.
const (
	keyMeta    = 'm'
	keyRecord  = 'r'
	keyEntry   = 'e'
	keyAudit   = 'a'
	keySuspect = 's'
)

var errKey = errors.New("malformed key")

// appendWindow appends the window part of a key. Cell keys hold no zero byte, so the zero byte after them makes the
// order of keys the order of (layer, cell key, part).
func appendWindow(dst []byte, id puzzle.WindowID) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(id.Layer))
	dst = append(append(dst, id.Key...), 0)
	return binary.BigEndian.AppendUint32(dst, uint32(id.Part))
}

// cutWindow reads what appendWindow wrote and returns the rest of the key.
func cutWindow(key []byte) (id puzzle.WindowID, rest []byte, err error) {
	if len(key) < 4 {
		return id, nil, errKey
	}
	layer, key := binary.BigEndian.Uint32(key), key[4:]
	i := bytes.IndexByte(key, 0)
	if i < 0 || len(key) < i+5 {
		return id, nil, errKey
	}
	id.Layer, id.Key = int(layer), string(key[:i])
	id.Part = int(binary.BigEndian.Uint32(key[i+1:]))
	if !validCell(id.Cell) {
		return id, nil, errKey
	}
	return id, key[i+5:], nil
}

func recordKey(id puzzle.WindowID) []byte { return appendWindow([]byte{keyRecord}, id) }

func entryKey(id puzzle.WindowID) []byte { return appendWindow([]byte{keyEntry}, id) }

func auditKey(id puzzle.WindowID) []byte { return appendWindow([]byte{keyAudit}, id) }

// after returns the first key behind all keys that start with prefix.
func after(prefix []byte) []byte {
	end := bytes.Clone(prefix)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil // no prefix here is all 0xff
}
