package kv

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// finish writes the blocks of a window and leaves the commit to the caller.
func finish(t testing.TB, s *Store, w puzzle.Window, blocks []*puzzle.Block, tally puzzle.Tally) *Finished {
	t.Helper()
	wr := s.Begin(w)
	for _, b := range blocks {
		if err := wr.Block(b); err != nil {
			t.Fatal(err)
		}
	}
	return &Finished{Writer: wr, Tally: tally}
}

// TestCommitAll commits windows of many sizes together. They become the windows that commits one by one make, with
// fewer writes; those that cannot be committed do not hold up the others.
func TestCommitAll(t *testing.T) {
	var mu sync.Mutex
	writes := 0
	hook := errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileWriteAt && strings.HasSuffix(op.Path, segmentSuffix) {
			mu.Lock()
			writes++
			mu.Unlock()
		}
		return nil
	})
	s, alone := openTest(t, errorfs.Wrap(vfs.NewMem(), hook)), openTest(t, vfs.NewMem())
	defer closed(t, s)
	defer closed(t, alone)
	rows := []int{0, 3, 20000, 1, 7000, 40, 0, 200, 60000, 5, 900, 200000} // the blocks of the last wait for nothing
	var all []*Finished
	var want [][]*puzzle.Block
	for i, n := range rows {
		w := testWindow(1, i, 1+i%3)
		var blocks []*puzzle.Block
		if n > 0 {
			blocks = testBlocks(w, n, uint64(i))
		}
		want = append(want, blocks)
		all = append(all, finish(t, s, w, blocks, testTally(uint64(i))))
	}
	before := writes
	bad := finish(t, s, testWindow(2, 0, 1), testBlocks(testWindow(2, 0, 1), 50, 1), puzzle.Tally{
		Sums: []puzzle.Scalar{{Name: "no name", Value: uint128.From(1)}},
	})
	broken := finish(t, s, testWindow(2, 1, 1), nil, testTally(1))
	cause := broken.Writer.Raw(testWindow(2, 1, 1).First, []byte("nonsense"))
	twice := &Finished{Writer: all[4].Writer, Tally: testTally(4)}
	s.CommitAll(slices.Concat([]*Finished{bad}, all, []*Finished{broken, twice})...)
	if got := writes - before; got == 0 || got > 4 {
		t.Errorf("%d windows with rows took %d writes together", len(rows)-2, got)
	}
	for i, f := range all {
		if f.Err != nil {
			t.Fatal(f.Err)
		}
		rec := mustWrite(t, alone, f.Writer.w, want[i], f.Tally)
		if !rec.Same(&f.Record) {
			t.Errorf("window %s: record %+v, alone it is %+v", rec.Window, f.Record, rec)
		}
		for _, e := range f.Writer.at.extents {
			if e.length == 0 {
				t.Errorf("window %s has an extent without a block", rec.Window)
			}
		}
		wantWindow(t, s, f.Record, want[i])
	}
	if bad.Err == nil || !errors.Is(broken.Err, cause) || !errors.Is(twice.Err, errEnded) {
		t.Errorf("errors %v, %v, %v", bad.Err, broken.Err, twice.Err)
	}
	for _, f := range []*Finished{bad, broken, twice} {
		if f.Record.Rows != 0 || f.Record.Run != "" {
			t.Errorf("a window that was not committed has record %+v", f.Record)
		}
		f.Writer.Abort()
	}
	if n := countKeys(t, s, keyRecord); n != len(rows) {
		t.Errorf("%d records, want %d", n, len(rows))
	}
	// A window's bytes are free when it is dropped, and no others.
	for i, f := range all {
		left := liveBytes(s)
		if err := s.Drop(f.Record.ID()); err != nil {
			t.Fatal(err)
		}
		if got := left - liveBytes(s); got != f.Record.Bytes {
			t.Errorf("window %s had %d bytes, %d are free", f.Record.Window, f.Record.Bytes, got)
		}
		for j := i + 1; j < len(all); j++ {
			if err := s.Verify(context.Background(), all[j].Record); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := liveBytes(s); n != 0 {
		t.Errorf("%d bytes are not free", n)
	}
}

// TestCommitAllReplaces commits a window that the store has, twice in one call: the last copy stays, and the room of
// the others is free.
func TestCommitAllReplaces(t *testing.T) {
	s := openTest(t, vfs.NewMem())
	defer closed(t, s)
	w := testWindow(1, 0, 2)
	mustWrite(t, s, w, testBlocks(w, 300, 1), testTally(1))
	first := finish(t, s, w, testBlocks(w, 200, 2), testTally(2))
	last := finish(t, s, w, testBlocks(w, 100, 3), testTally(3))
	s.CommitAll(first, last)
	if first.Err != nil || last.Err != nil {
		t.Fatal(first.Err, last.Err)
	}
	wantWindow(t, s, last.Record, testBlocks(w, 100, 3))
	if live := liveBytes(s); live != last.Record.Bytes {
		t.Errorf("%d bytes of blocks, the record has %d", live, last.Record.Bytes)
	}
}

// TestCommitAllFails lets the segment's first write fail: no window is there, and each error says which.
func TestCommitAllFails(t *testing.T) {
	hook := errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileWriteAt && strings.HasSuffix(op.Path, segmentSuffix) {
			return ErrDiskFull
		}
		return nil
	})
	s := openTest(t, errorfs.Wrap(vfs.NewMem(), hook))
	var all []*Finished
	for part := range 3 {
		w := testWindow(1, part, 1)
		all = append(all, finish(t, s, w, testBlocks(w, 10, 1), testTally(1)))
	}
	s.CommitAll(all...)
	for _, f := range all {
		if !errors.Is(f.Err, ErrDiskFull) || !strings.Contains(f.Err.Error(), f.Writer.w.ID().String()) {
			t.Errorf("window %s: error %v", f.Writer.w, f.Err)
		}
		f.Writer.Abort()
	}
	if err := s.Close(); !errors.Is(err, ErrDiskFull) {
		t.Errorf("closing says %v", err)
	}
}
