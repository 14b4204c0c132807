package kv

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2"

	"pagoda/internal/puzzle"
)

// Writer writes one window. It is a puzzle.Sink, used by one goroutine. After an error it does nothing but return it;
// Abort is then the only thing left to do.
type Writer struct {
	s       *Store
	w       puzzle.Window
	gen     uint64
	hasher  *Hasher
	seal    seal
	rows    uint64
	blocks  uint64
	bytes   uint64
	next    uint64 // no block begins before this address
	key     []byte
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
	wr := &Writer{s: s, w: w, gen: s.generation.Add(1), hasher: NewHasher(w), next: w.First}
	wr.key = blockPrefix(w.ID(), wr.gen)
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
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	*buf = EncodeBlock((*buf)[:0], b)
	return w.store(b, *buf)
}

// Raw writes a block that is coded already, as RawBlocks of another store gave it. It is decoded and checked like a
// block from anywhere else; errors about its content wrap ErrCorrupt.
func (w *Writer) Raw(first uint64, coded []byte) error {
	if w.err != nil {
		return w.err
	}
	if err := DecodeBlock(coded, &w.scratch); err != nil {
		return w.fail(fmt.Errorf("block %d: %w", first, err))
	}
	if w.scratch.First != first {
		return w.fail(fmt.Errorf("%w: block %d says that it is block %d", ErrCorrupt, first, w.scratch.First))
	}
	if err := w.accept(&w.scratch); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return w.store(&w.scratch, coded)
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
	if len(b.Columns) > MaxColumns {
		return w.fail(fmt.Errorf("block %d has %d columns, at most %d are allowed", b.First, len(b.Columns), MaxColumns))
	}
	w.next = b.First + puzzle.BlockAddresses
	w.hasher.Add(b)
	return nil
}

// store puts a coded block into the database, after the intent if it is the first.
func (w *Writer) store(b *puzzle.Block, coded []byte) error {
	s := w.s
	if err := s.enter(); err != nil {
		return w.fail(err)
	}
	defer s.exit()
	if w.blocks == 0 {
		if err := s.done(s.db.Set(intentKey(w.gen, w.w.ID()), nil, pebble.NoSync)); err != nil {
			return w.fail(err)
		}
	}
	if err := s.done(s.db.Set(blockKey(w.key, b.First), coded, pebble.NoSync)); err != nil {
		return w.fail(err)
	}
	w.seal.add(b.First, coded)
	w.rows += uint64(b.Rows())
	w.blocks++
	w.bytes += uint64(len(coded))
	return nil
}

// Commit makes the window exist, with tally t, and returns its record once it is durable.
func (w *Writer) Commit(t puzzle.Tally) (Record, error) {
	return w.commit(Record{
		Run: w.s.run, Window: w.w, Rows: w.rows, Blocks: w.blocks, Bytes: w.bytes, Digest: w.hasher.Sum(), Tally: t,
	})
}

// CommitAs makes the window exist as rec describes it, when that is what was written; otherwise the error wraps
// ErrCorrupt. It is how a window received from another worker is committed.
func (w *Writer) CommitAs(rec Record) (Record, error) {
	if w.err != nil {
		return Record{}, w.err
	}
	if rec.Run != w.s.run || rec.Window != w.w {
		return Record{}, w.fail(fmt.Errorf("%w: record of run %s, window %s", ErrCorrupt, rec.Run, rec.Window))
	}
	if d := w.hasher.Sum(); d != rec.Digest || w.rows != rec.Rows || w.blocks != rec.Blocks {
		return Record{}, w.fail(fmt.Errorf("%w: %d rows with digest %s, want %d rows with digest %s",
			ErrCorrupt, w.rows, d, rec.Rows, rec.Digest))
	}
	rec.Bytes = w.bytes
	return w.commit(rec)
}

func (w *Writer) commit(rec Record) (Record, error) {
	s := w.s
	if w.err == nil && w.ended {
		return Record{}, s.at(w.w.ID(), errEnded)
	}
	if w.err != nil {
		return Record{}, w.err
	}
	value, err := (&stored{w.gen, w.seal.sum(), rec}).encode()
	if err != nil {
		w.err = err
		return Record{}, err
	}
	if err := s.enter(); err != nil {
		return Record{}, w.fail(err)
	}
	defer s.exit()
	batch := s.db.NewBatch()
	defer free(batch)
	if err := w.enqueue(batch, value); err != nil {
		return Record{}, w.fail(err)
	}
	w.ended = true
	// Commits that wait here at the same time share one sync of the log.
	if err := s.done(batch.SyncWait()); err != nil {
		return Record{}, w.fail(err)
	}
	return rec, nil
}

// enqueue hands the commit to the log: the record comes, the intent goes, and so does an older copy of the window.
// After it the batch must be waited for, frozen folder or not, since the log holds on to it.
func (w *Writer) enqueue(batch *pebble.Batch, value []byte) error {
	s, id := w.s, w.w.ID()
	s.commits.Lock()
	defer s.commits.Unlock()
	old, found, err := s.lookup(s.db, id)
	if err != nil && !errors.Is(err, ErrCorrupt) {
		return err
	}
	if found {
		if err := s.dropBlocks(batch, id, old.gen, false); err != nil {
			return err
		}
	}
	if w.blocks > 0 {
		if err := batch.Delete(intentKey(w.gen, id), nil); err != nil {
			return s.failure(err)
		}
	}
	if err := batch.Set(recordKey(id), value, nil); err != nil {
		return s.failure(err)
	}
	return s.failure(s.db.ApplyNoSyncWait(batch, pebble.Sync))
}

// Abort removes what was written. After Commit it does nothing, so it can be deferred.
func (w *Writer) Abort() {
	s := w.s
	if w.ended {
		return
	}
	w.ended = true
	if w.blocks == 0 || s.enter() != nil {
		return
	}
	defer s.exit()
	batch := s.db.NewBatch()
	defer free(batch)
	if s.dropBlocks(batch, w.w.ID(), w.gen, true) == nil {
		// If this fails the folder is frozen, and the next Open removes the blocks.
		_ = s.db.Apply(batch, pebble.NoSync)
	}
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
	putWords(b[:], first, uint64(len(coded)), checksumOf(coded))
	_, _ = l.d.Write(b[:]) // never fails
}

func (l *seal) sum() uint64 {
	if l.d == nil {
		return 0
	}
	return l.d.Sum64()
}
