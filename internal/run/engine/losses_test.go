package engine_test

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/pause"
	"pagoda/internal/run/pause/pausetest"
)

// slowPascal is a toy whose windows take 20 ms.
func slowPascal() *wrapped {
	p := wrap(&enginetest.Pascal{Depth: 5, Slots: 101, Window: 40})
	p.before = func(ctx context.Context, _ puzzle.Window, _ int) error { return pause.For(ctx, 20*time.Millisecond) }
	return p
}

// TestFullDiskAtTheCoordinator: the disk of a coordinator fills up, is enlarged, and the coordinator is restarted at
// once, with workers that have heard how the epoch before has ended: they go on.
func TestFullDiskAtTheCoordinator(t *testing.T) { synctest.Test(t, testFullDiskAtTheCoordinator) }

func testFullDiskAtTheCoordinator(t *testing.T) {
	seed, _ := printedSeed(t)
	p := slowPascal()
	y := newCluster(t, p, seed, enginetest.Faults{Repeat: 0.05, Reorder: 0.1})
	var full atomic.Bool
	disks.Store(y.dir, errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if full.Load() && op.Kind.ReadOrWrite() == errorfs.OpIsWrite && op.Kind != errorfs.OpRemove {
			return &fs.PathError{Op: "write", Path: op.Path, Err: syscall.ENOSPC}
		}
		return nil
	})))
	commits := 0
	y.opts.Events.Committed = func(coordinator.Committed) {
		if commits++; commits == 10 {
			full.Store(true)
		}
	}
	y.begin()
	y.worker("a", 1)
	y.worker("b", 2)
	if err := y.lastError(); !errors.Is(err, kv.ErrDiskFull) {
		t.Fatalf("the coordinator ended with %v", err)
	}
	full.Store(false)
	_ = y.f.Close() // data that it could not write is lost
	y.begin()
	for _, name := range []string{"a", "b"} {
		y.kill(name)
		y.worker(name, 2)
	}
	if err := y.end(); err != nil {
		t.Fatal(err)
	}
	y.p = p.Puzzle
	y.check()
}

// TestOlderCopyOfTheFolder: a coordinator is started with an older copy of its folder, whose epochs the workers have
// seen already. They wait for the later one, turn to the one that is there, and the run goes on to the same digests.
func TestOlderCopyOfTheFolder(t *testing.T) { synctest.Test(t, testOlderCopyOfTheFolder) }

func testOlderCopyOfTheFolder(t *testing.T) {
	seed, _ := printedSeed(t)
	p := slowPascal()
	y := newCluster(t, p, seed, enginetest.Faults{Repeat: 0.05, Reorder: 0.1})
	var commits atomic.Int64
	y.opts.Events.Committed = func(coordinator.Committed) { commits.Add(1) }
	stop := func(after int64) {
		t.Helper()
		until := commits.Load() + after
		pausetest.Until(t, "nothing was committed", func() bool { return commits.Load() >= until })
		y.stop()
		if err := y.end(); !errors.Is(err, context.Canceled) {
			t.Fatalf("the coordinator ended with %v", err)
		}
	}
	y.begin()
	y.worker("a", 1)
	y.worker("b", 2)
	stop(6)
	mem, _ := disks.Load(y.dir)
	copied := vfs.NewMem()
	if ok, err := vfs.Clone(mem.(vfs.FS), copied, y.dir, y.dir); err != nil || !ok {
		t.Fatalf("no copy of the folder, %v", err)
	}
	for range 2 {
		y.begin()
		stop(4)
	}
	disks.Store(y.dir, vfs.FS(copied))
	begun := time.Now()
	y.begin()
	if err := y.end(); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(begun); d < 10*time.Second || d > time.Minute {
		t.Errorf("the run took %v from then on", d)
	}
	y.p = p.Puzzle
	y.check()
}

// TestFolderRemovedUnderARun removes databases of a run that is under way: it ends, with an error or without, and the
// next one has the right results.
func TestFolderRemovedUnderARun(t *testing.T) {
	for _, what := range []string{"store", "ledger", "."} {
		t.Run(what, bubble(func(t *testing.T) {
			p := &enginetest.Pascal{Depth: 5, Slots: 101, Window: 40}
			whole, dir := t.TempDir(), t.TempDir()
			run(t, p, whole, faultless(), engine.Options{})
			want, wantRows := content(t, p, whole)
			f := create(t, p, dir)
			o := engine.Options{Concurrency: 2}
			commits := 0
			o.Events.Committed = func(coordinator.Committed) {
				if commits++; commits == 5 {
					mem, _ := disks.Load(dir)
					if err := mem.(vfs.FS).RemoveAll(filepath.Join(dir, what)); err != nil {
						t.Error(err)
					}
				}
			}
			_, err := engine.Run(t.Context(), p, f, o)
			t.Logf("the run ended with %v, the folder with %v", err, f.Close())
			if commits < 5 {
				t.Fatalf("%d windows were committed", commits)
			}
			run(t, p, dir, faultless(), engine.Options{})
			got, gotRows := content(t, p, dir)
			if !slices.Equal(got, want) || !slices.Equal(gotRows, wantRows) {
				t.Error("the results differ")
			}
		}))
	}
}
