package kv

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
)

func openTestLedger(t testing.TB, fs vfs.FS) *Ledger {
	t.Helper()
	l, err := OpenLedger("ledger", testRun, Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func testEntry(part int, holders ...string) Entry {
	w := testWindow(part/5, part%5, 1)
	return Entry{Record: Record{Run: testRun, Window: w, Rows: 9, Blocks: 1, Bytes: 100, Digest: blocks.Digest{byte(part)},
		Tally: testTally(uint64(part))}, Holders: holders}
}

func loadAll(t testing.TB, l *Ledger) map[puzzle.WindowID][]string {
	t.Helper()
	got := map[puzzle.WindowID][]string{}
	err := l.Load(func(e Entry) error { got[e.Record.ID()] = e.Holders; return nil })
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestLedgerAgainstMap runs random operations on a ledger and on a map; every reopening is after a crash that loses all
// that was not synced.
func TestLedgerAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fs := vfs.NewCrashableMem()
		l, err := OpenLedger("ledger", testRun, Options{FS: fs})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		want := map[puzzle.WindowID][]string{}
		due := map[puzzle.WindowID]bool{}
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"w1", "w2", "w3"}), 0, 4)
		part := rapid.IntRange(0, 11)
		union := func(id puzzle.WindowID, add []string) {
			want[id] = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(add), want[id]...))))
		}
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				var entries []Entry
				for _, p := range rapid.SliceOfN(part, 0, 5).Draw(t, "parts") {
					e := testEntry(p, names.Draw(t, "holders")...)
					entries = append(entries, e)
					union(e.Record.ID(), e.Holders)
				}
				var audits []Audit
				for _, p := range rapid.SliceOfN(part, 0, 3).Draw(t, "audits") {
					a := Audit{testEntry(p).Record.ID(), rapid.Bool().Draw(t, "done")}
					audits = append(audits, a)
					if due[a.Window] = true; a.Done {
						delete(due, a.Window)
					}
				}
				if err := l.Append(entries, audits...); err != nil {
					t.Fatal(err)
				}
			},
			"forget": func(t *rapid.T) {
				id := testEntry(part.Draw(t, "part")).Record.ID()
				if err := l.Forget(id); err != nil {
					t.Fatal(err)
				}
				delete(want, id)
				delete(due, id)
			},
			"set holders": func(t *rapid.T) {
				id, h := testEntry(part.Draw(t, "part")).Record.ID(), names.Draw(t, "holders")
				err := l.SetHolders(id, h)
				if _, found := want[id]; found != (err == nil) || !found && !errors.Is(err, ErrNotFound) {
					t.Fatal(err)
				} else if found {
					want[id] = slices.Compact(slices.Sorted(slices.Values(h)))
				}
			},
			"crash": func(t *rapid.T) {
				clone := fs.CrashClone(vfs.CrashCloneCfg{})
				if err := l.Close(); err != nil {
					t.Fatal(err)
				}
				fs = clone
				if l, err = OpenLedger("ledger", testRun, Options{FS: fs}); err != nil {
					t.Fatal(err)
				}
			},
			"": func(t *rapid.T) {
				n := 0
				err := l.Load(func(e Entry) error {
					n++
					if h, ok := want[e.Record.ID()]; !ok || !slices.Equal(h, e.Holders) {
						return fmt.Errorf("window %s: holders %v, want %v", e.Record.Window, e.Holders, h)
					}
					return nil
				})
				if err != nil || n != len(want) {
					t.Fatalf("%d entries, want %d: %v", n, len(want), err)
				}
				left, err := l.AuditsDue()
				for _, id := range left {
					if !due[id] {
						t.Fatalf("the audit of window %s is due", id)
					}
				}
				if err != nil || len(left) != len(due) {
					t.Fatalf("%d audits are due, want %d: %v", len(left), len(due), err)
				}
			},
		})
	})
}

func TestLedgerConflict(t *testing.T) {
	l := openTestLedger(t, vfs.NewMem())
	defer closed(t, l)
	good := testEntry(1, "w1")
	if err := l.Append([]Entry{good}); err != nil {
		t.Fatal(err)
	}
	coded := good
	coded.Record.Bytes++ // another coding of the same content
	if err := l.Append([]Entry{coded}); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Record){
		"digest":   func(r *Record) { r.Digest[5] = 7 },
		"tally":    func(r *Record) { r.Tally = testTally(99) },
		"rows":     func(r *Record) { r.Rows++ },
		"position": func(r *Record) { r.First++ },
	} {
		bad := testEntry(1, "w2")
		change(&bad.Record)
		var ce *ConflictError
		err := l.Append([]Entry{testEntry(2), bad})
		if !errors.Is(err, ErrConflict) || !errors.As(err, &ce) ||
			!strings.Contains(err.Error(), good.Record.Digest.String()) ||
			!strings.Contains(err.Error(), bad.Record.Digest.String()) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if got := loadAll(t, l); len(got) != 1 || !slices.Equal(got[good.Record.ID()], []string{"w1"}) {
		t.Errorf("a refused batch left something: %v", got)
	}
	// The same window twice in one batch, with different content.
	a, b := testEntry(3), testEntry(3)
	b.Record.Digest[0]++
	if err := l.Append([]Entry{a, b}); !errors.Is(err, ErrConflict) {
		t.Errorf("conflict in a batch: %v", err)
	}
	other := testEntry(4)
	other.Record.Run = "other"
	if err := l.Append([]Entry{other}); !errors.Is(err, ErrRun) {
		t.Errorf("another run's record: %v", err)
	}
	if err := l.Append([]Entry{testEntry(4, "no good")}); err == nil {
		t.Error("an improper holder was accepted")
	}
}

func TestLedgerMeta(t *testing.T) {
	fs := vfs.NewMem()
	l := openTestLedger(t, fs)
	if _, found, err := l.Meta("epoch"); found || err != nil {
		t.Errorf("found %v, error %v", found, err)
	}
	err := errors.Join(l.SetMeta("epoch", []byte("1")), l.SetMeta("epoch", []byte("2")), l.SetMeta("e", nil), l.Close())
	if err != nil {
		t.Fatal(err)
	}
	l = openTestLedger(t, fs)
	defer closed(t, l)
	if v, found, err := l.Meta("epoch"); string(v) != "2" || !found || err != nil {
		t.Errorf("%q, %v, %v", v, found, err)
	}
	if v, found, err := l.Meta("e"); len(v) != 0 || !found || err != nil {
		t.Errorf("%q, %v, %v", v, found, err)
	}
	if l.SetMeta("", nil) == nil {
		t.Error("an empty name was accepted")
	}
	if got := loadAll(t, l); len(got) != 0 {
		t.Errorf("values are taken for entries: %v", got)
	}
}

// TestLedgerConcurrentAppends: an append that finds its entries there returns only when they are durable, although it
// was another append that brought them.
func TestLedgerConcurrentAppends(t *testing.T) {
	fs := vfs.NewCrashableMem()
	l := openTestLedger(t, fs)
	defer closed(t, l)
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for part := range 20 {
				if err := l.Append([]Entry{testEntry(part)}); err != nil {
					t.Error(err)
					return
				}
				if worker > 0 && part%7 == 0 {
					after, err := OpenLedger("ledger", testRun, Options{FS: fs.CrashClone(vfs.CrashCloneCfg{})})
					if err != nil {
						t.Error(err)
						return
					}
					if _, found, err := after.Entry(testEntry(part).Record.ID()); !found || err != nil {
						t.Errorf("entry %d is lost in a crash: %v", part, err)
					}
					closed(t, after)
				}
			}
		})
	}
	wg.Wait()
	if got := loadAll(t, l); len(got) != 20 {
		t.Errorf("%d entries", len(got))
	}
}

// BenchmarkLedger appends one entry at a time to the disk under the temporary folder, as a coordinator does.
func BenchmarkLedger(b *testing.B) {
	l, err := OpenLedger(b.TempDir(), testRun, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer closed(b, l)
	part := 0
	for b.Loop() {
		part++
		if err := l.Append([]Entry{testEntry(part, "w1")}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestPeek peeks at a ledger while a writer takes it, writes and replaces its tables: a read returns the entries from
// before, or fails.
func TestPeek(t *testing.T) {
	fs := vfs.NewMem()
	fill := func(from, to int) {
		t.Helper()
		l := openTestLedger(t, fs)
		for part := from; part < to; part++ {
			if err := l.Append([]Entry{testEntry(part, "w1")}); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.db.Compact(t.Context(), []byte{0}, []byte{0xff}, false); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	fill(0, 5)
	peek, err := OpenLedger("ledger", testRun, Options{FS: fs, ReadOnly: true, Peek: true})
	if err != nil {
		t.Fatal(err)
	}
	fill(5, 10)
	seen := 0
	err = peek.Load(func(Entry) error { seen++; return nil })
	if err == nil && seen != 5 {
		t.Errorf("%d entries were seen without an error, of 5", seen)
	}
	if err := peek.Close(); err != nil {
		t.Error(err)
	}
	l := openTestLedger(t, fs)
	if err := opened("ledger", testRun, Options{FS: fs, ReadOnly: true, Peek: true}); !errors.Is(err, ErrLocked) {
		t.Errorf("a ledger that is written: %v", err)
	}
	if n := len(loadAll(t, l)); n != 10 {
		t.Errorf("%d entries of 10", n)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestMisplacedEntries: a right entry in the place of another one, or nonsense, is damage, and never no entry.
func TestMisplacedEntries(t *testing.T) {
	l := openTestLedger(t, vfs.NewMem())
	defer closed(t, l)
	e := testEntry(1, "w")
	b, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	foreign := testEntry(3, "w")
	foreign.Record.Run = "other"
	c, err := foreign.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for part, value := range map[int][]byte{2: b, 3: c, 4: []byte("nonsense")} {
		id := testEntry(part).Record.ID()
		if err := l.db.Set(entryKey(id), value, nil); err != nil {
			t.Fatal(err)
		}
		if _, found, err := l.Entry(id); found || !errors.Is(err, ErrCorrupt) {
			t.Errorf("entry %d: %t, %v", part, found, err)
		}
		if err := l.Unhold(id); !errors.Is(err, ErrCorrupt) {
			t.Errorf("entry %d is held by none: %v", part, err)
		}
		if err := l.Load(func(Entry) error { return nil }); !errors.Is(err, ErrCorrupt) {
			t.Errorf("entry %d is loaded: %v", part, err)
		}
	}
}

// TestSecret: each ledger has a secret of its own, which stays.
func TestSecret(t *testing.T) {
	secrets := make(map[string]bool)
	for range 2 {
		fs := vfs.NewMem()
		var first []byte
		for range 2 {
			l := openTestLedger(t, fs)
			secret, err := l.Secret()
			if err != nil || len(secret) != secretBytes || first != nil && !bytes.Equal(secret, first) {
				t.Errorf("%x, %v, at first %x", secret, err, first)
			}
			first = secret
			closed(t, l)
		}
		secrets[string(first)] = true
	}
	if len(secrets) != 2 || secrets[string(make([]byte, secretBytes))] {
		t.Errorf("%d secrets of two ledgers: %v", len(secrets), secrets)
	}
}
