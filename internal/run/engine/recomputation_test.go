package engine_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/verify"
)

// TestLostParents removes the rows of random windows while a run needs them. They are computed again, their parents
// first where those were dropped, and nothing changes.
func TestLostParents(t *testing.T) {
	missed := 0
	policies := []plan.Retention{plan.RetainLast, plan.RetainAll}
	if testing.Short() {
		policies = policies[:1]
	}
	for _, keep := range policies {
		for _, p := range toys(60)[:3] {
			t.Run(string(keep)+"/"+name(p), bubble(func(t *testing.T) {
				_, rnd := printedSeed(t)
				whole := t.TempDir()
				run(t, p, whole, faultless(), engine.Options{})
				want, _ := content(t, p, whole)

				f := create(t, p, t.TempDir())
				defer closeFolder(t, f)
				var committed []puzzle.WindowID
				gone := make(map[puzzle.WindowID]int)
				lost := 0
				q := faultless()
				_, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q,
					Concurrency: 2, Retention: keep, Events: coordinator.Events{
						Committed: func(c coordinator.Committed) {
							committed = append(committed, c.Window.ID())
							// Of late windows, whose parents may be gone too, and seldom, or it would not end.
							if rnd.IntN(3) == 0 && lost < 15 {
								back := min(len(committed), 12)
								id := committed[len(committed)-1-rnd.IntN(back)]
								if gone[id]++; gone[id] > 2 {
									return // more would look like a broken disk
								}
								if err := f.Store.Drop(id); err != nil {
									t.Error(err)
								}
							}
						},
						Lost: func(coordinator.Lost) { lost++ },
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				missed += lost
				if got := entries(t, f.Ledger); !slices.Equal(got, want) {
					t.Fatal("the ledger differs")
				}
			}))
		}
	}
	if missed == 0 {
		t.Fatal("nobody missed anything")
	}
}

// flipBit flips one bit of the coded rows of a window in the files of a closed folder.
func flipBit(t testing.TB, dir string, coded []byte) {
	t.Helper()
	flipped := 0
	err := filepath.WalkDir(filepath.Join(dir, "store"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if i := bytes.Index(b, coded); i >= 0 {
			flipped++
			b[i+len(coded)/2] ^= 4
			return os.WriteFile(path, b, 0o600)
		}
		return nil
	})
	if err != nil || flipped == 0 {
		t.Fatalf("%d copies of the block found, %v", flipped, err)
	}
}

// rawBlock returns the first coded block of a window.
func rawBlock(t testing.TB, f *rundir.Folder, id puzzle.WindowID) (coded []byte) {
	t.Helper()
	err := f.Store.RawBlocks(t.Context(), id, 0, func(_ uint64, b []byte) error {
		if coded == nil {
			coded = bytes.Clone(b)
		}
		return nil
	})
	if err != nil || len(coded) < 40 {
		t.Fatalf("block of %d bytes, %v", len(coded), err)
	}
	return coded
}

// TestFlippedBit damages the rows of a window on disk. A run that needs them computes them again. Where no window needs
// them, verify finds them, and the next run after a repair computes them again.
func TestFlippedBit(t *testing.T) {
	// Blocks of some kilobytes, so that each is alone in its block of the database.
	p := &enginetest.Pascal{Depth: 6, Slots: 30_001, Window: 0}
	whole := t.TempDir()
	run(t, p, whole, faultless(), engine.Options{})
	want, wantRows := content(t, p, whole)
	victim := puzzle.WindowID{Cell: puzzle.Cell{Layer: 2, Key: "k1"}}

	t.Run("needed", bubble(func(t *testing.T) {
		dir := t.TempDir()
		disks.Store(dir, vfs.Default)
		f := create(t, p, dir)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		stopped := wrap(p)
		stopped.before = func(ctx context.Context, w puzzle.Window, _ int) error {
			if w.Layer > victim.Layer {
				cancel()
			}
			return ctx.Err()
		}
		q := faultless()
		if _, err := engine.Run(ctx, stopped, f, engine.Options{Tasks: q, Work: q}); !errors.Is(err, context.Canceled) {
			t.Fatalf("it was not interrupted: %v", err)
		}
		coded := rawBlock(t, f, victim)
		closeFolder(t, f)
		// Opened once more, so that the block is in a table and not in a log, whose damaged end would be cut off.
		closeFolder(t, create(t, p, dir))
		flipBit(t, dir, coded)
		var lost []coordinator.Lost
		run(t, p, dir, faultless(), engine.Options{Events: coordinator.Events{
			Lost: func(l coordinator.Lost) { lost = append(lost, l) },
		}})
		if !slices.ContainsFunc(lost, func(l coordinator.Lost) bool { return l.Window == victim }) {
			t.Fatalf("lost %v", lost)
		}
		records, rows := content(t, p, dir)
		if !slices.Equal(records, want) || !slices.Equal(rows, wantRows) {
			t.Fatal("the content differs")
		}
	}))

	t.Run("verified", bubble(func(t *testing.T) {
		dir := t.TempDir()
		disks.Store(dir, vfs.Default)
		run(t, p, dir, faultless(), engine.Options{})
		f := create(t, p, dir)
		coded := rawBlock(t, f, victim)
		closeFolder(t, f)
		flipBit(t, dir, coded)

		f = create(t, p, dir)
		for _, repair := range []bool{false, true} {
			v, err := verify.Run(t.Context(), p, f, verify.Options{Workers: 2, Repair: repair})
			if err != nil {
				t.Fatal(err)
			}
			if len(v.Findings) == 0 || !slices.ContainsFunc(v.Findings, func(f verify.Finding) bool {
				return f.Kind == verify.FindRows && f.Window == victim.String() && strings.Contains(f.Text, "corrupt")
			}) {
				t.Fatalf("repair %t: %+v", repair, v.Findings)
			}
			if repair != (v.Repaired > 0) {
				t.Fatalf("repair %t: %d repaired", repair, v.Repaired)
			}
		}
		closeFolder(t, f)
		var again []puzzle.WindowID
		run(t, p, dir, faultless(), engine.Options{Events: coordinator.Events{
			Committed: func(c coordinator.Committed) { again = append(again, c.Window.ID()) },
		}})
		if !slices.Contains(again, victim) {
			t.Fatalf("computed again: %v", again)
		}
		records, rows := content(t, p, dir)
		if !slices.Equal(records, want) || !slices.Equal(rows, wantRows) {
			t.Fatal("the content differs")
		}
	}))
}

// TestFlippedBitAnywhere flips a random bit of a random file of a finished run's store: whatever it hits, be it rows,
// an index, a log or a manifest, verify with repair and a run bring back the content.
func TestFlippedBitAnywhere(t *testing.T) { synctest.Test(t, testFlippedBitAnywhere) }

func testFlippedBitAnywhere(t *testing.T) {
	_, rnd := printedSeed(t)
	p := &enginetest.Pascal{Depth: 5, Slots: 9_001, Window: 4_000}
	whole := t.TempDir()
	disks.Store(whole, vfs.Default)
	run(t, p, whole, faultless(), engine.Options{})
	want, wantRows := content(t, p, whole)
	tries := 12
	if testing.Short() {
		tries = 4
	}
	// By turns in the folder as the run has left it, and in one that was opened since.
	for try := range tries {
		dir := t.TempDir()
		disks.Store(dir, vfs.Default)
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		if try%2 == 1 {
			closeFolder(t, create(t, p, dir))
		}
		path, bit := flipAnywhere(t, rnd, dir)
		func() {
			f := create(t, p, dir)
			defer func() { closeFolder(t, f) }()
			v, err := verify.Run(t.Context(), p, f, verify.Options{Repair: true})
			if err != nil {
				t.Fatalf("%s bit %d: %v", path, bit, err)
			}
			if f.Damage == nil && (len(v.Findings) > 0) != (v.Repaired > 0) {
				t.Fatalf("%s bit %d: %d findings, %d repaired", path, bit, len(v.Findings), v.Repaired)
			}
		}()
		run(t, p, dir, faultless(), engine.Options{})
		records, rows := content(t, p, dir)
		if !slices.Equal(records, want) || !slices.Equal(rows, wantRows) {
			t.Fatalf("%s bit %d: the content differs", path, bit)
		}
	}
}

func flipAnywhere(t testing.TB, rnd *rand.Rand, dir string) (path string, bit int) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "store", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for {
		path = paths[rnd.IntN(len(paths))]
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) == 0 || filepath.Base(path) == "LOCK" {
			continue
		}
		bit = rnd.IntN(8 * len(b))
		b[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path, bit
	}
}

// TestHopelessDisk loses one window every time it is written: the run stops and names it.
func TestHopelessDisk(t *testing.T) { synctest.Test(t, testHopelessDisk) }

func testHopelessDisk(t *testing.T) {
	p := &enginetest.Pascal{Depth: 4, Slots: 101, Window: 0}
	f := create(t, p, t.TempDir())
	defer closeFolder(t, f)
	victim := puzzle.WindowID{Cell: puzzle.Cell{Layer: 1, Key: "k0"}}
	hopeless := wrap(p)
	hopeless.before = func(_ context.Context, w puzzle.Window, _ int) error {
		if w.Layer > victim.Layer {
			return f.Store.Drop(victim)
		}
		return nil
	}
	q := faultless()
	_, err := engine.Run(t.Context(), hopeless, f, engine.Options{Tasks: q, Work: q})
	if err == nil || !strings.Contains(err.Error(), victim.String()) || !strings.Contains(err.Error(), "lost") {
		t.Fatalf("got %v", err)
	}
}
