package kv

import (
	"errors"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"pagoda/internal/kv/kvtest"
	"pagoda/internal/puzzle"
)

// faultSessions is how many times a folder is opened while the disk may fail.
const faultSessions = 2

// faultStep is the distance of the operations that fail.
func faultStep() int {
	if testing.Short() {
		return 3
	}
	return 1
}

// TestFaultOfStore has the disk fail once, at each operation in turn of the life of a store. A window whose commit was
// confirmed is there afterwards, whether or not a later call fails.
func TestFaultOfStore(t *testing.T) {
	for n, met := 0, true; met; n += faultStep() {
		mem := vfs.NewMem()
		fsys, reached := kvtest.FaultAt(mem, "", n)
		confirmed := map[int]Record{}
		var err error
		for session := 0; session < faultSessions && err == nil; session++ {
			var s *Store
			if s, err = Open("store", testRun, Options{FS: fsys, segmentBytes: 8 << 10}); err != nil {
				break
			}
			for part := 4 * session; part < 4*session+4 && err == nil; part++ {
				w := testWindow(1, part, 1)
				var rec Record
				if rec, err = write(s, w, testBlocks(w, 500, uint64(part)), testTally(1)); err == nil {
					confirmed[part] = rec
				}
			}
			if err == nil {
				delete(confirmed, 4*session)
				err = s.Drop(testWindow(1, 4*session, 1).ID())
			}
			err = errors.Join(err, s.Close())
		}
		met = reached()
		s, oerr := Open("store", testRun, Options{FS: mem})
		if oerr != nil {
			t.Fatalf("fault %d (%v): open again: %v", n, err, oerr)
		}
		for part, rec := range confirmed {
			if verr := s.Verify(t.Context(), rec); verr != nil {
				t.Errorf("fault %d (%v): window %d: %v", n, err, part, verr)
			}
		}
		records := 0
		rerr := s.Records(func(Record) error { records++; return nil })
		if rerr != nil || err == nil && records != 3*faultSessions {
			t.Errorf("fault %d (%v): %d records, %v", n, err, records, rerr)
		}
		closed(t, s)
	}
}

// TestFaultOfLedger is TestFaultOfStore for a ledger.
func TestFaultOfLedger(t *testing.T) {
	id := func(part int) puzzle.WindowID { return testEntry(part).Record.ID() }
	for n, met := 0, true; met; n += faultStep() {
		mem := vfs.NewMem()
		fsys, reached := kvtest.FaultAt(mem, "", n)
		confirmed := 0
		var fault error
		for session := 0; session < faultSessions && fault == nil; session++ {
			var l *Ledger
			if l, fault = OpenLedger("ledger", testRun, Options{FS: fsys}); fault != nil {
				break
			}
			for _, change := range []func() error{
				func() error {
					return l.Append([]Entry{testEntry(session, "w"), testEntry(5, "w")}, Audit{Window: id(session)})
				},
				func() error { return l.SetHolders(id(session), []string{"v"}) },
				func() error { return l.Unhold(id(5)) },
				func() error { return l.SetMeta("name", []byte{byte(session)}) },
				func() error {
					return l.Distrust(Distrust{Suspect: []puzzle.WindowID{id(session)}, Refuse: []Refusal{{Worker: "x"}}})
				},
			} {
				if fault = change(); fault != nil {
					break
				}
				confirmed++
			}
			fault = errors.Join(fault, l.Close())
		}
		met = reached()
		l, err := OpenLedger("ledger", testRun, Options{FS: mem})
		if err != nil {
			t.Fatalf("fault %d (%v): open again: %v", n, fault, err)
		}
		session, step := confirmed/5, confirmed%5
		demand := func(steps int, what string, ok bool, err error) {
			t.Helper()
			if err != nil || step >= steps && !ok && session < faultSessions {
				t.Errorf("fault %d (%v): after %d changes: %s: %v", n, fault, confirmed, what, err)
			}
		}
		entry, found, err := l.Entry(id(session))
		demand(1, "the entry is gone", found, err)
		demand(2, "the holders are others", len(entry.Holders) == 1 && entry.Holders[0] == "v", nil)
		entry, found, err = l.Entry(id(5))
		demand(1, "the entry of both sessions is gone", found, err)
		demand(3, "it has holders", found && len(entry.Holders) == 0, nil)
		value, found, err := l.Meta("name")
		demand(4, "the value is another", found && value[0] == byte(session), err)
		refused, err := l.Refused()
		demand(0, "refusals are gone", len(refused) >= session, err)
		if all := loadAll(t, l); fault == nil && len(all) != 1+faultSessions {
			t.Errorf("fault %d (%v): entries %v", n, fault, all)
		}
		closed(t, l)
	}
}

// foldersInMemory makes a closed store of two windows, and two folders.
func foldersInMemory(t *testing.T) *vfs.MemFS {
	t.Helper()
	mem := vfs.NewMem()
	s := openTest(t, mem)
	for part := range 2 {
		w := testWindow(1, part, 1)
		mustWrite(t, s, w, testBlocks(w, 100, uint64(part)), testTally(1))
	}
	closed(t, s)
	for _, dir := range []string{"/r/dir", "/r/fresh"} {
		if err := mem.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return mem
}

// TestFaultIsTold: what looks at files or changes them says so when the disk fails, whichever operation it is.
func TestFaultIsTold(t *testing.T) {
	nothing := func() error { return nil }
	for what, do := range map[string]func(fsys vfs.FS) error{
		"replace": func(fsys vfs.FS) error { return Replace("/r/dir", "/r/fresh", "/r/aside", Options{FS: fsys}) },
		"recover": func(fsys vfs.FS) error { return Recover("/r/none", "/r/fresh", "/r/dir", Options{FS: fsys}) },
		"make":    func(fsys vfs.FS) error { return MakeFolder("/r/a/b/c", Options{FS: fsys}) },
		"remove":  func(fsys vfs.FS) error { return Remove("/r/dir", Options{FS: fsys}) },
		"exists": func(fsys vfs.FS) error {
			_, err := Exists("/r/dir", Options{FS: fsys})
			return err
		},
		"check the manifest": func(fsys vfs.FS) error { return checkManifest(fsys, "store") },
		"unmake":             func(fsys vfs.FS) error { return unmake(fsys, "store") },
		"count an opening":   func(fsys vfs.FS) error { return countOpening(fsys, "/r/dir", true) },
		"load and remove segments": func(fsys vfs.FS) error {
			g := newSegments(fsys, "store", 0, nothing)
			if err := g.load(); err != nil {
				return err
			}
			return g.removeUnused()
		},
		"write segments": func(fsys vfs.FS) error {
			g := newSegments(fsys, "/r/dir", 4, nothing)
			defer g.close()
			for range 4 { // a new segment each time, but for the third time: the first is spare by then
				e, err := g.write([]byte("four"))
				if err == nil {
					err = g.sync([]extent{e})
				}
				if err != nil {
					return err
				}
				if e.segment == 1 {
					g.release([]extent{e})
				}
			}
			for number := range g.all {
				g.release([]extent{{segment: number, length: 4}})
			}
			return g.trim(0)
		},
	} {
		for n := 0; ; n++ {
			mem := foldersInMemory(t)
			fsys, met := kvtest.FaultAt(mem, "", n)
			err := do(fsys)
			if met() != errors.Is(err, syscall.EIO) || !met() && err != nil {
				t.Errorf("%s, fault %d: %v", what, n, err)
			}
			if what == "replace" { // a Replace that was cut off between its two names can be finished
				if rerr := Recover("/r/dir", "/r/fresh", "/r/aside", Options{FS: mem}); rerr != nil {
					t.Errorf("recover after fault %d: %v", n, rerr)
				}
				if there, rerr := Exists("/r/dir", Options{FS: mem}); !there || rerr != nil {
					t.Errorf("after fault %d (%v) the folder is there: %t, %v", n, err, there, rerr)
				}
			}
			if !met() {
				break
			}
		}
	}
	if _, err := countRecords(iotest.ErrReader(syscall.EIO)); !errors.Is(err, syscall.EIO) {
		t.Errorf("a manifest that cannot be read: %v", err)
	}
}

// TestFaultOfSalvage: a salvage that meets a fault in the new folder says so, or has made it whole all the same.
func TestFaultOfSalvage(t *testing.T) {
	for n, met := 0, true; met; n++ {
		mem := foldersInMemory(t)
		fsys, reached := kvtest.FaultAt(mem, "fresh", n)
		records, err := SalvageStore("store", "fresh", testRun, Options{FS: fsys})
		met = reached()
		if err != nil {
			if !met || !errors.Is(err, syscall.EIO) || records != 0 {
				t.Errorf("fault %d: %d records, %v", n, records, err)
			}
			continue
		}
		s, err := Open("fresh", testRun, Options{FS: mem})
		if err != nil {
			t.Fatalf("fault %d: %v", n, err)
		}
		whole := 0
		if err := s.Records(func(rec Record) error { whole++; return s.Verify(t.Context(), rec) }); err != nil ||
			whole != 2 || records != 2 {
			t.Errorf("fault %d: %d records, %d whole windows: %v", n, records, whole, err)
		}
		closed(t, s)
	}
}

// TestUnreadLedger: when the disk does not read, a ledger has an error for every question, and for every change of
// an entry.
func TestUnreadLedger(t *testing.T) {
	var bad atomic.Bool
	fsys := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if bad.Load() && (op.Kind == errorfs.OpFileRead || op.Kind == errorfs.OpFileReadAt) {
			return syscall.EIO
		}
		return nil
	}))
	l := openTestLedger(t, fsys)
	e := testEntry(1, "w")
	id := e.Record.ID()
	// The table knows its first and last key. So there is a key of each kind, or some look-ups would not read it.
	d := Distrust{Refuse: []Refusal{{Worker: "x"}}, Suspect: []puzzle.WindowID{id}}
	_, err := l.Secret()
	if err = errors.Join(err, l.Append([]Entry{e}, Audit{Window: id}), l.Distrust(d), l.Close()); err != nil {
		t.Fatal(err)
	}
	l, err = OpenLedger("ledger", testRun, Options{FS: fsys, CacheBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, l)
	bad.Store(true)
	for what, err := range ledgerErrors(l, id) {
		if !errors.Is(err, syscall.EIO) {
			t.Errorf("%s: %v", what, err)
		}
	}
	bad.Store(false)
}

// TestClosedLedger: a closed ledger has an error for everything.
func TestClosedLedger(t *testing.T) {
	l := openTestLedger(t, vfs.NewMem())
	closed(t, l)
	id := testEntry(1).Record.ID()
	all := ledgerErrors(l, id)
	all["forget"], all["set meta"] = l.Forget(id), l.SetMeta("name", nil)
	for what, err := range all {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// ledgerErrors returns the errors of everything that reads a ledger.
func ledgerErrors(l *Ledger, id puzzle.WindowID) map[string]error {
	_, epochErr := l.Epoch()
	_, raiseErr := l.RaiseEpoch(7)
	_, _, metaErr := l.Meta("name")
	_, _, entryErr := l.Entry(id)
	_, secretErr := l.Secret()
	_, refusedErr := l.Refused()
	return map[string]error{
		"epoch": epochErr, "raise the epoch": raiseErr, "meta": metaErr, "entry": entryErr, "secret": secretErr,
		"refused": refusedErr, "load": loadError(l), "audits": auditsError(l), "suspects": suspectsError(l),
		"unhold": l.Unhold(id), "set holders": l.SetHolders(id, nil), "distrust": l.Distrust(Distrust{}),
		"append": l.Append([]Entry{testEntry(1)}), "note": l.Append(nil, Audit{Window: id, Done: true}),
	}
}
