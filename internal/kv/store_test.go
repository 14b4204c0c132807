package kv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/puzzle/blocks/blockstest"
	"pagoda/internal/puzzle/uint128"
)

const testRun = "0123456789abcdef"

func openTest(t testing.TB, fs vfs.FS) *Store {
	t.Helper()
	s, err := Open("store", testRun, Options{FS: fs, MemTableBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closed(t testing.TB, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// testWindow is a window of n blocks, the last one short.
func testWindow(layer, part, n int) puzzle.Window {
	return puzzle.Window{Cell: puzzle.Cell{Layer: layer, Key: "1.2"}, Part: part, First: uint64(part) << 32,
		Addresses: uint64(n)*puzzle.BlockAddresses - 1000}
}

// testBlocks makes the blocks of a window, about rows each; seed decides the content.
func testBlocks(w puzzle.Window, rows int, seed uint64) []*puzzle.Block {
	var blocks []*puzzle.Block
	for at := uint64(0); at < w.Addresses; at += puzzle.BlockAddresses {
		b := &puzzle.Block{First: w.First + at, Addresses: int(min(puzzle.BlockAddresses, w.Addresses-at))}
		b.Occupied = make([]uint64, (b.Addresses+63)/64)
		next := blockstest.Xorshift(seed*1000003 + at + 1)
		for range rows {
			i := next() % uint64(b.Addresses)
			b.Occupied[i/64] |= 1 << (i % 64)
		}
		col := make([]uint64, b.Rows())
		for i := range col {
			col[i] = next() >> (20 + next()%20)
		}
		b.Columns = [][]uint64{col}
		blocks = append(blocks, b)
	}
	return blocks
}

func testTally(n uint64) (t puzzle.Tally) {
	_ = t.AddSum("paths", uint128.From(n))
	_ = t.AddOut(puzzle.Cell{Layer: 9, Key: "x"}, uint128.From(n))
	return t
}

func write(s *Store, w puzzle.Window, blocks []*puzzle.Block, tally puzzle.Tally) (Record, error) {
	wr := s.Begin(w)
	defer wr.Abort()
	for _, b := range blocks {
		if err := wr.Block(b); err != nil {
			return Record{}, err
		}
	}
	return wr.Commit(tally)
}

func mustWrite(t testing.TB, s *Store, w puzzle.Window, blocks []*puzzle.Block, tally puzzle.Tally) Record {
	t.Helper()
	rec, err := write(s, w, blocks, tally)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// readAll reads a window, or part of it, into fresh blocks.
func readAll(s *Store, rec Record, first, addresses uint64) ([]*puzzle.Block, error) {
	var got []*puzzle.Block
	err := s.Blocks(context.Background(), rec, first, addresses, func(b *puzzle.Block) error {
		got = append(got, b.Clone())
		return nil
	})
	return got, err
}

func wantWindow(t testing.TB, s *Store, rec Record, want []*puzzle.Block) {
	t.Helper()
	got, err := readAll(s, rec, rec.First, rec.Addresses)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(got, want, blockstest.Same) {
		t.Fatalf("window %s: blocks differ", rec.Window)
	}
	if err := s.Verify(context.Background(), rec); err != nil {
		t.Fatal(err)
	}
	have, found, err := s.Record(rec.ID())
	if err != nil || !found || !have.SameContent(&rec) || have.Bytes != rec.Bytes {
		t.Fatalf("window %s: record %+v, %v, %v; want %+v", rec.Window, have, found, err, rec)
	}
}

func countKeys(t testing.TB, s *Store, prefix byte) int {
	t.Helper()
	n := 0
	if err := s.scan([]byte{prefix}, func(_, _ []byte) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

// liveBytes adds up what segments hold for windows and writers.
func liveBytes(s *Store) (n uint64) {
	s.segments.mu.Lock()
	defer s.segments.mu.Unlock()
	for _, seg := range s.segments.all {
		n += uint64(seg.live)
	}
	return n
}

// TestStoreAgainstMap runs random operations on a store and on a map.
func TestStoreAgainstMap(t *testing.T) {
	type kept struct {
		rec    Record
		blocks []*puzzle.Block
	}
	rapid.Check(t, func(t *rapid.T) {
		fs := vfs.NewMem()
		s, err := Open("store", testRun, Options{FS: fs, MemTableBytes: 1 << 20, segmentBytes: 32 << 10})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		want := map[puzzle.WindowID]kept{}
		seed := uint64(0)
		window := func(t *rapid.T) puzzle.Window {
			n := rapid.IntRange(0, 5).Draw(t, "window")
			return testWindow(n/3, n%3, 1+n%3)
		}
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				w := window(t)
				seed++
				blocks := testBlocks(w, rapid.IntRange(1, 3000).Draw(t, "rows"), seed)
				blocks = slices.DeleteFunc(blocks, func(*puzzle.Block) bool { return rapid.Bool().Draw(t, "leave out") })
				rec, err := write(s, w, blocks, testTally(seed))
				if err != nil {
					t.Fatal(err)
				}
				want[w.ID()] = kept{rec, blocks}
			},
			"abort": func(t *rapid.T) {
				w := window(t)
				wr := s.Begin(w)
				for _, b := range testBlocks(w, 100, seed) {
					if err := wr.Block(b); err != nil {
						t.Fatal(err)
					}
				}
				wr.Abort()
				if _, err := wr.Commit(puzzle.Tally{}); err == nil {
					t.Fatal("commit after abort")
				}
			},
			"walk away": func(t *rapid.T) {
				w := window(t)
				if err := s.Begin(w).Block(testBlocks(w, 100, seed)[0]); err != nil {
					t.Fatal(err)
				}
			},
			"drop": func(t *rapid.T) {
				id := window(t).ID()
				if err := s.Drop(id); err != nil {
					t.Fatal(err)
				}
				delete(want, id)
			},
			"reopen": func(t *rapid.T) {
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if s, err = Open("store", testRun, Options{FS: fs, MemTableBytes: 1 << 20, segmentBytes: 32 << 10}); err != nil {
					t.Fatal(err)
				}
				bytes := uint64(0)
				for _, k := range want {
					bytes += k.rec.Bytes
				}
				if live := liveBytes(s); live != bytes {
					t.Fatalf("%d bytes in the folder, want %d: orphans are left", live, bytes)
				}
			},
			"read part": func(t *rapid.T) {
				w := window(t)
				first := w.First + rapid.Uint64Range(0, w.Addresses-1).Draw(t, "first")
				addresses := rapid.Uint64Range(1, w.Addresses).Draw(t, "addresses")
				k, found := want[w.ID()]
				k.rec.Window = w
				got, err := readAll(s, k.rec, first, addresses)
				if found != (err == nil) || !found && !errors.Is(err, ErrNotFound) {
					t.Fatalf("found %v, error %v", found, err)
				}
				var part []*puzzle.Block
				for _, b := range k.blocks {
					if b.First < first+addresses && b.First+uint64(b.Addresses) > first {
						part = append(part, b)
					}
				}
				if !slices.EqualFunc(got, part, blockstest.Same) {
					t.Fatalf("%d blocks, want %d", len(got), len(part))
				}
			},
			"": func(t *rapid.T) {
				seen := 0
				err := s.Records(func(rec Record) error {
					seen++
					k := want[rec.ID()]
					if !rec.SameContent(&k.rec) {
						return fmt.Errorf("record %+v, want %+v", rec, k.rec)
					}
					got, err := readAll(s, rec, rec.First, rec.Addresses)
					if err == nil && !slices.EqualFunc(got, k.blocks, blockstest.Same) {
						err = errors.New("blocks differ")
					}
					return errors.Join(err, s.Verify(context.Background(), rec))
				})
				if err != nil || seen != len(want) {
					t.Fatalf("%d windows, want %d: %v", seen, len(want), err)
				}
			},
		})
	})
}

func TestConcurrentWriters(t *testing.T) {
	fs := vfs.NewMem()
	s := openTest(t, fs)
	const windows, writers = 12, 4
	var wg sync.WaitGroup
	errs := make(chan error, windows*writers)
	for i := range writers {
		wg.Go(func() {
			// Every writer writes every window, in its own order, and they all agree on the content.
			for j := range windows {
				part := (j*5 + i*3) % windows
				w := testWindow(1, part, 2)
				rec, err := write(s, w, testBlocks(w, 2000, uint64(part)), testTally(uint64(part)))
				if err == nil {
					err = s.Verify(context.Background(), rec)
				}
				if err != nil {
					errs <- err
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
	want := uint64(0)
	if err := s.Records(func(rec Record) error { want += rec.Bytes; return nil }); err != nil {
		t.Fatal(err)
	}
	if n := liveBytes(s); n != want {
		t.Errorf("%d bytes, want %d: older copies were not removed", n, want)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openTest(t, fs)
	defer closed(t, s)
	for part := range windows {
		w := testWindow(1, part, 2)
		rec, _, err := s.Record(w.ID())
		if err != nil {
			t.Fatal(err)
		}
		wantWindow(t, s, rec, testBlocks(w, 2000, uint64(part)))
	}
}

func TestTransfer(t *testing.T) {
	from, to := openTest(t, vfs.NewMem()), openTest(t, vfs.NewMem())
	defer closed(t, from)
	defer closed(t, to)
	w := testWindow(3, 1, 4)
	blocks := testBlocks(w, 5000, 1)
	rec := mustWrite(t, from, w, blocks, testTally(1))
	ctx := context.Background()

	wr := to.Begin(w)
	broken := errors.New("connection lost")
	send := func(limit int) error {
		return from.RawBlocks(ctx, w.ID(), wr.Next(), func(first uint64, coded []byte) error {
			if limit--; limit < 0 {
				return broken
			}
			return wr.Raw(first, coded)
		})
	}
	if err := send(2); !errors.Is(err, broken) {
		t.Fatalf("error %v", err)
	}
	if err := send(9); err != nil {
		t.Fatal(err)
	}
	got, err := wr.CommitAs(rec)
	if err != nil || !got.SameContent(&rec) || got.Bytes != rec.Bytes {
		t.Fatalf("%+v, %v; want %+v", got, err, rec)
	}
	wantWindow(t, to, rec, blocks)

	// A window that is not what the record says is refused: a block left out, another window's content.
	other := mustWrite(t, from, testWindow(3, 2, 4), testBlocks(testWindow(3, 2, 4), 5000, 2), testTally(1))
	for name, copyFrom := range map[string]func(wr *Writer) error{
		"one block missing": func(wr *Writer) error {
			return from.RawBlocks(ctx, w.ID(), w.First+1, wr.Raw)
		},
		"blocks of another window": func(wr *Writer) error {
			return from.RawBlocks(ctx, other.ID(), 0, wr.Raw)
		},
		"a block under another address": func(wr *Writer) error {
			return from.RawBlocks(ctx, w.ID(), 0, func(first uint64, coded []byte) error {
				return wr.Raw(first+puzzle.BlockAddresses, coded)
			})
		},
		"a flipped bit": func(wr *Writer) error {
			return from.RawBlocks(ctx, w.ID(), 0, func(first uint64, coded []byte) error {
				c := slices.Clone(coded)
				c[len(c)/2] ^= 4
				return wr.Raw(first, c)
			})
		},
	} {
		to2 := openTest(t, vfs.NewMem())
		wr := to2.Begin(w)
		err := copyFrom(wr)
		if err == nil {
			_, err = wr.CommitAs(rec)
		}
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: error %v", name, err)
		}
		wr.Abort()
		if n := liveBytes(to2) + uint64(countKeys(t, to2, keyRecord)); n != 0 {
			t.Errorf("%s: %d bytes and records left", name, n)
		}
		closed(t, to2)
	}
}

func TestWriterRefuses(t *testing.T) {
	s := openTest(t, vfs.NewMem())
	defer closed(t, s)
	w := testWindow(3, 1, 3)
	three := testBlocks(w, 100, 1)
	nine := *three[0]
	for len(nine.Columns) <= blocks.MaxColumns {
		nine.Columns = append(nine.Columns, nine.Columns[0])
	}
	short := *three[0]
	short.Addresses--
	for name, list := range map[string][]*puzzle.Block{
		"out of order":     {three[1], three[0]},
		"twice":            {three[0], three[0]},
		"another window's": {testBlocks(testWindow(3, 2, 3), 100, 1)[0]},
		"too many columns": {&nine},
		"short":            {&short},
	} {
		wr := s.Begin(w)
		var err error
		for _, b := range list {
			err = wr.Block(b)
		}
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
		if _, cerr := wr.Commit(puzzle.Tally{}); cerr == nil || cerr.Error() != err.Error() {
			t.Errorf("%s: commit says %v after %v", name, cerr, err)
		}
		wr.Abort()
	}
	if _, err := write(s, puzzle.Window{Cell: puzzle.Cell{Key: "../x"}, Addresses: 1}, nil, puzzle.Tally{}); err == nil {
		t.Error("a window with an improper name was accepted")
	}
	if n := liveBytes(s) + uint64(countKeys(t, s, keyRecord)); n != 0 {
		t.Errorf("%d bytes and records left", n)
	}
}

func TestEmptyWindow(t *testing.T) {
	s := openTest(t, vfs.NewMem())
	defer closed(t, s)
	rec := mustWrite(t, s, testWindow(1, 1, 2), nil, testTally(0))
	if rec.Rows != 0 || rec.Blocks != 0 || rec.Bytes != 0 || rec.Digest != blocks.NewHasher(rec.Window).Sum() {
		t.Errorf("%+v", rec)
	}
	wantWindow(t, s, rec, nil)
}

func TestScanStops(t *testing.T) {
	s := openTest(t, vfs.NewMem())
	defer closed(t, s)
	w := testWindow(1, 1, 4)
	rec := mustWrite(t, s, w, testBlocks(w, 100, 1), testTally(0))
	stop := errors.New("enough")
	seen := 0
	err := s.Blocks(context.Background(), rec, w.First, w.Addresses, func(*puzzle.Block) error { seen++; return stop })
	if !errors.Is(err, stop) || seen != 1 {
		t.Errorf("error %v after %d blocks", err, seen)
	}
	ctx, cancel := context.WithCancel(context.Background())
	err = s.Blocks(ctx, rec, w.First, w.Addresses, func(*puzzle.Block) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after cancel", err)
	}
}

// TestOddKeys: a record is damaged if its key has more bytes than the key of its window.
func TestOddKeys(t *testing.T) {
	s := openTest(t, vfs.NewMem())
	defer closed(t, s)
	rec := mustWrite(t, s, testWindow(1, 1, 1), nil, testTally(1))
	value, done, err := s.db.Get(recordKey(rec.ID()))
	if err != nil {
		t.Fatal(err)
	}
	err = s.db.Set(append(recordKey(rec.ID()), 0), value, nil)
	if err := errors.Join(err, done.Close()); err != nil {
		t.Fatal(err)
	}
	n := 0
	if err := s.Records(func(Record) error { n++; return nil }); !errors.Is(err, ErrCorrupt) || n != 1 {
		t.Errorf("%d records, %v", n, err)
	}
}

// TestClosedStore: a writer that outlives its store says so at its next block, and a closed store takes no space.
func TestClosedStore(t *testing.T) {
	s := openTest(t, vfs.NewMem())
	w := testWindow(1, 1, 1)
	block := testBlocks(w, 100, 1)[0]
	coded := blocks.Encode(nil, block)
	writer := s.Begin(w)
	if s.DiskBytes() == 0 {
		t.Error("an open store takes no space")
	}
	closed(t, s)
	if err := writer.Raw(w.First, coded); !errors.Is(err, ErrClosed) {
		t.Errorf("a block for a closed store: %v", err)
	}
	writer.Abort()
	if n := s.DiskBytes(); n != 0 {
		t.Errorf("a closed store takes %d bytes", n)
	}
}

// TestBlockOf finds the blocks of addresses around those of a window.
func TestBlockOf(t *testing.T) {
	const first, size = 1000, puzzle.BlockAddresses
	r := Record{Window: puzzle.Window{First: first, Addresses: 3 * size}}
	for a, want := range map[uint64]uint64{
		0: first, first - 1: first, first: first, first + 1: first, first + size - 1: first, first + size: first + size,
		first + 2*size + 7: first + 2*size,
	} {
		if got := r.blockOf(a); got != want {
			t.Errorf("address %d is in block %d, want %d", a, got, want)
		}
	}
}

// TestShortLocation reads more than the extents of a window have.
func TestShortLocation(t *testing.T) {
	for _, extents := range [][]extent{nil, {{length: 4}}, {{length: 0}, {length: 4}}} {
		r := blockReader{extents: extents}
		if err := r.read(5); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%v: %v", extents, err)
		}
		if err := r.skip(5); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%v is skipped: %v", extents, err)
		}
	}
}

// TestConflictText shows the place where long tallies differ.
func TestConflictText(t *testing.T) {
	tally := func(last string) (t puzzle.Tally) {
		for _, name := range []string{strings.Repeat("a", 99), "b" + last + strings.Repeat("c", 99)} {
			_ = t.AddSum(name, uint128.From(1))
		}
		return t
	}
	e := ConflictError{Have: Record{Tally: tally("x")}, Got: Record{Tally: tally("y")}}
	text := e.difference()
	if strings.Count(text, "bxc") != 1 || strings.Count(text, "byc") != 1 || len(text) > 2*120+60 {
		t.Errorf("%s", text)
	}
	short := ConflictError{Got: Record{Tally: tally("y")}}
	if text := short.difference(); !strings.Contains(text, "...{}... and ...{") {
		t.Errorf("%s", text)
	}
}
