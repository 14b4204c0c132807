package kv

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
)

// A state of the disk after a crash, and the windows that had been committed by then; writing had begun on no others
// than those in begun.
type wreck struct {
	name             string
	fs               *vfs.MemFS
	committed, begun map[puzzle.WindowID]uint64
}

// TestCrash copies the disk before operations of the file system all along a run. A copy is as a crash would leave it,
// with none, some or all of the unsynced bytes. Every copy is opened: committed windows are there whole, others are
// whole or not there at all, nothing else is left, and the store goes on. Windows are dropped on the way, so that
// segments are written again.
func TestCrash(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	mem := vfs.NewCrashableMem()
	var mu sync.Mutex
	var wrecks []wreck
	committed, begun := map[puzzle.WindowID]uint64{}, map[puzzle.WindowID]uint64{}
	copyMap := func(m map[puzzle.WindowID]uint64) map[puzzle.WindowID]uint64 {
		c := make(map[puzzle.WindowID]uint64, len(m))
		for k, v := range m {
			c[k] = v
		}
		return c
	}
	ops, every := 0, 5
	if testing.Short() {
		every = 25
	}
	hook := errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() != errorfs.OpIsWrite || op.Kind == errorfs.OpFileClose {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		ops++
		if rng.IntN(every) > 0 {
			return nil
		}
		percent := []int{0, 0, 50, 100}[rng.IntN(4)]
		// The list of commits is copied before the disk: a commit in between may or may not be in the copy.
		w := wreck{fmt.Sprintf("op %d, %v %s, %d %%", ops, op.Kind, op.Path, percent), nil, copyMap(committed), nil}
		// MemFS draws from math/rand/v2, through the same generator for a reproducible copy.
		w.fs = mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rng})
		w.begun = copyMap(begun)
		wrecks = append(wrecks, w)
		return nil
	})

	o := Options{FS: errorfs.Wrap(mem, hook), MemTableBytes: 256 << 10, segmentBytes: 128 << 10}
	s, err := Open("store", testRun, o)
	if err != nil {
		t.Fatal(err)
	}
	const windows, kept = 24, 8
	var wg sync.WaitGroup
	for worker := range 2 {
		wg.Go(func() {
			for part := worker; part < windows; part += 2 {
				var together []*Finished
				for _, w := range crashWindows(part) {
					mu.Lock()
					begun[w.ID()] = uint64(part)
					mu.Unlock()
					together = append(together, finish(t, s, w, crashBlocks(w, uint64(part)), testTally(uint64(part))))
				}
				s.CommitAll(together...)
				mu.Lock()
				for _, f := range together {
					if f.Err != nil {
						t.Error(f.Err)
					}
					committed[f.Record.ID()] = uint64(part)
				}
				mu.Unlock()
				if part >= kept {
					// Once the drop has begun, a crash may leave the window or not.
					var ids []puzzle.WindowID
					mu.Lock()
					for _, w := range crashWindows(part - kept) {
						ids = append(ids, w.ID())
						delete(committed, w.ID())
					}
					mu.Unlock()
					if err := s.Drop(ids...); err != nil {
						t.Error(err)
					}
				}
				if part%5 == 4 {
					wr := s.Begin(testWindow(2, part, 1))
					if err := wr.Block(testBlocks(testWindow(2, part, 1), 3000, 0)[0]); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	if written := s.segments.last * 128 << 10; written > 3<<19 {
		t.Errorf("%d segments: none was written again", s.segments.last)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if len(wrecks) == 0 {
		t.Fatalf("only %d crashes in %d operations", len(wrecks), ops)
	}
	t.Logf("%d crashes in %d operations", len(wrecks), ops)
	for _, w := range wrecks {
		if err := w.check(); err != nil {
			t.Errorf("%s: %v", w.name, err)
		}
	}
}

// crashSmall is the part of the first of the small windows.
const crashSmall = 100

// crashWindows are the windows that are committed with one that is as large as any in the test: none or three small
// ones, which share a write.
func crashWindows(part int) []puzzle.Window {
	list := []puzzle.Window{testWindow(1, part, 1+part%3)}
	for i := range 3 * (part / 2 % 2) {
		list = append(list, testWindow(1, crashSmall+3*part+i, 1))
	}
	return list
}

func crashBlocks(w puzzle.Window, seed uint64) []*puzzle.Block {
	if w.Part >= crashSmall {
		return testBlocks(w, 20, seed)
	}
	return testBlocks(w, 3000, seed)
}

func (w *wreck) check() (err error) {
	s, err := Open("store", testRun, Options{FS: w.fs, MemTableBytes: 256 << 10})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	bytes := uint64(0)
	there := map[uint64]int{} // windows by the call that committed them
	err = s.Records(func(rec Record) error {
		seed, known := w.begun[rec.ID()]
		if !known || rec.Layer != 1 {
			return fmt.Errorf("window %s: never written", rec.Window)
		}
		delete(w.committed, rec.ID())
		bytes += rec.Bytes
		there[seed]++
		h := blocks.NewHasher(rec.Window)
		for _, b := range crashBlocks(rec.Window, seed) {
			h.Add(b)
		}
		if h.Sum() != rec.Digest {
			return fmt.Errorf("window %s: wrong digest in the record", rec.Window)
		}
		return s.Verify(context.Background(), rec)
	})
	if err != nil {
		return err
	}
	for part, n := range there {
		if want := len(crashWindows(int(part))); n != want {
			return fmt.Errorf("%d of %d windows that are committed and dropped together", n, want)
		}
	}
	if len(w.committed) > 0 {
		return fmt.Errorf("committed windows are gone: %v", w.committed)
	}
	if live := liveBytes(s); live != bytes {
		return fmt.Errorf("%d bytes of blocks, the records have %d", live, bytes)
	}
	for _, seg := range s.segments.all {
		if seg.live == 0 {
			return fmt.Errorf("segment %d without a window is still there", seg.number)
		}
	}
	next := testWindow(1, 0, 2)
	if _, err := write(s, next, testBlocks(next, 100, 99), testTally(1)); err != nil {
		return err
	}
	return s.Verify(context.Background(), Record{Run: testRun, Window: next, Blocks: 2, Digest: digestOf(next, 99),
		Rows: rowsOf(next, 99)})
}

func digestOf(w puzzle.Window, seed uint64) blocks.Digest {
	h := blocks.NewHasher(w)
	for _, b := range testBlocks(w, 100, seed) {
		h.Add(b)
	}
	return h.Sum()
}

func rowsOf(w puzzle.Window, seed uint64) (n uint64) {
	for _, b := range testBlocks(w, 100, seed) {
		n += uint64(b.Rows())
	}
	return n
}

// TestDiskFull lets the disk fill up at every operation in turn that writes: the error says so, nothing that was
// committed is lost, nothing that was not is there, and the process lives.
func TestDiskFull(t *testing.T) {
	const windows = 12
	run := func(full int) (failed bool) {
		mem := vfs.NewMem()
		var mu sync.Mutex
		ops := 0
		inj := errorfs.InjectorFunc(func(op errorfs.Op) error {
			switch op.Kind {
			case errorfs.OpCreate, errorfs.OpFileWrite, errorfs.OpFileWriteAt, errorfs.OpFileSync, errorfs.OpFileSyncData,
				errorfs.OpFileSyncTo, errorfs.OpReuseForWrite, errorfs.OpRename, errorfs.OpLink, errorfs.OpMkdirAll:
			case errorfs.OpOpen:
				if !strings.HasSuffix(op.Path, segmentSuffix) {
					return nil
				}
			default:
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			if ops++; ops <= full {
				return nil
			}
			return &fs.PathError{Op: "write", Path: op.Path, Err: syscall.ENOSPC}
		})
		o := Options{FS: errorfs.Wrap(mem, inj), MemTableBytes: 256 << 10, segmentBytes: 32 << 10}
		done := map[puzzle.WindowID]Record{}
		s, err := Open("store", testRun, o)
		if err == nil {
			for part := 0; part < windows && err == nil; part++ {
				var rec Record
				w := testWindow(1, part, 3)
				if rec, err = write(s, w, testBlocks(w, 6000, uint64(part)), testTally(1)); err == nil {
					done[w.ID()] = rec
				}
			}
			if err != nil {
				if _, _, err2 := s.Record(puzzle.WindowID{}); !errors.Is(err2, ErrDiskFull) {
					t.Errorf("full after %d operations: store goes on: %v", full, err2)
				}
			}
			err = errors.Join(err, s.Close())
		}
		if err != nil && !errors.Is(err, ErrDiskFull) {
			t.Errorf("full after %d operations: %v", full, err)
		}
		failed = err != nil
		s, err = Open("store", testRun, Options{FS: mem})
		if err != nil {
			t.Fatalf("full after %d operations: open again: %v", full, err)
		}
		defer closed(t, s)
		err = s.Records(func(rec Record) error {
			delete(done, rec.ID())
			return s.Verify(context.Background(), rec)
		})
		if err != nil || len(done) > 0 {
			t.Errorf("full after %d operations: %v, lost %d windows", full, err, len(done))
		}
		return failed
	}
	failed := 0
	for full := 0; run(full); full += 1 + full/8 {
		failed++
	}
	if failed < 10 {
		t.Errorf("only %d runs met the full disk", failed)
	}
}

// TestFlippedBits flips bits all over the segments and tables of a closed store: a read returns the written rows or an
// error, and every flip inside a block is found. The values in tables are small, because Pebble, when a checksum fails,
// tries which single bit would explain it, at a cost that is quadratic in the size.
func TestFlippedBits(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	mem := vfs.NewMem()
	s := openTest(t, mem)
	var want []Record
	coded := uint64(0)
	for part := range 3 {
		w := testWindow(1, part, 2)
		want = append(want, mustWrite(t, s, w, testBlocks(w, 500, uint64(part)), testTally(1)))
		coded += want[part].Bytes
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	flips := 300
	if testing.Short() {
		flips = 50
	}
	for _, name := range []string{segmentFiles(t, mem)[0], tables(t, mem)[0]} {
		data := readFile(t, mem, name)
		segment := strings.HasSuffix(name, segmentSuffix)
		if segment && len(data) != int(coded) {
			t.Fatalf("segment of %d bytes, want %d", len(data), coded)
		}
		found := 0
		for range flips {
			at, bit := rng.IntN(len(data)), rng.IntN(8)
			data[at] ^= 1 << bit
			if err := readBack(mem, want); err != nil {
				found++
				if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrNotFound) || strings.Contains(err.Error(), "\n") {
					t.Errorf("bit %d of byte %d of %s: %v", bit, at, name, err)
				}
			} else if segment {
				t.Errorf("bit %d of byte %d of %s: not found", bit, at, name)
			}
			data[at] ^= 1 << bit
		}
		t.Logf("%s: %d of %d flips found", name, found, flips)
	}
	if err := readBack(mem, want); err != nil {
		t.Fatal(err)
	}
}

// tables names the table files of a store, and segmentFiles its segments.
func tables(t testing.TB, mem *vfs.MemFS) []string { return filesOf(t, mem, ".sst") }

func segmentFiles(t testing.TB, mem *vfs.MemFS) []string { return filesOf(t, mem, segmentSuffix) }

func filesOf(t testing.TB, mem *vfs.MemFS, suffix string) (names []string) {
	t.Helper()
	list, err := mem.List("store")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	for _, n := range list {
		if strings.HasSuffix(n, suffix) {
			names = append(names, mem.PathJoin("store", n))
		}
	}
	if len(names) == 0 {
		t.Fatalf("the store has no files *%s", suffix)
	}
	return names
}

// readFile returns the content of a file in memory; to change it is to change the file.
func readFile(t testing.TB, mem *vfs.MemFS, name string) []byte {
	t.Helper()
	data, err := mem.UnsafeGetFileDataBuffer(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func replaceFile(t testing.TB, mem *vfs.MemFS, name string, data []byte) {
	t.Helper()
	data = slices.Clone(data)
	f, err := mem.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// readBack opens a store read-only and verifies windows.
func readBack(mem *vfs.MemFS, want []Record) (err error) {
	s, err := Open("store", testRun, Options{FS: mem, ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for _, rec := range want {
		if err := s.Verify(context.Background(), rec); err != nil {
			return err
		}
	}
	return nil
}
