package transfer

import (
	"fmt"
	"os"

	"pagoda/internal/kv"
)

// spool keeps the coded blocks of one window, in memory or in a file without a name. It is filled by one goroutine, and
// read by any number afterwards.
type spool struct {
	dir    string
	blocks []spooledBlock // in memory
	file   *os.File       // nil: in memory
	size   uint64         // bytes in the file
	buf    []byte
}

type spooledBlock struct {
	first uint64
	coded []byte
}

// heldBytes is the memory that a block takes beside its bytes.
const heldBytes = 64

// roomFor is the memory that the blocks of a window take.
func roomFor(rec *kv.Record) uint64 { return rec.Bytes + heldBytes*rec.Blocks }

// tempFile makes a file without a name: nothing is left behind, however the process ends.
func tempFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "pagoda-window-*")
	if err != nil {
		return nil, fmt.Errorf("transfer: make room for fetched windows: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("transfer: make room for fetched windows: %w", err)
	}
	return f, nil
}

// openFile sends the blocks to a file. It must be called before the first of them.
func (h *spool) openFile() (err error) {
	h.file, err = tempFile(h.dir)
	return err
}

func (h *spool) add(first uint64, coded []byte) error {
	if h.file == nil {
		h.blocks = append(h.blocks, spooledBlock{first, append(make([]byte, 0, len(coded)), coded...)})
		return nil
	}
	h.buf = appendInFile(h.buf[:0], first, coded)
	if _, err := h.file.WriteAt(h.buf, int64(h.size)); err != nil {
		return fmt.Errorf("transfer: keep a large window in %s: %w", h.dir, err)
	}
	h.size += uint64(len(h.buf))
	return nil
}

// reset forgets the blocks, not the file.
func (h *spool) reset() {
	clear(h.blocks)
	h.blocks, h.size = h.blocks[:0], 0
}

// each passes the blocks in order. A block in a file is valid until fn returns.
func (h *spool) each(fn func(first uint64, coded []byte) error) error {
	if h.file != nil {
		return eachInFile(h.file, 0, h.size, fn)
	}
	for i := range h.blocks {
		if err := fn(h.blocks[i].first, h.blocks[i].coded); err != nil {
			return err
		}
	}
	return nil
}

func (h *spool) close() {
	if h.file != nil {
		_ = h.file.Close()
	}
	*h = spool{dir: h.dir}
}
