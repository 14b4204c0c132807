package kv

import (
	"errors"
	"math"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

func TestEpochRises(t *testing.T) {
	fs := vfs.NewCrashableMem()
	open := func(fs vfs.FS) *Ledger {
		l, err := OpenLedger("ledger", "run", Options{FS: fs})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	l := open(fs)
	if e, err := l.Epoch(); e != 0 || err != nil {
		t.Fatalf("a new ledger has epoch %d, %v", e, err)
	}
	for _, c := range []struct{ above, want uint64 }{{0, 1}, {0, 2}, {1, 3}, {10, 11}, {3, 12}} {
		if e, err := l.RaiseEpoch(c.above); e != c.want || err != nil {
			t.Fatalf("above %d: epoch %d, %v, want %d", c.above, e, err, c.want)
		}
	}
	// A crash right after must not bring an epoch back.
	crashed := fs.CrashClone(vfs.CrashCloneCfg{})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(crashed)
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	if e, err := l.RaiseEpoch(0); e != 13 || err != nil {
		t.Fatalf("after a crash: epoch %d, %v, want 13", e, err)
	}
	if _, err := l.RaiseEpoch(math.MaxUint64); err == nil {
		t.Fatal("an epoch above the last one")
	}
	if err := l.SetMeta(epochName, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := l.RaiseEpoch(0); !errors.Is(err, ErrCorrupt) {
		t.Fatalf("got %v", err)
	}
}
