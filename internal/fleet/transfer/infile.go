package transfer

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"pagoda/internal/kv"
)

// Blocks lie in files of this process one after the other: their first address, uint64, their length, uint32, the
// checksum of these two, uint32, and they themselves, which end with a checksum of their own. A reader of a part of a
// window passes over blocks by their first address alone. Only the writer of a file knows where a window ends in it.
const (
	inFileHead = inFileSum + 4
	inFileSum  = 8 + 4 // where the checksum stands
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func appendInFile(dst []byte, first uint64, coded []byte) []byte {
	at := len(dst)
	dst = binary.LittleEndian.AppendUint64(dst, first)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(coded)))
	dst = binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[at:], castagnoli))
	return append(dst, coded...)
}

// sizeInFile returns the bytes that the blocks of a window in memory take in a file.
func sizeInFile(h *spool) (n uint64) {
	for i := range h.blocks {
		n += inFileHead + uint64(len(h.blocks[i].coded))
	}
	return n
}

// eachInFile passes the blocks to fn that lie in the size bytes from at on. A block is valid until fn returns. Its
// error wraps kv.ErrCorrupt when bytes cannot be read, or cannot have been written.
func eachInFile(file io.ReaderAt, at, size uint64, fn func(first uint64, coded []byte) error) error {
	r := bufio.NewReaderSize(io.NewSectionReader(file, int64(at), int64(size)), bufferSize)
	var head [inFileHead]byte
	var buf []byte
	for left := size; left > 0; {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return damagedFile(err)
		}
		n := binary.LittleEndian.Uint32(head[8:])
		if binary.LittleEndian.Uint32(head[inFileSum:]) != crc32.Checksum(head[:inFileSum], castagnoli) ||
			n > maxFrame || inFileHead+uint64(n) > left {
			return damagedFile(fmt.Errorf("a block of %d bytes", n))
		}
		left -= inFileHead + uint64(n)
		if cap(buf) < int(n) {
			buf = make([]byte, n)
		}
		if _, err := io.ReadFull(r, buf[:n]); err != nil {
			return damagedFile(err)
		}
		if err := fn(binary.LittleEndian.Uint64(head[:]), buf[:n]); err != nil {
			return err
		}
	}
	return nil
}

func damagedFile(err error) error {
	return fmt.Errorf("%w: the file that it was kept in: %w", kv.ErrCorrupt, err)
}
