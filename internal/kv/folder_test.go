package kv

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"pagoda/internal/kv/guard"
	"pagoda/internal/puzzle"
)

// opened tries to open a folder as windows, and closes it again.
func opened(dir, run string, o Options) error {
	s, err := Open(dir, run, o)
	if err == nil {
		err = s.Close()
	}
	return err
}

func TestOpenRefuses(t *testing.T) {
	mem := vfs.NewMem()
	s := openTest(t, mem)
	if err := opened("store", testRun, Options{FS: mem}); !errors.Is(err, ErrLocked) {
		t.Errorf("open twice: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := opened("store", testRun, Options{FS: mem}); err != nil {
		t.Errorf("open again: %v", err)
	}
	var re *RunError
	if err := opened("store", "other", Options{FS: mem}); !errors.Is(err, ErrRun) || !errors.As(err, &re) ||
		re.Found != testRun || re.Want != "other" {
		t.Errorf("another run's folder: %v", err)
	}
	if _, err := OpenLedger("store", testRun, Options{FS: mem}); !errors.Is(err, ErrFormat) {
		t.Errorf("windows opened as a ledger: %v", err)
	}
	if err := opened("store", "no/run", Options{FS: mem}); err == nil {
		t.Error("an improper run ID was accepted")
	}
	if err := opened("none", testRun, Options{FS: mem, ReadOnly: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing folder opened read-only: %v", err)
	}
	if _, err := mem.Stat("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the refused folder was created: %v", err)
	}
	for name, found := range map[string]string{
		`{"format":1,"kind":"windows","run":"` + testRun + `"}`: "windows format 1",
		`nonsense`: "none",
		``:         "none", // a database without our key
	} {
		mem := vfs.NewMem()
		db, err := pebble.Open("store", &pebble.Options{FS: mem, Logger: quiet{}})
		if err != nil {
			t.Fatal(err)
		}
		key := []byte{keyMeta}
		if name == "" {
			key = []byte("theirs")
		}
		if err := errors.Join(db.Set(key, []byte(name), pebble.Sync), db.Close()); err != nil {
			t.Fatal(err)
		}
		var fe *FormatError
		err = opened("store", testRun, Options{FS: mem})
		if !errors.Is(err, ErrFormat) || !errors.As(err, &fe) || fe.Found != found || fe.Want != "windows format 2" {
			t.Errorf("meta %q: %v", name, err)
		}
	}
}

type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(string, ...any) {}

// TestLockedByAnotherProcess starts this test once more as a process that holds the folder open.
func TestLockedByAnotherProcess(t *testing.T) {
	if dir := os.Getenv("PAGODA_TEST_HOLD"); dir != "" {
		s, err := Open(dir, testRun, Options{})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("open")
		_, _ = os.Stdin.Read(make([]byte, 1)) // until the parent closes the pipe
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestLockedByAnotherProcess$")
	cmd.Env = append(os.Environ(), "PAGODA_TEST_HOLD="+dir)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	err := opened(dir, testRun, Options{})
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), dir) {
		t.Errorf("error %v", err)
	}
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
		t.Fatal(err)
	}
	if err := opened(dir, testRun, Options{}); err != nil {
		t.Errorf("after the other process: %v", err)
	}
}

func TestUnwritableFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := opened(filepath.Join(path, "store"), testRun, Options{}); err == nil || errors.Is(err, ErrLocked) {
		t.Errorf("a folder inside a file: %v", err)
	}
	for _, errno := range []syscall.Errno{syscall.EROFS, syscall.EACCES} {
		inj := errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
				return &fs.PathError{Op: "write", Path: op.Path, Err: errno}
			}
			return nil
		})
		err := opened("store", testRun, Options{FS: errorfs.Wrap(vfs.NewMem(), inj)})
		if !errors.Is(err, errno) || errors.Is(err, ErrLocked) || errors.Is(err, ErrDiskFull) {
			t.Errorf("%v: error %v", errno, err)
		}
	}
}

// TestFailingDisk makes the disk fail in another way than by being full: the store stops with that error.
func TestFailingDisk(t *testing.T) {
	on := false
	inj := errorfs.InjectorFunc(func(op errorfs.Op) error {
		if on && (op.Kind == errorfs.OpFileWrite || op.Kind == errorfs.OpFileWriteAt) {
			return &fs.PathError{Op: "write", Path: op.Path, Err: syscall.EIO}
		}
		return nil
	})
	mem := vfs.NewMem()
	s := openTest(t, errorfs.Wrap(mem, inj))
	w := testWindow(1, 1, 1)
	kept := mustWrite(t, s, w, testBlocks(w, 100, 1), testTally(1))
	on = true
	w2 := testWindow(1, 2, 1)
	if _, err := write(s, w2, testBlocks(w2, 100, 1), testTally(1)); !errors.Is(err, syscall.EIO) {
		t.Errorf("commit: %v", err)
	}
	if err := s.Close(); !errors.Is(err, syscall.EIO) {
		t.Errorf("close: %v", err)
	}
	on = false
	s = openTest(t, mem)
	defer closed(t, s)
	wantWindow(t, s, kept, testBlocks(w, 100, 1))
}

func TestClosed(t *testing.T) {
	s := openTest(t, vfs.NewMem())
	w := testWindow(1, 1, 1)
	wr := s.Begin(w)
	if err := errors.Join(wr.Block(testBlocks(w, 10, 1)[0]), s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	_, _, rerr := s.Record(w.ID())
	_, cerr := wr.Commit(puzzle.Tally{})
	for name, err := range map[string]error{
		"record": rerr, "commit": cerr, "drop": s.Drop(w.ID()), "verify": s.Verify(context.Background(), Record{}),
		"block": s.Begin(w).Block(testBlocks(w, 10, 1)[0]), "records": s.Records(func(Record) error { return nil }),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	wr.Abort()
}

// TestDamagedWindow damages a block on disk. Its window is found damaged, its neighbours are not; written again it is
// whole, and the store has nothing else to complain about.
func TestDamagedWindow(t *testing.T) {
	mem := vfs.NewMem()
	s := openTest(t, mem)
	var recs []Record
	for part := range 8 {
		w := testWindow(1, part, 2)
		recs = append(recs, mustWrite(t, s, w, testBlocks(w, 1500, uint64(part)), testTally(1)))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data := readFile(t, mem, segmentFiles(t, mem)[0])
	bad, at := 3, uint64(0)
	for _, rec := range recs[:bad] {
		at += rec.Bytes
	}
	data[at+recs[bad].Bytes/4] ^= 1 // the windows lie in the segment in the order of their commits

	s = openTest(t, mem)
	defer closed(t, s)
	for i, rec := range recs {
		err := s.Verify(context.Background(), rec)
		if errors.Is(err, ErrCorrupt) != (i == bad) || (err == nil) != (i != bad) {
			t.Errorf("window %s: %v", rec.Window, err)
		}
	}
	if err := s.Drop(recs[bad].ID()); err != nil {
		t.Fatal(err)
	}
	for i, rec := range recs {
		again := mustWrite(t, s, rec.Window, testBlocks(rec.Window, 1500, uint64(i)), testTally(1))
		if again.Digest != rec.Digest {
			t.Errorf("digest %s, want %s", again.Digest, rec.Digest)
		}
		wantWindow(t, s, rec, testBlocks(rec.Window, 1500, uint64(i)))
	}
	if s.Damaged() != "" {
		t.Errorf("damaged: %s", s.Damaged())
	}
}

// TestDamagedTable damages a table of an open database. That is reported once, compaction rests, and writes go on.
func TestDamagedTable(t *testing.T) {
	mem := vfs.NewMem()
	s := openTest(t, mem)
	var recs []Record
	for part := range 400 {
		w := testWindow(1, part, 1)
		recs = append(recs, mustWrite(t, s, w, testBlocks(w, 2, uint64(part)), testTally(1)))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	events := make(chan string, 1000)
	event := func(text string) { events <- text }
	s, err := Open("store", testRun, Options{FS: mem, CacheBytes: 1, MemTableBytes: 256 << 10, Event: event})
	if err != nil {
		t.Fatal(err)
	}
	data := readFile(t, mem, tables(t, mem)[0])
	data[len(data)/4] ^= 1
	damaged := 0
	for _, rec := range recs {
		if err := s.Verify(context.Background(), rec); errors.Is(err, ErrCorrupt) {
			damaged++
		} else if err != nil {
			t.Errorf("window %s: %v", rec.Window, err)
		}
	}
	if damaged == 0 || damaged == len(recs) {
		t.Errorf("%d of %d windows are damaged", damaged, len(recs))
	}
	if s.Damaged() == "" || len(events) == 0 || strings.Contains(<-events, "\n") {
		t.Errorf("the damage was not reported properly: %q", s.Damaged())
	}
	// Flushing tables that overlap makes for compactions, which have to read the damaged one.
	for range 8 {
		for i, rec := range recs[:40] {
			mustWrite(t, s, rec.Window, testBlocks(rec.Window, 2, uint64(i)), testTally(1))
		}
		if err := s.db.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	for i, rec := range recs[:40] {
		wantWindow(t, s, rec, testBlocks(rec.Window, 2, uint64(i)))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(events); n > 20 {
		t.Errorf("%d events: compaction does not rest", n)
	}
}

// TestFatalFreezes: a fatal fault of Pebble freezes the folder, and is told. An error of Pebble is told alone.
func TestFatalFreezes(t *testing.T) {
	disk := guard.New(vfs.NewMem(), "store", segmentSuffix)
	var told []string
	l := fatalIsError{disk, func(text string) { told = append(told, text) }}
	l.Infof("hello")
	l.Errorf("error %d", 1)
	if err := disk.Err(); err != nil || len(told) != 1 || told[0] != "folder store: error 1" {
		t.Errorf("after an error: %v, told %q", err, told)
	}
	l.Fatalf("fatal %d", 2)
	if err := disk.Err(); err == nil || !strings.Contains(err.Error(), "fatal 2") || len(told) != 2 ||
		told[1] != "folder store: fatal 2" {
		t.Errorf("after a fatal error: %v, told %q", err, told)
	}
}
