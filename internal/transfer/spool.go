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
	blocks []spooledBlock
	file   *os.File // nil: in memory
	size   int64
}

type spooledBlock struct {
	first uint64
	coded []byte // in memory
	at    int64  // in the file
	n     int
}

// heldBytes is what a block in memory takes beside its bytes.
const heldBytes = 64

// roomFor is the memory that the blocks of a window take.
func roomFor(rec *kv.Record) uint64 { return rec.Bytes + heldBytes*rec.Blocks }

// openFile makes what comes from now on go to a file. The blocks so far must be none.
func (h *spool) openFile() error {
	f, err := os.CreateTemp(h.dir, "pagoda-window-*")
	if err != nil {
		return fmt.Errorf("transfer: make room for a large window: %w", err)
	}
	// Without a name nothing is left behind, however the process ends.
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close()
		return fmt.Errorf("transfer: make room for a large window: %w", err)
	}
	h.file = f
	return nil
}

func (h *spool) add(first uint64, coded []byte) error {
	b := spooledBlock{first: first, n: len(coded)}
	if h.file == nil {
		b.coded = append(make([]byte, 0, len(coded)), coded...)
	} else {
		b.at = h.size
		if _, err := h.file.WriteAt(coded, h.size); err != nil {
			return fmt.Errorf("transfer: keep a large window in %s: %w", h.dir, err)
		}
		h.size += int64(len(coded))
	}
	h.blocks = append(h.blocks, b)
	return nil
}

// reset forgets the blocks, not the file.
func (h *spool) reset() {
	clear(h.blocks)
	h.blocks, h.size = h.blocks[:0], 0
}

// each passes the blocks in order.
func (h *spool) each(fn func(first uint64, coded []byte) error) error {
	var buf []byte
	for i := range h.blocks {
		b := &h.blocks[i]
		coded := b.coded
		if h.file != nil {
			if cap(buf) < b.n {
				buf = make([]byte, b.n)
			}
			coded = buf[:b.n]
			if _, err := h.file.ReadAt(coded, b.at); err != nil {
				return fmt.Errorf("transfer: read a large window again: %w", err)
			}
		}
		if err := fn(b.first, coded); err != nil {
			return err
		}
	}
	return nil
}

func (h *spool) close() {
	h.blocks = nil
	if h.file != nil {
		_ = h.file.Close()
		h.file = nil
	}
}
