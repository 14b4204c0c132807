package kv

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/puzzle"
)

// TestDistrust: all consequences of wrong results are in the ledger when Distrust returns, and after a crash. A second
// finding adds to those of the first.
func TestDistrust(t *testing.T) {
	fs := vfs.NewCrashableMem()
	l := openTestLedger(t, fs)
	defer func() { closed(t, l) }()
	id := func(part int) puzzle.WindowID { return testEntry(part).Record.ID() }
	refused, err := l.Refused()
	suspects, serr := l.Suspects()
	if err != nil || serr != nil || refused != nil || len(suspects) > 0 {
		t.Fatalf("of a new ledger: %v, %v, %v, %v", refused, err, suspects, serr)
	}
	entries := []Entry{testEntry(0, "w"), testEntry(1, "w"), testEntry(2, "v"), testEntry(3, "v")}
	if err := l.Append(entries, Audit{Window: id(0)}, Audit{Window: id(3)}); err != nil {
		t.Fatal(err)
	}
	first := Refusal{Worker: "w", Window: "1.2", Reason: "wrong rows"}
	second := Refusal{Worker: "v", Window: "1.3", Reason: "wrong tally"}
	for _, d := range []Distrust{
		{Epoch: 3, Refuse: []Refusal{first}, Forget: []puzzle.WindowID{id(0), id(1)},
			Suspect: []puzzle.WindowID{id(0), id(1), id(7)}, Audit: []puzzle.WindowID{id(2), id(8)}},
		{Epoch: 5, Refuse: []Refusal{second}, Suspect: []puzzle.WindowID{id(7)}},
	} {
		if err := l.Distrust(d); err != nil {
			t.Fatal(err)
		}
	}
	after := fs.CrashClone(vfs.CrashCloneCfg{})
	closed(t, l)
	l = openTestLedger(t, after)
	if refused, err = l.Refused(); err != nil || !slices.Equal(refused, []Refusal{first, second}) {
		t.Errorf("refused: %v, %v", refused, err)
	}
	want := map[puzzle.WindowID]uint64{id(0): 3, id(1): 3, id(7): 5}
	if suspects, err = l.Suspects(); err != nil || !maps.Equal(suspects, want) {
		t.Errorf("suspects: %v, %v; want %v", suspects, err, want)
	}
	if due, err := l.AuditsDue(); err != nil || !slices.Equal(due, []puzzle.WindowID{id(2), id(3), id(8)}) {
		t.Errorf("audits: %v, %v", due, err)
	}
	if got := loadAll(t, l); len(got) != 2 || got[id(2)] == nil || got[id(3)] == nil {
		t.Errorf("entries: %v", got)
	}
}

// TestDamagedNotes: a note of a ledger that no version writes is damage, and never reads as no note.
func TestDamagedNotes(t *testing.T) {
	id := testEntry(1).Record.ID()
	epoch := make([]byte, 8)
	for what, c := range map[string]struct {
		key, value []byte
		read       func(*Ledger) error
	}{
		"refused workers": {append([]byte{keyInfo}, refusedName...), []byte("{"), func(l *Ledger) error {
			_, err := l.Refused()
			return errors.Join(err, l.Distrust(Distrust{Refuse: []Refusal{{Worker: "w"}}}))
		}},
		"epoch": {append([]byte{keyInfo}, epochName...), []byte("1"), func(l *Ledger) error {
			_, err := l.RaiseEpoch(0)
			return err
		}},
		"a suspect without its epoch": {suspectKey(id), nil, suspectsError},
		"a suspect with a longer key": {append(suspectKey(id), 0), epoch, suspectsError},
		"a suspect with a short key":  {suspectKey(id)[:3], epoch, suspectsError},
		"an audit with a longer key":  {append(auditKey(id), 0), nil, auditsError},
		"an audit with a short key":   {auditKey(id)[:3], nil, auditsError},
		"an entry with a longer key":  {append(entryKey(id), 0), nil, loadError},
		"an entry with a short key":   {entryKey(id)[:3], nil, loadError},
	} {
		l := openTestLedger(t, vfs.NewMem())
		if err := l.db.Set(c.key, c.value, nil); err != nil {
			t.Fatal(err)
		}
		if err := c.read(l); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", what, err)
		}
		closed(t, l)
	}
}

func suspectsError(l *Ledger) error {
	_, err := l.Suspects()
	return err
}

func auditsError(l *Ledger) error {
	_, err := l.AuditsDue()
	return err
}

func loadError(l *Ledger) error { return l.Load(func(Entry) error { return nil }) }

// TestHoldersChange: Unhold and SetHolders change the holders and nothing else of windows that the ledger has. With a
// window that it does not have, they change none.
func TestHoldersChange(t *testing.T) {
	l := openTestLedger(t, vfs.NewMem())
	defer closed(t, l)
	one, two, none := testEntry(1, "a", "b"), testEntry(2, "a"), testEntry(3).Record.ID()
	one.By = []string{"c"}
	if err := l.Append([]Entry{one, two}); err != nil {
		t.Fatal(err)
	}
	if err := l.Unhold(one.Record.ID(), none); !errors.Is(err, ErrNotFound) {
		t.Errorf("a window that is not there: %v", err)
	}
	if err := l.SetHolders(none, []string{"a"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("holders of a window that is not there: %v", err)
	}
	if got := loadAll(t, l); !slices.Equal(got[one.Record.ID()], []string{"a", "b"}) || len(got) != 2 {
		t.Errorf("a refused change left %v", got)
	}
	if err := l.Unhold(one.Record.ID(), two.Record.ID()); err != nil {
		t.Fatal(err)
	}
	e, found, err := l.Entry(one.Record.ID())
	if err != nil || !found || len(e.Holders) > 0 || !e.Record.Same(&one.Record) ||
		!slices.Equal(e.Reporters(), []string{"c"}) {
		t.Errorf("%+v, %t, %v", e, found, err)
	}
	if err := l.SetHolders(two.Record.ID(), []string{"b", "a", "b"}); err != nil {
		t.Fatal(err)
	}
	e, found, err = l.Entry(two.Record.ID())
	if err != nil || !found || !slices.Equal(e.Reporters(), []string{"a", "b"}) {
		t.Errorf("%+v, %t, %v", e, found, err)
	}
	if err := l.SetHolders(two.Record.ID(), []string{"no good"}); err == nil {
		t.Error("an improper holder was accepted")
	}
}

// TestNamesOfEntries: the names in an entry are proper, in order, none of them twice, and not too many.
func TestNamesOfEntries(t *testing.T) {
	many := make([]string, MaxHolders+1)
	for i := range many {
		many[i] = string([]byte{'a' + byte(i/676), 'a' + byte(i/26%26), 'a' + byte(i%26)})
	}
	for what, c := range map[string]struct {
		names []string
		ok    bool
	}{
		"none": {nil, true}, "ordered": {[]string{"a", "b"}, true}, "most": {many[:MaxHolders], true},
		"too many": {many, false}, "out of order": {[]string{"b", "a"}, false}, "twice": {[]string{"a", "a"}, false},
		"improper": {[]string{"a b"}, false}, "empty": {[]string{""}, false},
	} {
		held, by := testEntry(1, c.names...), testEntry(1)
		by.By = c.names
		for _, e := range []Entry{held, by} {
			b, err := e.Encode()
			if (err == nil) != c.ok {
				t.Errorf("%s: %v", what, err)
			}
			if err == nil {
				if _, err := DecodeEntry(b); err != nil {
					t.Errorf("%s: decode: %v", what, err)
				}
			}
		}
	}
	for bad, names := range map[string][]string{"a": {"b", "a"}, "b c": {"a", "b c"}} {
		if got, ok := orderedNames(names); ok || got != bad {
			t.Errorf("%q of %q is named, want %q", got, names, bad)
		}
	}
	bad := testEntry(1)
	bad.Record.Rows = bad.Record.Addresses + 1
	if _, err := bad.Encode(); err == nil {
		t.Error("an entry with more rows than addresses was accepted")
	}
}
