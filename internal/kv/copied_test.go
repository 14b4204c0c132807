package kv

import (
	"encoding/binary"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// TestCopiedNumber: earlier programs read the number of extents of a copy as it is.
func TestCopiedNumber(t *testing.T) {
	for _, n := range []uint64{0, 1, 127, 128, 1 << 20} {
		b := needless(binary.AppendUvarint(nil, n))
		if got, length := binary.Uvarint(b); got != n || length != len(b) {
			t.Errorf("%d is read as %d from %d of %d bytes", n, got, length, len(b))
		}
	}
}

// TestCopied: a store knows which of its windows it has written as copies, also when it is opened again or salvaged,
// until it has a result of its own.
func TestCopied(t *testing.T) {
	mem := vfs.NewMem()
	s := openTest(t, mem)
	w, own := testWindow(1, 0, 2), testWindow(1, 1, 2)
	blocks := testBlocks(w, 100, 1)
	mustWrite(t, s, own, testBlocks(own, 100, 1), testTally(1))
	from := openTest(t, vfs.NewMem())
	rec := mustWrite(t, from, w, blocks, testTally(1))
	wr := s.Begin(w)
	wr.Copied = true
	if err := from.RawBlocks(t.Context(), w.ID(), 0, wr.Raw); err != nil {
		t.Fatal(err)
	}
	if _, err := wr.CommitAs(rec); err != nil {
		t.Fatal(err)
	}
	check := func(s *Store, when string, want bool) {
		t.Helper()
		wantWindow(t, s, rec, blocks)
		got, err := s.Copied(w.ID())
		if err != nil || got != want {
			t.Errorf("%s: the window is a copy: %t, %v", when, got, err)
		}
		if got, err := s.Copied(own.ID()); err != nil || got {
			t.Errorf("%s: the window that was computed is a copy: %t, %v", when, got, err)
		}
	}
	check(s, "written", true)
	closed(t, s)
	s = openTest(t, mem)
	check(s, "opened again", true)
	closed(t, s)
	if n, err := SalvageStore("store", "fresh", testRun, Options{FS: mem}); n != 2 || err != nil {
		t.Fatalf("%d records, %v", n, err)
	}
	s, err := Open("fresh", testRun, Options{FS: mem})
	if err != nil {
		t.Fatal(err)
	}
	check(s, "salvaged", true)
	mustWrite(t, s, w, blocks, testTally(1))
	check(s, "computed", false)
	if got, err := s.Copied(testWindow(1, 2, 2).ID()); err != nil || got {
		t.Errorf("a window that is not there is a copy: %t, %v", got, err)
	}
	closed(t, s)
	closed(t, from)
}
