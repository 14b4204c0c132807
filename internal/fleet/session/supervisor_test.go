package session

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"pagoda/internal/kv"
	"pagoda/internal/run/pause"
)

// supervised runs work under a supervisor of the store in dir, and returns its log.
func supervised(t *testing.T, dir string, work func(store *kv.Store) error) (log string, err error) {
	t.Helper()
	var b strings.Builder
	h := &Supervisor{
		Dir: dir, Run: "r", Log: slog.New(slog.NewTextHandler(&b, nil)),
		Work: func(_, _ context.Context, store *kv.Store) error { return work(store) },
	}
	err = h.Serve(t.Context(), t.Context())
	return b.String(), err
}

// TestDamagedFolder: a store that is too damaged to open is logged, and the work begins with its readable windows.
func TestDamagedFolder(t *testing.T) {
	dir := t.TempDir()
	nothing := func(*kv.Store) error { return nil }
	if log, err := supervised(t, dir, nothing); err != nil || log != "" {
		t.Fatalf("a new store: %v, %s", err, log)
	}
	for _, name := range []string{"MANIFEST-*", "*.log"} {
		found, err := filepath.Glob(filepath.Join(dir, "store", name))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", name, found, err)
		}
		if err := os.WriteFile(found[0], []byte("something else"), 0o600); err != nil {
			t.Fatal(err)
		}
		worked := 0
		log, err := supervised(t, dir, func(*kv.Store) error { worked++; return nil })
		if err != nil || worked != 1 || !strings.Contains(log, "too damaged to open") {
			t.Errorf("%s: worked %d times, %v, %s", name, worked, err, log)
		}
	}
}

// TestDamageWhileOpen: a bit of the manifest flips while the store is open, and the worker stops in order. The next one
// finds the damage, and begins with the readable windows of the store: a database that is used with such a manifest
// gives sequence numbers out twice, and ends the process with a panic some time later.
func TestDamageWhileOpen(t *testing.T) {
	dir := t.TempDir()
	for range 2 { // the second session has a manifest that begins with two records
		if _, err := supervised(t, dir, func(*kv.Store) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	_, err := supervised(t, dir, func(*kv.Store) error {
		found, err := filepath.Glob(filepath.Join(dir, "store", "MANIFEST-*"))
		if err != nil || len(found) == 0 {
			t.Fatalf("manifests: %v, %v", found, err)
		}
		name := found[len(found)-1] // the database may be removing earlier ones
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		b[len(b)-1] ^= 1
		return os.WriteFile(name, b, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	worked := 0
	log, err := supervised(t, dir, func(*kv.Store) error { worked++; return nil })
	if err != nil || worked != 1 || !strings.Contains(log, "too damaged to open") {
		t.Errorf("worked %d times, %v, %s", worked, err, log)
	}
}

// TestNeverClosed: a store that one process after the other has open and does not close is made anew, and nothing of it
// is kept aside.
func TestNeverClosed(t *testing.T) {
	dir, logs := t.TempDir(), ""
	for i := range 10 {
		left := t.TempDir() // as a process leaves it that is killed now
		log, err := supervised(t, dir, func(*kv.Store) error {
			for {
				err := os.CopyFS(left, os.DirFS(dir))
				if !errors.Is(err, fs.ErrNotExist) {
					return err
				}
				left = t.TempDir() // the database has just removed a file that it does not need any more
			}
		})
		if err != nil {
			t.Fatalf("process %d: %v", i, err)
		}
		dir, logs = left, logs+log
	}
	if n := strings.Count(logs, "never closed"); n != 3 {
		t.Errorf("of 10 processes %d made the store anew:\n%s", n, logs)
	}
	if there, err := kv.Exists(filepath.Join(dir, "store.damaged"), kv.Options{}); there || err != nil {
		t.Errorf("a store was put aside: %v", err)
	}
}

// TestLooksAtItsStore: a session looks for damage at the store that it was begun with, not at that of its supervisor.
func TestLooksAtItsStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, err := kv.Open(t.TempDir(), "r", kv.Options{})
		if err != nil {
			t.Fatal(err)
		}
		h := &Supervisor{Work: func(_, stop context.Context, got *kv.Store) error {
			if got != store {
				t.Error("the work is done with another store")
			}
			return pause.For(stop, 3*damageEvery)
		}}
		if err := errors.Join(h.session(t.Context(), t.Context(), store), store.Close()); err != nil {
			t.Error(err)
		}
	})
}

// TestWorkEnds: an error of the work that says nothing of the store ends it.
func TestWorkEnds(t *testing.T) {
	other := errors.New("something else")
	if _, err := supervised(t, t.TempDir(), func(*kv.Store) error { return other }); !errors.Is(err, other) {
		t.Errorf("got %v", err)
	}
}

// TestWorkGoesOn: work that ends because the store is damaged goes on with another store.
func TestWorkGoesOn(t *testing.T) {
	worked := 0
	log, err := supervised(t, t.TempDir(), func(*kv.Store) error {
		worked++
		if worked == 1 {
			return kv.ErrCorrupt
		}
		return nil
	})
	if err != nil || worked != 2 || !strings.Contains(log, "the store was damaged and is replaced") {
		t.Errorf("worked %d times, %v, %s", worked, err, log)
	}
}
