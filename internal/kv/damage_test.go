package kv

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/kv/guard"
)

// sessions fills a store in several sessions, each of which writes its part and drops one window of the one before, and
// returns the records that are left.
func sessions(t *testing.T, fsys vfs.FS, n int) []Record {
	t.Helper()
	var recs []Record
	for session := range n {
		s := openTest(t, fsys)
		for part := range 20 {
			w := testWindow(1, 20*session+part, 1)
			recs = append(recs, mustWrite(t, s, w, testBlocks(w, 2, uint64(part)), testTally(1)))
		}
		if session > 0 {
			if err := s.Drop(recs[0].ID()); err != nil {
				t.Fatal(err)
			}
			recs = recs[1:]
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return recs
}

// clone copies the files of a folder in memory.
func clone(t *testing.T, from vfs.FS) *vfs.MemFS {
	t.Helper()
	to := vfs.NewMem()
	if ok, err := vfs.Clone(from, to, "store", "store"); !ok || err != nil {
		t.Fatal(ok, err)
	}
	return to
}

// heldAfter opens the store and returns the parts of the windows that it can read.
func heldAfter(t *testing.T, s *Store, recs []Record) (parts []int) {
	t.Helper()
	for _, rec := range recs {
		if err := s.Verify(t.Context(), rec); err == nil {
			parts = append(parts, rec.Part)
		} else if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrNotFound) {
			t.Fatalf("window %s: %v", rec.Window, err)
		}
	}
	return parts
}

// TestDamagedFile flips bits, cuts, removes and exchanges the files of the database of a closed store. The damage is
// always found when the store is opened, to write or only to read. The salvaged store has every window, or most of them
// when the file is a table.
func TestDamagedFile(t *testing.T) {
	mem := vfs.NewMem()
	recs := sessions(t, mem, 3)
	names, err := guard.DatabaseFiles(mem, "store")
	if err != nil {
		t.Fatal(err)
	}
	names = append(names, guard.ChecksumsName)
	data := func(fsys vfs.FS, name string) []byte {
		return readFile(t, fsys.(*vfs.MemFS), fsys.PathJoin("store", name))
	}
	damages := map[string]func(fsys *vfs.MemFS, name string) bool{
		"missing": func(fsys *vfs.MemFS, name string) bool {
			return name != guard.ChecksumsName && fsys.Remove(fsys.PathJoin("store", name)) == nil
		},
		"exchanged": func(fsys *vfs.MemFS, name string) bool {
			i := slices.Index(names, name)
			other := names[(i+1)%len(names)]
			a, b := slices.Clone(data(fsys, name)), slices.Clone(data(fsys, other))
			if string(a) == string(b) {
				return false
			}
			replaceFile(t, fsys, fsys.PathJoin("store", name), b)
			replaceFile(t, fsys, fsys.PathJoin("store", other), a)
			return true
		},
		"cut": func(fsys *vfs.MemFS, name string) bool {
			b := slices.Clone(data(fsys, name))
			if len(b) == 0 {
				return false
			}
			replaceFile(t, fsys, fsys.PathJoin("store", name), b[:len(b)-1])
			return true
		},
	}
	for i := range 5 {
		damages[fmt.Sprintf("bit %d", i)] = func(fsys *vfs.MemFS, name string) bool {
			b := data(fsys, name)
			if len(b) > 0 {
				b[i*(len(b)-1)/4] ^= 1 << i
			}
			return len(b) > 0
		}
	}
	for _, name := range names {
		for what, damage := range damages {
			fsys := clone(t, mem)
			if !damage(fsys, name) {
				continue
			}
			at := fmt.Sprintf("file %s, %s", name, what)
			for _, readOnly := range []bool{true, false} {
				err := opened("store", testRun, Options{FS: fsys, ReadOnly: readOnly})
				if !errors.Is(err, ErrCorrupt) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s: opened read-only %t: %v", at, readOnly, err)
				}
			}
			n, err := SalvageStore("store", "fresh", testRun, Options{FS: fsys})
			if err != nil {
				t.Errorf("%s: %v", at, err)
				continue
			}
			s, err := Open("fresh", testRun, Options{FS: fsys})
			if err != nil {
				t.Errorf("%s: %v", at, err)
				continue
			}
			held := heldAfter(t, s, recs)
			lost := len(recs) - len(held)
			if lost > 0 && !strings.HasSuffix(name, ".sst") && what != "exchanged" || n < len(held) {
				t.Errorf("%s: %d records, %d of %d windows", at, n, len(held), len(recs))
			}
			closed(t, s)
		}
	}
}

// TestDamagedManifestAfterCrash flips every byte of the manifest of a store that was not closed. When it opens all the
// same it has to keep later writes. Pebble takes the bytes after a damaged record for an end that a crash has cut off.
// Without the second record it would then give out the sequence numbers a second time: old records would hide new ones,
// and a compaction would panic.
func TestDamagedManifestAfterCrash(t *testing.T) {
	mem := vfs.NewMem()
	recs := sessions(t, mem, 1) // one table, which has not been compacted
	closed(t, openTest(t, mem)) // with nothing to replay, so that the manifest alone has the last sequence number
	if err := mem.Remove("store/" + guard.ChecksumsName); err != nil {
		t.Fatal(err)
	}
	names, err := guard.DatabaseFiles(mem, "store")
	if err != nil {
		t.Fatal(err)
	}
	refused, opened := 0, 0
	for _, name := range names {
		if !strings.HasPrefix(name, "MANIFEST-") {
			continue
		}
		for i := range readFile(t, mem, mem.PathJoin("store", name)) {
			fsys := clone(t, mem)
			readFile(t, fsys, fsys.PathJoin("store", name))[i] ^= 0x10
			s, err := Open("store", testRun, Options{FS: fsys})
			if errors.Is(err, ErrCorrupt) {
				refused++
				continue
			} else if err != nil {
				t.Fatalf("%s, byte %d: %v", name, i, err)
			}
			opened++
			held := heldAfter(t, s, recs)
			var again []Record
			for j, rec := range recs[:5] {
				again = append(again, mustWrite(t, s, rec.Window, testBlocks(rec.Window, 2, uint64(40+j)), testTally(2)))
			}
			gone := recs[5].ID()
			key := []byte{keyMeta}
			value, _, err := s.get(key)
			err = errors.Join(err, s.Drop(gone), s.db.Set(key, value, pebble.Sync), s.db.Flush(),
				s.db.Compact(t.Context(), []byte{0}, []byte{0xff}, false))
			if err != nil {
				t.Fatalf("%s, byte %d: %v", name, i, err)
			}
			for _, rec := range again {
				if err := s.Verify(t.Context(), rec); err != nil {
					t.Errorf("%s, byte %d: written again: %v", name, i, err)
				}
			}
			if _, found, err := s.Record(gone); found || err != nil {
				t.Errorf("%s, byte %d: a dropped window is found: %v", name, i, err)
			}
			if rest := heldAfter(t, s, recs[6:]); len(rest) < len(held)-6 {
				t.Errorf("%s, byte %d: of %d windows %d are left", name, i, len(held), len(rest))
			}
			closed(t, s)
		}
	}
	if refused == 0 || opened == 0 {
		t.Errorf("%d refused, %d opened", refused, opened)
	}
}

// TestMissingMarker: a folder whose marker is gone is not a new one.
func TestMissingMarker(t *testing.T) {
	mem := vfs.NewMem()
	recs := sessions(t, mem, 2)
	names, err := guard.DatabaseFiles(mem, "store")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.HasPrefix(name, "marker.") && name != "MANIFEST-000007" {
			continue
		}
		fsys := clone(t, mem)
		for _, gone := range []string{guard.ChecksumsName, name} {
			if err := fsys.Remove(fsys.PathJoin("store", gone)); err != nil {
				t.Fatal(err)
			}
		}
		if err := opened("store", testRun, Options{FS: fsys}); !errors.Is(err, ErrCorrupt) {
			t.Errorf("without %s: %v", name, err)
		}
		if n, err := SalvageStore("store", "fresh", testRun, Options{FS: fsys}); err != nil || n < len(recs) {
			t.Errorf("%d records, %v", n, err)
		}
	}
}

// TestFolderRemoved removes the folder of an open store: operations fail from then on, and nothing panics.
func TestFolderRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s, err := Open(dir, testRun, Options{MemTableBytes: 256 << 10, segmentBytes: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	for part := range 50 {
		w := testWindow(1, part, 1)
		mustWrite(t, s, w, testBlocks(w, 100, uint64(part)), testTally(1))
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	failed := false
	for part := range 5000 {
		w := testWindow(2, part, 1)
		_, err := write(s, w, testBlocks(w, 100, uint64(part)), testTally(1))
		if failed = failed || err != nil; failed {
			break
		}
		err = errors.Join(s.Drop(testWindow(1, part, 1).ID()), s.Records(func(Record) error { return nil }))
		if err != nil {
			t.Logf("part %d: %v", part, err)
		}
	}
	_ = s.db.Flush()
	err = s.Close()
	if !failed || err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("writing failed %t, close: %v", failed, err)
	}
}

// TestSalvageLogs: what only the last log of a ledger has is salvaged, too.
func TestSalvageLogs(t *testing.T) {
	mem := vfs.NewCrashableMem()
	l := openTestLedger(t, mem)
	defer closed(t, l)
	if err := l.Append([]Entry{testEntry(0, "a"), testEntry(1, "a")}); err != nil {
		t.Fatal(err)
	}
	left := mem.CrashClone(vfs.CrashCloneCfg{})
	if n, err := SalvageLedger("ledger", "fresh", testRun, Options{FS: left}); n != 2 || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
}

// TestReplace: a folder that has taken the place of another is there after a crash, and the other beside it.
func TestReplace(t *testing.T) {
	mem := vfs.NewCrashableMem()
	o := Options{FS: mem}
	for part, dir := range []string{"/r/old", "/r/fresh", "/r/aside"} {
		l, err := OpenLedger(dir, testRun, o)
		if err == nil {
			err = errors.Join(l.Append([]Entry{testEntry(part, "w")}), l.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := Replace("/r/old", "/r/fresh", "/r/aside", o); err != nil {
		t.Fatal(err)
	}
	left := mem.CrashClone(vfs.CrashCloneCfg{})
	if there, err := exists(left, "/r/fresh"); there || err != nil {
		t.Errorf("the fresh folder is in its old place: %t, %v", there, err)
	}
	for part, dir := range []string{"/r/aside", "/r/old"} {
		l, err := OpenLedger(dir, testRun, Options{FS: left})
		if err != nil {
			t.Fatal(err)
		}
		if got := loadAll(t, l); len(got) != 1 || got[testEntry(part).Record.ID()] == nil {
			t.Errorf("%s has %v", dir, got)
		}
		closed(t, l)
	}
}

// TestSalvageLedger loses the manifest of a ledger: entries, audits, suspects, values and the epoch are still there.
func TestSalvageLedger(t *testing.T) {
	mem := vfs.NewMem()
	l, err := OpenLedger("store", testRun, Options{FS: mem})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open("rows", testRun, Options{FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	var entries []Entry
	for part := range 3 {
		w := testWindow(1, part, 1)
		rec := mustWrite(t, s, w, testBlocks(w, 2, 1), testTally(1))
		entries = append(entries, Entry{Record: rec, Holders: []string{"a"}})
	}
	audited := entries[0].Record.ID()
	err = errors.Join(l.Append(entries, Audit{Window: audited}), l.SetMeta("name", []byte("value")))
	if _, rerr := l.RaiseEpoch(6); errors.Join(err, rerr, l.Forget(entries[2].Record.ID())) != nil {
		t.Fatal(err, rerr)
	}
	key, _, err := l.get(auditKey(audited))
	err = errors.Join(err, l.db.Set(suspectKey(audited), key, pebble.Sync), l.Close(),
		mem.Remove("store/MANIFEST-000001"))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := SalvageLedger("store", "fresh", testRun, Options{FS: mem}); n != 2 || err != nil {
		t.Fatalf("%d entries, %v", n, err)
	}
	l, err = OpenLedger("fresh", testRun, Options{FS: mem})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, s)
	n := 0
	err = l.Load(func(e Entry) error {
		n++
		if e.Record.Digest != entries[e.Record.Part].Record.Digest || !slices.Equal(e.Holders, []string{"a"}) {
			t.Errorf("entry %+v", e)
		}
		return nil
	})
	due, err2 := l.AuditsDue()
	epoch, err3 := l.Epoch()
	value, _, err4 := l.Meta("name")
	_, suspect, err5 := l.get(suspectKey(audited))
	if err := errors.Join(err, err2, err3, err4, err5, l.Close()); err != nil || n != 2 || len(due) != 1 || epoch != 7 ||
		string(value) != "value" || !suspect {
		t.Errorf("%d entries, %d audits, epoch %d, value %q, suspect %t, %v", n, len(due), epoch, value, suspect, err)
	}
}
