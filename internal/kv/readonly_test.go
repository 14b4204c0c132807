package kv

import (
	"io/fs"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"pagoda/internal/puzzle"
)

// TestReadOnlyFileSystem reads a store and a ledger where nothing can be written, not even a lock: as they were closed,
// and as a process left them that was killed, with all that is in their logs.
func TestReadOnlyFileSystem(t *testing.T) {
	for _, killed := range []bool{false, true} {
		for _, errno := range []syscall.Errno{syscall.EROFS, syscall.EACCES} {
			for _, peek := range []bool{false, true} {
				readWithoutWriting(t, killed, peek, errno)
			}
		}
	}
}

func readWithoutWriting(t *testing.T, killed, peek bool, errno syscall.Errno) {
	t.Helper()
	mem := vfs.NewCrashableMem()
	s := openTest(t, mem)
	l, err := OpenLedger("ledger", testRun, Options{FS: mem})
	if err != nil {
		t.Fatal(err)
	}
	var records []Record
	var content [][]*puzzle.Block
	for part := range 5 {
		w := testWindow(1, part, 2)
		blocks := testBlocks(w, 100, uint64(part))
		records, content = append(records, mustWrite(t, s, w, blocks, testTally(7))), append(content, blocks)
		if err := l.Append([]Entry{{Record: records[part], Holders: []string{"w"}}}); err != nil {
			t.Fatal(err)
		}
	}
	left := mem
	if killed {
		left = mem.CrashClone(vfs.CrashCloneCfg{RNG: rand.New(rand.NewPCG(1, 2))})
	}
	closed(t, s)
	closed(t, l)
	disk := errorfs.Wrap(left, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			return &fs.PathError{Op: "write", Path: op.Path, Err: errno}
		}
		return nil
	}))
	o := Options{FS: disk, ReadOnly: true, Peek: peek}
	s, err = Open("store", testRun, o)
	if err != nil {
		t.Fatalf("killed %v, peek %v, %v: %v", killed, peek, errno, err)
	}
	for i, rec := range records {
		wantWindow(t, s, rec, content[i])
	}
	if l, err = OpenLedger("ledger", testRun, o); err != nil {
		t.Fatalf("killed %v, peek %v, %v: %v", killed, peek, errno, err)
	}
	n := 0
	if err := l.Load(func(Entry) error { n++; return nil }); err != nil || n != len(records) {
		t.Errorf("killed %v: %d entries of %d: %v", killed, n, len(records), err)
	}
	closed(t, s)
	closed(t, l)
}
