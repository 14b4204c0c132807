package kv

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cespare/xxhash/v2"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
)

// Writer writes one window. It is a puzzle.Sink, used by one goroutine. After an error it does nothing but return it;
// Abort is then the only thing left to do.
type Writer struct {
	// Copied says that the window was not computed here, see [Store.Copied].
	Copied bool

	s       *Store
	w       puzzle.Window
	hasher  *blocks.Hasher
	seal    seal
	at      location
	rows    uint64
	bytes   uint64
	next    uint64       // no block begins before this address
	coded   *[]byte      // blocks that are not written yet; nil before the first
	scratch puzzle.Block // Raw only
	err     error
	ended   bool
}

// buffers holds memory for coded blocks.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

var errEnded = errors.New("writer has been committed or aborted already")

// Begin begins to write window w. Nothing is visible before Commit; a window of that name that is in the store already
// stays until then and is replaced.
func (s *Store) Begin(w puzzle.Window) *Writer {
	wr := &Writer{s: s, w: w, hasher: blocks.NewHasher(w), next: w.First}
	if !validCell(w.Cell) || w.Part < 0 || w.Addresses < 1 {
		wr.err = s.at(w.ID(), errors.New("not a proper window"))
	}
	return wr
}

// Block writes the next block. Blocks come in address order, in the form that [puzzle.Block.Check] demands.
func (w *Writer) Block(b *puzzle.Block) error {
	if err := w.accept(b); err != nil {
		return err
	}
	buf := w.buffer()
	start := len(*buf)
	*buf = blocks.Encode(*buf, b)
	return w.added(b, (*buf)[start:])
}

// Raw writes a block that is coded already, as RawBlocks of another store gave it. It is decoded and checked like a
// block from anywhere else; errors about its content wrap ErrCorrupt.
func (w *Writer) Raw(first uint64, coded []byte) error {
	if w.err != nil {
		return w.err
	}
	if err := blocks.Decode(coded, &w.scratch); err != nil {
		return w.fail(fmt.Errorf("block %d: %w", first, err))
	}
	if w.scratch.First != first {
		return w.fail(fmt.Errorf("%w: block %d says that it is block %d", ErrCorrupt, first, w.scratch.First))
	}
	if err := w.accept(&w.scratch); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	buf := w.buffer()
	*buf = append(*buf, coded...)
	return w.added(&w.scratch, coded)
}

// Next returns the address from which on blocks are expected: where a transfer that was cut off resumes.
func (w *Writer) Next() uint64 { return w.next }

// accept checks the next block and takes it into the digest.
func (w *Writer) accept(b *puzzle.Block) error {
	if w.err != nil {
		return w.err
	}
	if w.ended {
		return w.s.at(w.w.ID(), errEnded)
	}
	if err := b.Check(w.w); err != nil {
		return w.fail(err)
	}
	if b.First < w.next {
		return w.fail(fmt.Errorf("block %d after block %d", b.First, w.next-puzzle.BlockAddresses))
	}
	if len(b.Columns) > blocks.MaxColumns {
		return w.fail(fmt.Errorf("block %d has %d columns, at most %d are allowed", b.First, len(b.Columns),
			blocks.MaxColumns))
	}
	w.next = b.First + puzzle.BlockAddresses
	w.hasher.Add(b)
	return nil
}

// buffer returns the memory that the next coded block is appended to.
func (w *Writer) buffer() *[]byte {
	if w.coded == nil {
		w.coded = buffers.Get().(*[]byte)
		*w.coded = (*w.coded)[:0]
	}
	return w.coded
}

// added takes note of a coded block at the end of the buffer, and writes the buffer when it is full.
func (w *Writer) added(b *puzzle.Block, coded []byte) error {
	w.seal.add(b.First, coded)
	w.at.add((b.First-w.w.First)/puzzle.BlockAddresses, len(coded))
	w.rows += uint64(b.Rows())
	w.bytes += uint64(len(coded))
	if err := w.s.enter(); err != nil {
		return w.fail(err)
	}
	defer w.s.exit()
	if len(*w.coded) < w.s.segments.writeBytes() {
		return nil
	}
	return w.flush()
}

// flush writes the buffer to the active segment.
func (w *Writer) flush() error {
	if w.coded == nil || len(*w.coded) == 0 {
		return nil
	}
	e, err := w.s.segments.write(*w.coded)
	if err == nil {
		w.at.extents = append(w.at.extents, e)
		*w.coded = (*w.coded)[:0]
	}
	if err = w.s.done(err); err != nil {
		return w.fail(err)
	}
	return nil
}

// freeBuffer ends the use of the buffer.
func (w *Writer) freeBuffer() {
	if w.coded != nil {
		buffers.Put(w.coded)
		w.coded = nil
	}
}

// Commit makes the window exist, with tally t, and returns its record once it is durable. Several windows are committed
// together by [Store.CommitAll].
func (w *Writer) Commit(t puzzle.Tally) (Record, error) {
	f := Finished{Writer: w, Tally: t}
	w.s.CommitAll(&f)
	return f.Record, f.Err
}

// CommitAs commits the window with the record rec, for windows received from another worker. The error wraps ErrCorrupt
// when the written blocks do not match rec.
func (w *Writer) CommitAs(rec Record) (Record, error) {
	if w.err != nil {
		return Record{}, w.err
	}
	if rec.Run != w.s.run || rec.Window != w.w {
		return Record{}, w.fail(fmt.Errorf("%w: record of run %s, window %s", ErrCorrupt, rec.Run, rec.Window))
	}
	if d := w.hasher.Sum(); d != rec.Digest || w.rows != rec.Rows || uint64(len(w.at.blocks)) != rec.Blocks {
		return Record{}, w.fail(fmt.Errorf("%w: %d rows with digest %s, want %d rows with digest %s",
			ErrCorrupt, w.rows, d, rec.Rows, rec.Digest))
	}
	rec.Bytes = w.bytes
	f := Finished{Writer: w, Record: rec}
	w.s.commitAll([]*Finished{&f})
	return f.Record, f.Err
}

// Abort gives up the blocks written. After Commit it does nothing, so it can be deferred.
func (w *Writer) Abort() {
	if w.ended {
		return
	}
	w.ended = true
	w.freeBuffer()
	if len(w.at.extents) == 0 || w.s.enter() != nil {
		return
	}
	defer w.s.exit()
	w.s.segments.release(w.at.extents)
}

func (w *Writer) fail(err error) error {
	w.err = w.s.at(w.w.ID(), err)
	return w.err
}

// seal hashes the places, lengths and checksums of the blocks of a window in order.
type seal struct{ d *xxhash.Digest }

func (l *seal) add(first uint64, coded []byte) {
	if l.d == nil {
		l.d = xxhash.New()
	}
	var b [24]byte
	putWords(b[:], first, uint64(len(coded)), blocks.Checksum(coded))
	_, _ = l.d.Write(b[:]) // never fails
}

func (l *seal) sum() uint64 {
	if l.d == nil {
		return 0
	}
	return l.d.Sum64()
}
