//go:build e2e

package e2e

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"pagoda/test/midrun"
)

// A flipped bit in a stored file is found by verify, and mended by run.
func TestDamagedStore(t *testing.T) {
	uninterrupted(t)
	r := random(t)
	data := filepath.Join(t.TempDir(), "data")
	args := []string{"run", "configs/english.yaml", "--data", data, "--set", "retention=all"}
	must(t, fine, args...)
	for range rounds(2, 3) {
		flipBit(t, r, filepath.Join(data, "store"), tables)
		must(t, verificationFailed, "verify", "--data", data)
		must(t, fine, args...)
		must(t, fine, "verify", "--data", data)
		sameAsUninterrupted(t, data)
	}
}

// A bit that flips in the middle of a run never reaches a result: either the run stumbles over the window, which is
// computed again, or it has no more use for it, and verify finds it afterwards.
func TestDamagedInMidRun(t *testing.T) {
	uninterrupted(t)
	r := random(t)
	data := filepath.Join(t.TempDir(), "data")
	args := []string{"run", "configs/english.yaml", "--data", data, "--set", "retention=all"}
	for range 3 {
		windows := shared.windows/8 + r.IntN(shared.windows/4)
		if c, code := stopAt(t, midrun.Anywhere, windows, syscall.SIGKILL, args...); code != -1 {
			c.demand(t, code, fine)
		}
		flipBit(t, r, filepath.Join(data, "store"), everyFile)
	}
	must(t, fine, args...)
	v := start(t, "verify", "--data", data)
	if code := v.end(t); code != fine {
		v.demand(t, code, verificationFailed)
		t.Log("a window that the run had no more use for was damaged; verify found it")
		must(t, fine, args...)
		must(t, fine, "verify", "--data", data)
	}
	sameAsUninterrupted(t, data)
}

// A flipped bit in the ledger, the record of the run itself, is never taken for a fact.
func TestDamagedLedger(t *testing.T) {
	r := random(t)
	for range rounds(3, 5) {
		data := filepath.Join(t.TempDir(), "data")
		must(t, fine, "run", "configs/triangle15.yaml", "--data", data)
		must(t, fine, "verify", "--data", data)
		flipBit(t, r, filepath.Join(data, "ledger"), tables)
		if v := start(t, "verify", "--data", data); v.end(t) == fine {
			t.Errorf("verify did not see a flipped bit in the ledger:\n%s%s", v.stderr.String(), v.stdout.String())
		}
	}
}

// rounds is how often something random is done: as a rule, and with -long.
func rounds(asARule, withLong int) int {
	if *long {
		return withLong
	}
	return asARule
}

// Kinds of files of a store. Blocks are in segments, and nowhere else. A record that a run has just written is in a
// log. A record in a table is in no log any more, though the log's file may be kept for later use.
var (
	tables    = []string{".seg", ".sst", ".blob"}
	everyFile = []string{".seg", ".sst", ".blob", ".log"}
)

// flipBit flips one bit in a file of these kinds, each byte of all of them being as likely as any other.
func flipBit(t *testing.T, r *rand.Rand, data string, kinds []string) {
	t.Helper()
	type file struct {
		path string
		size int64
	}
	var files []file
	var sum int64
	err := filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains(kinds, filepath.Ext(path)) {
			return err
		}
		info, err := d.Info()
		if err == nil {
			files = append(files, file{path, info.Size()})
			sum += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if sum == 0 {
		t.Fatalf("no files %v of a store in %s", kinds, data)
	}
	at, bit := r.Int64N(sum), r.IntN(8)
	for _, f := range files {
		if at >= f.size {
			at -= f.size
			continue
		}
		t.Logf("flipping bit %d of byte %d of %d in %s", bit, at, f.size, filepath.Base(f.path))
		h, err := os.OpenFile(f.path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		var b [1]byte
		if _, err := h.ReadAt(b[:], at); err != nil {
			t.Fatal(err)
		}
		b[0] ^= 1 << bit
		if _, err := h.WriteAt(b[:], at); err != nil {
			t.Fatal(err)
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		return
	}
}
