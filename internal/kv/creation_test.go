package kv

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// TestCreationCutOff crashes at every operation of the making of a store, and keeps any part of the unsynced bytes: a
// folder remains that can be opened, as a new store.
func TestCreationCutOff(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	mem := vfs.NewCrashableMem()
	type crash struct {
		what string
		disk *vfs.MemFS
	}
	var crashes []crash
	ops := 0
	hook := errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
			return nil
		}
		ops++
		for range 40 {
			left := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rng})
			crashes = append(crashes, crash{fmt.Sprintf("operation %d, %v of %s", ops, op.Kind, op.Path), left})
		}
		return nil
	})
	s, err := Open("store", testRun, Options{FS: errorfs.Wrap(mem, hook)})
	if err != nil {
		t.Fatal(err)
	}
	made := len(crashes)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if made < 400 {
		t.Fatalf("only %d crashes in %d operations", made, ops)
	}
	for _, c := range crashes[:made] {
		s, err := Open("store", testRun, Options{FS: c.disk})
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if err := s.Records(func(r Record) error { return fmt.Errorf("window %s", r.Window) }); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		mustWrite(t, s, testWindow(1, 0, 1), testBlocks(testWindow(1, 0, 1), 2, 7), testTally(2))
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// TestFolderOutlivesACrash: a crash that takes all unsynced bytes, and unsynced names of parents, leaves the durable
// content of a folder that was made with its parents.
func TestFolderOutlivesACrash(t *testing.T) {
	const dir = "/data/run/ledger"
	mem := vfs.NewCrashableMem()
	l, err := OpenLedger(dir, testRun, Options{FS: mem})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, l)
	if err := l.Append([]Entry{testEntry(0, "w")}); err != nil {
		t.Fatal(err)
	}
	after, err := OpenLedger(dir, testRun, Options{FS: mem.CrashClone(vfs.CrashCloneCfg{})})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, after)
	if _, found, err := after.Entry(testEntry(0).Record.ID()); !found || err != nil {
		t.Fatalf("the entry is gone: %v", err)
	}
}
