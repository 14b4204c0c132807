package kv

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/kv/guard"
)

// TestDamagedWhileOpen damages each file of a database while its folder is open. The process that has it open goes on.
// The folder is closed in order, and then found to be damaged: it must not vouch for bytes that it has not written.
func TestDamagedWhileOpen(t *testing.T) {
	mem := vfs.NewMem()
	recs := sessions(t, mem, 2)
	// Pebble's work in the background decides which files there are. The session that damages them therefore chooses them
	// by kind, the newest of several.
	newest := func(fsys vfs.FS, kind string) (name string) {
		list, err := guard.DatabaseFiles(fsys, "store")
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range list {
			if strings.HasPrefix(other, kind) || strings.HasSuffix(other, kind) {
				name = max(name, other)
			}
		}
		return name
	}
	for kind, want := range map[string]int{
		"MANIFEST-": 5, "OPTIONS-": 5,
		".sst": 0, ".log": 0, // Pebble may remove them at any time
	} {
		tried := 0
		for i := range 5 {
			fsys, size := clone(t, mem), 0
			s := openTest(t, fsys)
			w := testWindow(1, 40, 1)
			mustWrite(t, s, w, testBlocks(w, 2, 7), testTally(1))
			name := newest(fsys, kind)
			if name != "" {
				size = flipQuarter(t, fsys, fsys.PathJoin("store", name), i)
			}
			_ = s.Close() // it may read the damaged bytes once more, and fail
			if there, _ := exists(fsys, fsys.PathJoin("store", name)); !there || size == 0 {
				continue // it was removed by the close
			}
			tried++
			if err := opened("store", testRun, Options{FS: fsys}); !errors.Is(err, ErrCorrupt) {
				t.Errorf("file %s, byte %d: %v", name, i*(size-1)/4, err)
				continue
			}
			n, err := SalvageStore("store", "fresh", testRun, Options{FS: fsys})
			if err != nil || n < len(recs)+1 && kind != ".sst" {
				t.Errorf("file %s, byte %d: %d of %d windows salvaged, %v", name, i*(size-1)/4, n, len(recs)+1, err)
			}
		}
		if tried < want {
			t.Errorf("only %d files of kind %s were left to damage", tried, kind)
		}
	}
}

// flipQuarter flips a bit at so many quarters of a file that a database has open, and returns the size of the file. It
// is 0 when it is empty, or the database has removed it meanwhile.
func flipQuarter(t *testing.T, fsys *vfs.MemFS, path string, quarters int) (size int) {
	t.Helper()
	if there, err := exists(fsys, path); err != nil || !there {
		return 0
	}
	f, err := fsys.OpenReadWrite(path, vfs.WriteCategoryUnspecified) // makes it, if it is gone by now
	if err != nil {
		t.Fatal(err)
	}
	defer free(f)
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if size = int(info.Size()); size == 0 {
		return 0
	}
	b, at := make([]byte, 1), int64(quarters*(size-1)/4)
	if _, err := f.ReadAt(b, at); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 0x10
	if _, err := f.WriteAt(b, at); err != nil {
		t.Fatal(err)
	}
	return size
}

// TestNeverClosed: a store that is opened again and again and never closed is refused, and so made anew from its
// records. A store that is closed now and then, or opened only to read, is not refused.
func TestNeverClosed(t *testing.T) {
	mem, rng := vfs.NewCrashableMem(), rand.New(rand.NewPCG(1, 1))
	s := openTest(t, mem)
	w := testWindow(1, 0, 1)
	rec := mustWrite(t, s, w, testBlocks(w, 2, 7), testTally(1))
	closed(t, s)
	crashed := func() (err error) {
		s, err := Open("store", testRun, Options{FS: mem})
		if err != nil {
			return err
		}
		left := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rng})
		closed(t, s)
		mem = left
		return nil
	}
	for range 2 {
		for i := range maxUnclosed {
			if err := crashed(); err != nil {
				t.Fatalf("crash %d: %v", i, err)
			}
		}
		if err := crashed(); !errors.Is(err, ErrNeverClosed) || !errors.Is(err, ErrCorrupt) {
			t.Fatalf("after %d crashes: %v", maxUnclosed, err)
		}
		if err := opened("store", testRun, Options{FS: mem, ReadOnly: true}); err != nil {
			t.Errorf("to read: %v", err)
		}
		if n, err := SalvageStore("store", "fresh", testRun, Options{FS: mem}); n != 1 || err != nil {
			t.Errorf("%d records could be read, %v", n, err)
		}
		if err := Replace("store", "fresh", "aside", Options{FS: mem}); err != nil {
			t.Fatal(err)
		}
		for range maxUnclosed + 1 {
			s := openTest(t, mem)
			if err := s.Verify(t.Context(), rec); err != nil {
				t.Error(err)
			}
			closed(t, s)
		}
	}
}

// TestProcessesThatPanic has processes open a store in which two tables say the same of a key with the same sequence
// number: a compaction of Pebble panics at that in a goroutine of its own, and ends the process. Some processes end in
// that way, and then one makes the store anew.
func TestProcessesThatPanic(t *testing.T) {
	if dir := os.Getenv("PAGODA_TEST_PANIC"); dir != "" {
		compactStore(t, dir)
		return
	}
	dir := t.TempDir()
	store := filepath.Join(dir, "store")
	recs := twice(t, store)
	ended := 0
	for ; ; ended++ {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProcessesThatPanic$")
		cmd.Env = append(os.Environ(), "PAGODA_TEST_PANIC="+dir)
		out, err := cmd.CombinedOutput()
		if err == nil {
			break
		}
		if !strings.Contains(string(out), "out of order") || ended == maxUnclosed {
			t.Fatalf("process %d: %v\n%s", ended, err, out)
		}
	}
	if ended != maxUnclosed {
		t.Errorf("%d processes ended", ended)
	}
	s, err := Open(store, testRun, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, s)
	if held := heldAfter(t, s, recs); len(held) != len(recs) {
		t.Errorf("%d of %d windows are left", len(held), len(recs))
	}
}

// compactStore opens the store in dir, or makes it anew when it is damaged, and compacts it.
func compactStore(t *testing.T, dir string) {
	store, fresh := filepath.Join(dir, "store"), filepath.Join(dir, "fresh")
	s, err := Open(store, testRun, Options{})
	if errors.Is(err, ErrCorrupt) {
		fmt.Println(err)
		if _, err = SalvageStore(store, fresh, testRun, Options{}); err != nil {
			t.Fatal(err)
		}
		if err = Replace(store, fresh, filepath.Join(dir, "aside"), Options{}); err != nil {
			t.Fatal(err)
		}
		s, err = Open(store, testRun, Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	err = s.db.Compact(t.Context(), []byte{0}, []byte{0xff}, false)
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
}

// twice makes a store in dir whose key for its identity is in two tables with one sequence number, and returns what is
// in it. A store whose manifest had lost its second record became like this, before stores checked that.
func twice(t *testing.T, dir string) []Record {
	t.Helper()
	mem := vfs.NewMem()
	recs := sessions(t, mem, 1)
	closed(t, openTest(t, mem)) // so that the manifest alone has the last sequence number
	manifest := ""
	names, err := mem.List("store")
	for _, name := range names {
		if strings.HasPrefix(name, "MANIFEST-") {
			manifest = max(manifest, name)
		}
	}
	if err = errors.Join(err, mem.Remove("store/"+guard.ChecksumsName), mem.Remove("store/"+openedName)); err != nil {
		t.Fatal(err)
	}
	b := readFile(t, mem, "store/"+manifest)
	second := 7 + int(b[4]) + int(b[5])<<8 // behind the first record and its header
	b[second+7] ^= 0x10
	if ok, err := vfs.Clone(mem, vfs.Default, "store", dir); !ok || err != nil {
		t.Fatal(ok, err)
	}
	db, err := pebble.Open(dir, &pebble.Options{
		FormatMajorVersion: pebbleFormat, Logger: quiet{}, DisableAutomaticCompactions: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := db.Get([]byte{keyMeta}); !errors.Is(err, pebble.ErrNotFound) {
		t.Fatalf("the key is visible: %v", err)
	}
	meta := fmt.Sprintf(`{"format":%d,"kind":%q,"run":%q}`, StoreVersion, kindWindows, testRun)
	err = db.Set([]byte{keyMeta}, []byte(meta), pebble.Sync)
	for range 100 { // until what is in the other table can be seen again
		err = errors.Join(err, db.Delete([]byte{0xff}, pebble.Sync))
	}
	if err = errors.Join(err, db.Flush(), db.Close()); err != nil {
		t.Fatal(err)
	}
	return recs
}
