package blocks

import (
	"encoding/binary"
	"unsafe"
)

// littleEndian says whether a uint64 in memory is the eight bytes that the format wants, so that words can be hashed
// and copied as they lie.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// littleEndianBytes returns v's memory when that is its little-endian form.
func littleEndianBytes(v []uint64) ([]byte, bool) {
	if !littleEndian || len(v) == 0 {
		return nil, len(v) == 0
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 8*len(v)), true
}

// appendWords appends v, little endian.
func appendWords(dst []byte, v []uint64) []byte {
	if b, ok := littleEndianBytes(v); ok {
		return append(dst, b...)
	}
	for _, x := range v {
		dst = binary.LittleEndian.AppendUint64(dst, x)
	}
	return dst
}

// readWords fills v from src, which holds at least 8*len(v) bytes, little endian.
func readWords(v []uint64, src []byte) {
	if b, ok := littleEndianBytes(v); ok {
		copy(b, src[:len(b)])
		return
	}
	for i := range v {
		v[i] = binary.LittleEndian.Uint64(src[8*i:])
	}
}
