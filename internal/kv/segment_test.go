package kv

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks/blockstest"
)

func openSmall(t testing.TB, fsys vfs.FS) *Store {
	t.Helper()
	s, err := Open("store", testRun, Options{FS: fsys, MemTableBytes: 1 << 20, segmentBytes: 32 << 10})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A read that has begun sees its window to the end, although the window is dropped, and much more is written than the
// spare segments hold.
func TestReadOfDroppedWindow(t *testing.T) {
	s := openSmall(t, vfs.NewMem())
	defer closed(t, s)
	w := testWindow(1, 0, 4)
	want := testBlocks(w, 5000, 1)
	rec := mustWrite(t, s, w, want, testTally(1))
	var got []*puzzle.Block
	err := s.Blocks(context.Background(), rec, w.First, w.Addresses, func(b *puzzle.Block) error {
		got = append(got, b.Clone())
		if err := s.Drop(w.ID()); err != nil {
			return err
		}
		for part := 1; part < 8; part++ {
			o := testWindow(1, part, 2)
			mustWrite(t, s, o, testBlocks(o, 5000, uint64(part)), testTally(1))
			if err := s.Drop(o.ID()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || !slices.EqualFunc(got, want, blockstest.Same) {
		t.Fatalf("%d blocks, %v", len(got), err)
	}
	if n := liveBytes(s); n != 0 {
		t.Errorf("%d bytes are not free", n)
	}
}

// Segments without windows are written again, up to maxSpare of them are kept, and Close removes them.
func TestSegmentsAreReused(t *testing.T) {
	mem := vfs.NewMem()
	s := openSmall(t, mem)
	kept := testWindow(2, 0, 1)
	rec := mustWrite(t, s, kept, testBlocks(kept, 100, 1), testTally(1))
	var ids []puzzle.WindowID
	var most int
	for round := range 4 {
		for part := range 60 {
			w := testWindow(1, part, 2)
			mustWrite(t, s, w, testBlocks(w, 5000, uint64(round)), testTally(1))
			ids = append(ids, w.ID())
		}
		if round == 0 {
			most = len(s.segments.all)
		}
		if err := s.Drop(append(ids, ids...)...); err != nil { // every window is dropped once only
			t.Fatal(err)
		}
		if n := len(s.segments.spare); n != maxSpare {
			t.Errorf("%d spare segments, want %d", n, maxSpare)
		}
	}
	if most <= maxSpare+1 || len(s.segments.all) > maxSpare+2 || s.segments.last > uint64(4*most-3*maxSpare+4) {
		t.Errorf("%d segments at first, %d now, last number %d", most, len(s.segments.all), s.segments.last)
	}
	if have := s.DiskBytes(); have < s.segments.bytes() || have > s.segments.bytes()+4<<20 {
		t.Errorf("disk bytes %d, segments %d", have, s.segments.bytes())
	}
	files := uint64(0)
	for _, name := range segmentFiles(t, mem) {
		files += uint64(len(readFile(t, mem, name)))
	}
	if have := s.segments.bytes(); have != files {
		t.Errorf("the segments are %d bytes long, and account for %d", files, have)
	}
	wantWindow(t, s, rec, testBlocks(kept, 100, 1))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if names := segmentFiles(t, mem); len(names) > 2 { // that of the window that was kept, and the last active one
		t.Errorf("segments after close: %v", names)
	}
	s = openSmall(t, mem)
	defer closed(t, s)
	if n := len(segmentFiles(t, mem)); n != 1 {
		t.Errorf("%d segments after open, want 1", n)
	}
	wantWindow(t, s, rec, testBlocks(kept, 100, 1))
}

// TestCrashAfterDrop lets the machine crash when a window has been dropped and a writer that does not commit has
// written over its segments. The drop was not synced, so the record may come back: then the blocks must be there too.
func TestCrashAfterDrop(t *testing.T) {
	mem := vfs.NewCrashableMem()
	s := openSmall(t, mem)
	defer closed(t, s)
	w := testWindow(1, 0, 8)
	rec := mustWrite(t, s, w, testBlocks(w, 5000, 1), testTally(1))
	if err := s.Drop(w.ID()); err != nil {
		t.Fatal(err)
	}
	if len(s.segments.spare) == 0 {
		t.Fatal("no segment is spare")
	}
	wr := s.Begin(testWindow(2, 0, 8))
	defer wr.Abort()
	for _, b := range testBlocks(testWindow(2, 0, 8), 5000, 2) {
		if err := wr.Block(b); err != nil {
			t.Fatal(err)
		}
	}
	for seed := range uint64(40) {
		crashed := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rand.New(rand.NewPCG(seed, 0))})
		after := openSmall(t, crashed)
		if _, found, err := after.Record(w.ID()); err != nil {
			t.Error(err)
		} else if found {
			if err := after.Verify(context.Background(), rec); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
		closed(t, after)
	}
}

// When a record cannot be read, no segment is removed or written again: any of them may be the one with its blocks.
func TestUnreadableRecordKeepsSegments(t *testing.T) {
	mem := vfs.NewMem()
	s := openSmall(t, mem)
	for part := range 3 {
		w := testWindow(1, part, 2)
		mustWrite(t, s, w, testBlocks(w, 5000, uint64(part)), testTally(1))
	}
	key := recordKey(testWindow(1, 1, 2).ID())
	value, _, err := s.get(key)
	if err != nil {
		t.Fatal(err)
	}
	value[60] ^= 1
	if err := errors.Join(s.db.Set(key, value, nil), s.Close()); err != nil {
		t.Fatal(err)
	}
	before := segmentFiles(t, mem)
	s = openSmall(t, mem)
	defer closed(t, s)
	if err := s.Drop(testWindow(1, 0, 2).ID(), testWindow(1, 1, 2).ID(), testWindow(1, 2, 2).ID()); err != nil {
		t.Fatal(err)
	}
	if after := segmentFiles(t, mem); !slices.Equal(before, after) || len(s.segments.spare) > 0 {
		t.Errorf("segments %v, before %v; %d are spare", after, before, len(s.segments.spare))
	}
}

// TestGroupCommit counts the syncs of commits that wait while another is on its way to the disk.
func TestGroupCommit(t *testing.T) {
	const windows = 20
	syncing, goOn := make(chan struct{}), make(chan struct{})
	var mu sync.Mutex
	syncs, hold := 0, false
	inj := errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind != errorfs.OpFileSync && op.Kind != errorfs.OpFileSyncData {
			return nil
		}
		mu.Lock()
		syncs++
		first := hold && op.Kind == errorfs.OpFileSyncData
		hold = hold && !first
		mu.Unlock()
		if first {
			close(syncing)
			<-goOn
		}
		return nil
	})
	s := openTest(t, errorfs.Wrap(vfs.NewMem(), inj))
	defer closed(t, s)
	var writers []*Writer
	for part := range windows {
		wr := s.Begin(testWindow(1, part, 1))
		if err := wr.Block(testBlocks(testWindow(1, part, 1), 10, 1)[0]); err != nil {
			t.Fatal(err)
		}
		writers = append(writers, wr)
	}
	mu.Lock()
	syncs, hold = 0, true
	mu.Unlock()
	var wg sync.WaitGroup
	commit := func(wr *Writer) {
		wg.Go(func() {
			if _, err := wr.Commit(testTally(1)); err != nil {
				t.Error(err)
			}
		})
	}
	commit(writers[0])
	<-syncing
	for _, wr := range writers[1:] {
		commit(wr)
	}
	for waiting := 0; waiting < windows-1; runtime.Gosched() {
		s.commits.mu.Lock()
		waiting = len(s.commits.waiting)
		s.commits.mu.Unlock()
	}
	close(goOn)
	wg.Wait()
	// One for the name of the segment, and two for each of two groups: segment and log.
	if syncs != 1+2*2 {
		t.Errorf("%d syncs for %d commits", syncs, windows)
	}
	if n := countKeys(t, s, keyRecord); n != windows {
		t.Errorf("%d windows", n)
	}
}

// A location that is cut, or changed in any bit, is refused; a checksum that fits does not make it a valid one.
func FuzzLocation(f *testing.F) {
	rec := Record{Run: testRun, Window: testWindow(1, 1, 3), Rows: 5, Blocks: 2, Bytes: 30}
	v := stored{location{first: rec.First, extents: []extent{{3, 1 << 20, 10}, {4, 0, 20}}}, rec}
	v.add(0, 10)
	v.add(2, 20)
	b, err := v.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b[:len(b)-8])
	f.Add(b[:45])
	v.copied = true
	if b, err = v.encode(); err != nil {
		f.Fatal(err)
	}
	f.Add(b[:len(b)-8])
	f.Fuzz(func(t *testing.T, body []byte) {
		l, _, err := decodeLocation(append(slices.Clone(body), 0, 0, 0, 0, 0, 0, 0, 0))
		if err == nil {
			t.Fatalf("%+v without a checksum", l)
		}
		l, rest, err := decodeLocation(blockstest.WithChecksumBig(body))
		if err != nil {
			if !errors.Is(err, ErrCorrupt) || len(l.extents)+len(l.blocks) > 0 {
				t.Fatal(l, err)
			}
			return
		}
		if len(rest) > len(body) || len(l.blocks) > len(body) || len(l.extents) > len(body) {
			t.Fatalf("%d extents, %d blocks, %d bytes of record from %d bytes", len(l.extents), len(l.blocks), len(rest),
				len(body))
		}
	})
}

// A segment that is gone makes its windows damaged, and is no error of the system.
func TestMissingSegment(t *testing.T) {
	mem := vfs.NewMem()
	s := openSmall(t, mem)
	w := testWindow(1, 0, 2)
	rec := mustWrite(t, s, w, testBlocks(w, 100, 1), testTally(1))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := mem.Remove(segmentFiles(t, mem)[0]); err != nil {
		t.Fatal(err)
	}
	s = openSmall(t, mem)
	defer closed(t, s)
	if err := s.Verify(context.Background(), rec); !errors.Is(err, ErrCorrupt) || errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("error %v", err)
	}
	wantWindow(t, s, mustWrite(t, s, w, testBlocks(w, 100, 1), testTally(1)), testBlocks(w, 100, 1))
}
