package guard

import (
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/puzzle/blocks"
)

// write writes a file.
func write(tb testing.TB, fsys vfs.FS, name, content string) {
	tb.Helper()
	f, err := fsys.Create(name, vfs.WriteCategoryUnspecified)
	if err == nil {
		_, err = f.Write([]byte(content))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		tb.Fatal(err)
	}
}

// closedFolder returns a disk with a closed folder, which has a table, a log and a file of another kind.
func closedFolder(tb testing.TB) *vfs.MemFS {
	tb.Helper()
	mem := vfs.NewMem()
	if err := mem.MkdirAll("store", 0o755); err != nil {
		tb.Fatal(err)
	}
	disk := New(mem, "store", ".seg")
	write(tb, disk, "store/000004.sst", "a table")
	write(tb, disk, "store/000005.log", "a log")
	write(tb, disk, "store/00000001.seg", "blocks")
	if err := errors.Join(WriteChecksums(disk, "store"), disk.Err()); err != nil {
		tb.Fatal(err)
	}
	return mem
}

// TestCheckClosed: a folder is as it was closed, or the error names the changed file. Files other than the database's
// may change.
func TestCheckClosed(t *testing.T) {
	for name, test := range map[string]struct {
		change func(mem *vfs.MemFS)
		sound  bool
	}{
		"nothing":         {func(*vfs.MemFS) {}, true},
		"a segment":       {func(mem *vfs.MemFS) { write(t, mem, "store/00000001.seg", "other blocks") }, true},
		"a table":         {func(mem *vfs.MemFS) { write(t, mem, "store/000004.sst", "a cable") }, false},
		"a table more":    {func(mem *vfs.MemFS) { write(t, mem, "store/000006.sst", "a table") }, false},
		"no log":          {func(mem *vfs.MemFS) { _ = mem.Remove("store/000005.log") }, false},
		"the sums":        {func(mem *vfs.MemFS) { write(t, mem, "store/"+ChecksumsName, "pagoda checksums 1\n") }, false},
		"a crash instead": {func(mem *vfs.MemFS) { _ = mem.Remove("store/" + ChecksumsName) }, true},
	} {
		mem := closedFolder(t)
		test.change(mem)
		closed, err := CheckClosed(New(mem, "store", ".seg"), "store")
		if (err == nil) != test.sound || err != nil && !errors.Is(err, blocks.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
		if crash := name == "a crash instead"; err == nil && closed == crash {
			t.Errorf("%s: closed %t", name, closed)
		}
	}
}

// TestSumsAreOfWhatWasWritten: damage between the writing of a file and the closing of its folder is not vouched for.
func TestSumsAreOfWhatWasWritten(t *testing.T) {
	mem := vfs.NewMem()
	if err := mem.MkdirAll("store", 0o755); err != nil {
		t.Fatal(err)
	}
	disk := New(mem, "store", ".seg")
	write(t, disk, "store/000004.tmp", "a table")
	if err := disk.Rename("store/000004.tmp", "store/000004.sst"); err != nil {
		t.Fatal(err)
	}
	write(t, mem, "store/000004.sst", "a cable")
	if err := WriteChecksums(disk, "store"); err != nil {
		t.Fatal(err)
	}
	if _, err := CheckClosed(New(mem, "store", ".seg"), "store"); !errors.Is(err, blocks.ErrCorrupt) {
		t.Errorf("a file that was changed behind the guard: %v", err)
	}
}

// FuzzDecodeChecksums reads arbitrary bytes as the checksums of a folder.
func FuzzDecodeChecksums(f *testing.F) {
	file, err := closedFolder(f).Open("store/" + ChecksumsName)
	if err != nil {
		f.Fatal(err)
	}
	b := make([]byte, 4096)
	n, _ := file.ReadAt(b, 0)
	_ = file.Close()
	f.Add(b[:n])
	f.Fuzz(func(t *testing.T, b []byte) {
		sums, err := decodeChecksums(b)
		if err != nil && !errors.Is(err, blocks.ErrCorrupt) {
			t.Fatal(err)
		}
		for _, s := range sums {
			if !DatabaseFile(s.name) {
				t.Fatalf("file %q", s.name)
			}
		}
	})
}
