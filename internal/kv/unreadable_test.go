package kv

import (
	"bytes"
	"errors"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"pagoda/internal/puzzle"
)

// TestUnreadable: rows that the disk does not read are as good as damaged: the window can be had elsewhere, or again.
func TestUnreadable(t *testing.T) {
	var bad atomic.Bool
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		reads := op.Kind == errorfs.OpFileReadAt || op.Kind == errorfs.OpOpen
		if bad.Load() && reads && strings.HasSuffix(op.Path, segmentSuffix) {
			return syscall.EIO
		}
		return nil
	}))
	s := openTest(t, fs)
	defer closed(t, s)
	w := testWindow(1, 0, 1)
	rec := mustWrite(t, s, w, testBlocks(w, 2, 7), testTally(1))
	bad.Store(true)
	if err := s.Verify(t.Context(), rec); !errors.Is(err, ErrCorrupt) || !errors.Is(err, syscall.EIO) {
		t.Errorf("got %v", err)
	}
	bad.Store(false)
	if err := s.Verify(t.Context(), rec); err != nil {
		t.Errorf("when the disk reads again: %v", err)
	}
}

// TestUnreadableOtherwise: an error that says nothing about the rows is returned as it is, and does not make them
// damaged.
func TestUnreadableOtherwise(t *testing.T) {
	for _, kind := range []errorfs.OpKind{errorfs.OpFileReadAt, errorfs.OpOpen} {
		var bad atomic.Bool
		fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
			if bad.Load() && op.Kind == kind && strings.HasSuffix(op.Path, segmentSuffix) {
				return syscall.EMFILE
			}
			return nil
		}))
		s := openTest(t, fs)
		w := testWindow(1, 0, 1)
		rec := mustWrite(t, s, w, testBlocks(w, 2, 7), testTally(1))
		bad.Store(true)
		if err := s.Verify(t.Context(), rec); errors.Is(err, ErrCorrupt) || !errors.Is(err, syscall.EMFILE) {
			t.Errorf("%v: %v", kind, err)
		}
		closed(t, s)
	}
}

// TestUnreadRecords: a store whose disk does not read its records has an error for everything that needs one.
func TestUnreadRecords(t *testing.T) {
	var bad atomic.Bool
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if bad.Load() && op.Kind == errorfs.OpFileReadAt && strings.HasSuffix(op.Path, ".sst") {
			return syscall.EIO
		}
		return nil
	}))
	s := openTest(t, fs)
	w := testWindow(1, 0, 1)
	rec := mustWrite(t, s, w, testBlocks(w, 2, 7), testTally(1))
	closed(t, s)
	s, err := Open("store", testRun, Options{FS: fs, CacheBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, s)
	bad.Store(true)
	_, found, rerr := s.Record(w.ID())
	_, werr := write(s, w, testBlocks(w, 2, 7), testTally(1))
	for what, err := range map[string]error{
		"record": rerr, "records": s.Records(func(Record) error { return nil }), "drop": s.Drop(w.ID()),
		"verify": s.Verify(t.Context(), rec), "write it again": werr,
	} {
		if !errors.Is(err, syscall.EIO) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if found {
		t.Error("a record that cannot be read is found")
	}
	bad.Store(false)
	wantWindow(t, s, rec, testBlocks(w, 2, 7))
}

// TestDamagedRecord: a record that is damaged reads as damage, which names its window, and can be dropped or replaced.
func TestDamagedRecord(t *testing.T) {
	s := openTest(t, vfs.NewMem())
	defer closed(t, s)
	w, other := testWindow(1, 0, 1), testWindow(1, 1, 1)
	rec := mustWrite(t, s, w, testBlocks(w, 2, 7), testTally(1))
	good, _, err := s.get(recordKey(w.ID()))
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 1
	for what, c := range map[string]struct {
		id    puzzle.WindowID
		value []byte
	}{
		"flipped": {w.ID(), flipped}, "cut": {w.ID(), good[:len(good)-1]}, "short": {w.ID(), []byte("x")},
		"of another window": {other.ID(), good},
	} {
		if err := s.db.Set(recordKey(c.id), c.value, nil); err != nil {
			t.Fatal(err)
		}
		_, found, err := s.Record(c.id)
		if found || !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), c.id.String()) {
			t.Errorf("%s: %t, %v", what, found, err)
		}
		if err := s.Records(func(Record) error { return nil }); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: records: %v", what, err)
		}
		if err := s.Drop(c.id); err != nil {
			t.Errorf("%s: drop: %v", what, err)
		}
		if _, found, err := s.Record(c.id); found || err != nil {
			t.Errorf("%s: it is there after a drop: %t, %v", what, found, err)
		}
	}
	if err := s.db.Set(recordKey(w.ID()), flipped, nil); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, s, w, testBlocks(w, 2, 7), testTally(1))
	wantWindow(t, s, rec, testBlocks(w, 2, 7))
}
