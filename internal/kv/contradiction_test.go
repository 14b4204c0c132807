package kv

import (
	"errors"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
)

// TestContradictions: a read notices when blocks that are intact, one by one, are not those of the record.
func TestContradictions(t *testing.T) {
	mem := vfs.NewMem()
	s := openTest(t, mem)
	defer closed(t, s)
	w := testWindow(1, 0, 3)
	rec := mustWrite(t, s, w, testBlocks(w, 100, 1), testTally(1))
	right, found, err := s.lookup(w.ID())
	if err != nil || !found {
		t.Fatal(found, err)
	}
	for what, c := range map[string]struct {
		stored func(*stored)
		asked  func(*Record)
		part   bool // a read of a part notices it too
	}{
		"another seal":           {stored: func(v *stored) { v.seal++ }},
		"a block less":           {stored: func(v *stored) { v.location = withoutLast(v.location) }},
		"other numbers":          {stored: func(v *stored) { v.blocks[2].number++ }},
		"another digest":         {stored: func(v *stored) { v.digest[0]++; v.Record.Digest[0]++ }},
		"a row more asked for":   {asked: func(r *Record) { r.Rows++ }},
		"a block more asked for": {asked: func(r *Record) { r.Blocks++ }},
		"a shorter window":       {asked: func(r *Record) { r.Addresses-- }, part: true},
		"another digest asked":   {asked: func(r *Record) { r.Digest[0]++ }, part: true},
	} {
		v, asked := right, rec
		v.blocks = append([]placed(nil), right.blocks...)
		if c.stored != nil {
			c.stored(&v)
			asked.Digest = v.digest
		} else {
			c.asked(&asked)
		}
		b, err := v.encode()
		if err == nil {
			err = s.db.Set(recordKey(w.ID()), b, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Verify(t.Context(), asked); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), w.String()) {
			t.Errorf("%s: %v", what, err)
		}
		_, err = readAll(s, asked, w.First+w.Addresses-1, 1)
		if errors.Is(err, ErrCorrupt) != c.part {
			t.Errorf("%s: read of the last block: %v", what, err)
		}
	}
}

func withoutLast(l location) location {
	last := l.blocks[len(l.blocks)-1]
	l.blocks = l.blocks[:len(l.blocks)-1]
	l.extents = []extent{l.extents[0]}
	l.extents[0].length -= int64(last.length)
	return l
}

// TestRawBlocksAreChecked: a flipped bit in a block is noticed where blocks are passed on as they are.
func TestRawBlocksAreChecked(t *testing.T) {
	mem := vfs.NewMem()
	s := openTest(t, mem)
	defer closed(t, s)
	w := testWindow(1, 0, 2)
	mustWrite(t, s, w, testBlocks(w, 100, 1), testTally(1))
	data := readFile(t, mem, segmentFiles(t, mem)[0])
	data[len(data)-20] ^= 1
	n := 0
	count := func(uint64, []byte) error { n++; return nil }
	if err := s.RawBlocks(t.Context(), w.ID(), 0, count); !errors.Is(err, ErrCorrupt) || n != 1 {
		t.Errorf("%d blocks, %v", n, err)
	}
}

// TestWriterAfterItsEnd: a writer that has failed returns its error to every call. One that has committed or aborted
// takes no more blocks, and has no second end.
func TestWriterAfterItsEnd(t *testing.T) {
	s := openTest(t, vfs.NewMem())
	defer closed(t, s)
	if s.Run() != testRun {
		t.Errorf("the store is of run %s", s.Run())
	}
	w := testWindow(1, 0, 2)
	list := testBlocks(w, 100, 1)
	coded := blocks.Encode(nil, list[1])
	uses := func(wr *Writer, rec Record) map[string]error {
		_, cerr := wr.Commit(puzzle.Tally{})
		_, aerr := wr.CommitAs(rec)
		return map[string]error{"block": wr.Block(list[1]), "raw": wr.Raw(list[1].First, coded), "commit": cerr, "as": aerr}
	}
	ended := s.Begin(w)
	if err := ended.Block(list[0]); err != nil {
		t.Fatal(err)
	}
	rec, err := ended.Commit(testTally(1))
	if err != nil {
		t.Fatal(err)
	}
	for what, err := range uses(ended, rec) {
		if err == nil {
			t.Errorf("%s after a commit is accepted", what)
		}
	}
	ended.Abort()
	wantWindow(t, s, rec, list[:1])
	failed := s.Begin(w)
	want := failed.Raw(w.First, []byte("nonsense"))
	if !errors.Is(want, ErrCorrupt) {
		t.Fatal(want)
	}
	for what, err := range uses(failed, rec) {
		if err == nil || err.Error() != want.Error() {
			t.Errorf("%s after an error: %v, want %v", what, err, want)
		}
	}
	failed.Abort()
	for what, change := range map[string]func(*Record){
		"run": func(r *Record) { r.Run = "other" }, "window": func(r *Record) { r.Part++ },
		"rows":   func(r *Record) { r.Rows++ },
		"blocks": func(r *Record) { r.Blocks++ }, "digest": func(r *Record) { r.Digest[0]++ },
	} {
		wr, bad := s.Begin(w), rec
		change(&bad)
		if err := wr.Block(list[0]); err != nil {
			t.Fatal(err)
		}
		if _, err := wr.CommitAs(bad); !errors.Is(err, ErrCorrupt) {
			t.Errorf("a record with another %s: %v", what, err)
		}
		wr.Abort()
	}
	for what, bad := range map[string]puzzle.Window{
		"part": {Cell: w.Cell, Part: -1, Addresses: 1}, "size": {Cell: w.Cell},
		"layer": {Cell: puzzle.Cell{Layer: -1, Key: "1"}, Addresses: 1},
	} {
		if _, err := s.Begin(bad).Commit(puzzle.Tally{}); err == nil {
			t.Errorf("a window with an improper %s is accepted", what)
		}
	}
	wantWindow(t, s, rec, list[:1])
}

// TestCutWindow: a key that is too short for a window, or names no cell, is malformed.
func TestCutWindow(t *testing.T) {
	id := testWindow(1, 2, 1).ID()
	key := appendWindow(nil, id)
	for n := range len(key) {
		if got, _, err := cutWindow(key[:n]); err == nil {
			t.Errorf("%d of %d bytes: window %s", n, len(key), got)
		}
	}
	if got, rest, err := cutWindow(append(key, 'x')); err != nil || got != id || string(rest) != "x" {
		t.Errorf("%s, rest %q, %v", got, rest, err)
	}
	improper := appendWindow(nil, puzzle.WindowID{Cell: puzzle.Cell{Key: "../x"}})
	if got, _, err := cutWindow(improper); err == nil {
		t.Errorf("improper cell: %s", got)
	}
}
