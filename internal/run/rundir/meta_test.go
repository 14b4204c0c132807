package rundir

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/kv/kvtest"
	"pagoda/internal/puzzle"
)

func testMeta() Meta {
	params := []puzzle.Param{{Name: "board", Value: "english"}}
	return NewMeta(puzzle.Identity{Puzzle: "peg", Params: params}, "board: english\n")
}

// TestFlippedMeta flips every bit of a run.json: each is noticed.
func TestFlippedMeta(t *testing.T) {
	m := testMeta()
	b, err := m.encode()
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b) {
		t.Fatalf("not JSON:\n%s", b)
	}
	if have, err := decodeMeta(b); err != nil || have.Run != m.Run || have.Config != m.Config {
		t.Fatalf("%+v, %v", have, err)
	}
	for bit := range 8 * len(b) {
		c := bytes.Clone(b)
		c[bit/8] ^= 1 << (bit % 8)
		if have, err := decodeMeta(c); err == nil {
			t.Errorf("bit %d (%q): %+v", bit, c[max(0, bit/8-9):min(len(c), bit/8+9)], have)
		}
	}
	for n := range len(b) - 1 {
		if _, err := decodeMeta(b[:n]); err == nil {
			t.Errorf("cut to %d of %d bytes", n, len(b))
		}
	}
}

// TestMetaWithoutChecksum: folders of older versions are read.
func TestMetaWithoutChecksum(t *testing.T) {
	m := testMeta()
	for _, indent := range []string{"", "  "} {
		b, err := json.MarshalIndent(m, "", indent)
		if err != nil {
			t.Fatal(err)
		}
		if have, err := decodeMeta(append(b, '\n')); err != nil || have.Run != m.Run {
			t.Errorf("%+v, %v", have, err)
		}
	}
}

// TestUnreadableMeta damages or removes the run.json of a folder. To read the folder is an error, and Create writes it
// again for the run whose ledger and store are there, and for no other.
func TestUnreadableMeta(t *testing.T) {
	m := testMeta()
	other := NewMeta(puzzle.Identity{Puzzle: "peg"}, "")
	for what, damage := range map[string]func(path string) error{
		"empty":   func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"removed": os.Remove,
	} {
		dir := filepath.Join(t.TempDir(), "d")
		f, err := Create(dir, m, FolderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Close(), damage(filepath.Join(dir, metaName))); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, FolderOptions{ReadOnly: true}); !errors.Is(err, ErrMeta) || !errors.Is(err, kv.ErrCorrupt) {
			t.Errorf("%s: open: %v", what, err)
		}
		if _, err := Create(dir, other, FolderOptions{}); !errors.Is(err, kv.ErrRun) {
			t.Errorf("%s: another run: %v", what, err)
		}
		f, err = Create(dir, m, FolderOptions{})
		if err != nil || !errors.Is(f.Damage, ErrMeta) {
			t.Fatalf("%s: %v", what, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if have, err := ReadMeta(dir); err != nil || have.Run != m.Run {
			t.Errorf("%s: %+v, %v", what, have, err)
		}
	}
	// Nothing is hidden by the run.json that is written again.
	dir := filepath.Join(t.TempDir(), "d")
	f, err := Create(dir, m, FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Close(), os.Remove(filepath.Join(dir, metaName))); err != nil {
		t.Fatal(err)
	}
	disk, _ := kvtest.FaultAt(kvtest.Machine(), dir, 0)
	if f, err := Create(dir, m, FolderOptions{Store: kv.Options{FS: disk}}); f != nil || !errors.Is(err, syscall.EIO) {
		t.Errorf("while the disk fails: %v", err)
	}
	// A foreign folder that happens to have a ledger in it is left alone.
	dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ledgerName), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir, m, FolderOptions{}); !errors.Is(err, ErrOccupied) {
		t.Errorf("a foreign folder: %v", err)
	}
}

func FuzzDecodeMeta(f *testing.F) {
	m := testMeta()
	b, err := m.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	old, err := json.Marshal(m)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(old)
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := decodeMeta(b)
		if err != nil {
			return
		}
		again, err := m.encode()
		if err != nil {
			t.Fatal(err)
		}
		if have, err := decodeMeta(again); err != nil || have.Run != m.Run || have.Config != m.Config {
			t.Fatalf("%q: %+v, %v", again, have, err)
		}
	})
}
