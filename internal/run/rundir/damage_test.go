package rundir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/trust"
)

// TestOtherDatabases: a folder with the store or the ledger of another run in it is refused, and left closed. A store
// that is missing is damage where nothing may be written. A ledger in the place of a store is damage too.
func TestOtherDatabases(t *testing.T) {
	other, err := Create(filepath.Join(t.TempDir(), "other"), NewMeta(identity("other"), ""), FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	closed(t, other)
	for _, name := range []string{storeName, ledgerName} {
		f := whole(t)
		closed(t, f)
		path := filepath.Join(f.Dir, name)
		if err := errors.Join(os.RemoveAll(path), os.CopyFS(path, os.DirFS(filepath.Join(other.Dir, name)))); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := Open(f.Dir, FolderOptions{}); !errors.Is(err, kv.ErrRun) || !strings.HasPrefix(err.Error(), name) {
				t.Errorf("the %s of another run: %v", name, err)
			}
		}
	}
	f := whole(t)
	closed(t, f)
	store, ledger := filepath.Join(f.Dir, storeName), filepath.Join(f.Dir, ledgerName)
	if err := errors.Join(os.RemoveAll(store), os.CopyFS(store, os.DirFS(ledger))); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(f.Dir, FolderOptions{ReadOnly: true}); !errors.Is(err, kv.ErrCorrupt) {
		t.Errorf("a ledger in the place of the store, to read: %v", err)
	}
	if f, err = Open(f.Dir, FolderOptions{}); err != nil || !errors.Is(f.Damage, kv.ErrFormat) {
		t.Fatalf("a ledger in the place of the store: %v", err)
	}
	closed(t, f)
	if err := os.RemoveAll(store); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(f.Dir, FolderOptions{ReadOnly: true}); !errors.Is(err, kv.ErrCorrupt) ||
		errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a store, to read: %v", err)
	}
}

// TestAllDamageIsNamed: when the ledger and the store are damaged, Damage names both.
func TestAllDamageIsNamed(t *testing.T) {
	f := whole(t)
	closed(t, f)
	if err := errors.Join(spoil(filepath.Join(f.Dir, storeName)), spoil(filepath.Join(f.Dir, ledgerName))); err != nil {
		t.Fatal(err)
	}
	f, err := Open(f.Dir, FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, f)
	for _, name := range []string{storeName, ledgerName} {
		if !strings.Contains(f.Damage.Error(), filepath.Join(f.Dir, name)) {
			t.Errorf("%v does not name the %s", f.Damage, name)
		}
	}
	if p := loaded(t, f); p.CommittedCount != 5 || p.Index[cellB].Held != 2 {
		t.Errorf("%d windows, %d of b are held", p.CommittedCount, p.Index[cellB].Held)
	}
}

// TestClosedFolder: nothing can be read from a closed folder.
func TestClosedFolder(t *testing.T) {
	f := whole(t)
	p := loaded(t, f)
	if err := f.Store.Close(); err != nil {
		t.Fatal(err)
	}
	none := func(*puzzle.Block) error { return nil }
	_, loadErr := Load(paper(), f)
	w := p.Index[cellA].Window(0)
	_, _, recoverErr := f.Recover(t.Context())
	for what, err := range map[string]error{
		"load": loadErr, "scan": f.Scan(t.Context(), p, cellA, none), "rebuild": f.rebuildLedger(),
		"read": f.Reader(p, 0).Blocks(t.Context(), w, w.First, w.Addresses, none), "recover": recoverErr,
	} {
		if !errors.Is(err, kv.ErrClosed) {
			t.Errorf("%s without the store: %v", what, err)
		}
	}
	if err := f.Ledger.Close(); err != nil {
		t.Fatal(err)
	}
	_, loadErr = LoadRun(paper(), f, LoadOptions{})
	_, wordsErr := Words(f.Ledger, f.Ledger.Load)
	_, auditsErr := f.BeginAudits(trust.Shares{}, false)
	for what, err := range map[string]error{"load": loadErr, "words": wordsErr, "audits": auditsErr} {
		if !errors.Is(err, kv.ErrClosed) {
			t.Errorf("%s without the ledger: %v", what, err)
		}
	}
	failed := errors.New("failed")
	open := whole(t)
	if _, err := Words(open.Ledger, func(func(kv.Entry) error) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("words of a ledger that does not load: %v", err)
	}
}

// TestOwnWindows: a window of this process counts as held only where its rows are in the store.
func TestOwnWindows(t *testing.T) {
	f := whole(t)
	gone := puzzle.WindowID{Cell: cellA}
	if err := f.Store.Drop(gone); err != nil {
		t.Fatal(err)
	}
	p, err := LoadRun(paper(), f, LoadOptions{Own: true, Await: true})
	if err != nil {
		t.Fatal(err)
	}
	if w := p.Index[cellA].Parts[0]; w.State.String() != "absent" {
		t.Errorf("a window of %s that was dropped is %s", protocol.OwnWorker, w.State)
	}
}

// TestNothingIsResurrected: a window in the store that the ledger of a coordinator lacks, as it was forgotten, is not
// entered when the folder is opened.
func TestNothingIsResurrected(t *testing.T) {
	f := whole(t)
	if err := f.Ledger.Forget(puzzle.WindowID{Cell: cellB}); err != nil {
		t.Fatal(err)
	}
	closed(t, f)
	f, err := Open(f.Dir, FolderOptions{})
	if err != nil || f.Damage != nil {
		t.Fatal(f.Damage, err)
	}
	defer closed(t, f)
	if p := loaded(t, f); p.CommittedCount != 4 {
		t.Errorf("%d windows", p.CommittedCount)
	}
}
