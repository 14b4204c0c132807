package engine_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"
	"go.uber.org/goleak"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/rundir"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Code that carries out a run is tested in a bubble of testing/synctest: time passes there only when all goroutines
// wait. So timers, heartbeats and retries cost nothing, and none comes too early or too late because the machine is
// busy. Files are read and written as ever: system calls do not let the time pass.

// bubble returns a subtest that runs fn in a bubble.
func bubble(fn func(t *testing.T)) func(*testing.T) {
	return func(t *testing.T) { synctest.Test(t, fn) }
}

// beside returns a subtest that runs fn in a bubble of its own, beside others.
func beside(fn func(t *testing.T)) func(*testing.T) {
	return func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, fn)
	}
}

// toy is a puzzle that knows its results otherwise.
type toy interface {
	puzzle.Puzzle
	Reference() map[string]uint128.Uint128
}

// toys returns the toys with windows of at most the given size; 0 does not cut.
func toys(window uint64) []toy {
	return []toy{
		&enginetest.Pascal{Depth: 8, Slots: 301, Window: window},
		&enginetest.BFS{Nodes: 400, Window: window},
		&enginetest.Labels{Tokens: 12, Ring: 20, Window: window},
		&enginetest.Survey{Slots: 3000, Window: window},
	}
}

func name(p puzzle.Puzzle) string { return p.Identity().Puzzle }

// disks holds a file system in memory for the databases of every folder, by path: tests have better things to do than
// to wait for disks.
var disks sync.Map

// options returns small databases on the disk of the folder.
func options(dir string) rundir.FolderOptions {
	fs, _ := disks.LoadOrStore(dir, vfs.NewMem())
	o := kv.Options{FS: fs.(vfs.FS), CacheBytes: 1 << 20, MemTableBytes: 1 << 20}
	return rundir.FolderOptions{Store: o, Ledger: o}
}

// readOnly returns the same, to look at the folder.
func readOnly(dir string) rundir.FolderOptions {
	o := options(dir)
	o.ReadOnly = true
	return o
}

// create opens the folder of p's run in dir.
func create(t testing.TB, p puzzle.Puzzle, dir string) *rundir.Folder {
	t.Helper()
	f, err := rundir.Create(dir, rundir.NewMeta(p.Identity(), "config"), options(dir))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func closeFolder(t testing.TB, f *rundir.Folder) {
	t.Helper()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// run carries out p in dir to its end.
func run(t testing.TB, p puzzle.Puzzle, dir string, q *enginetest.Queue, o engine.Options) {
	t.Helper()
	f := create(t, p, dir)
	defer closeFolder(t, f)
	o.Tasks, o.Work = q, q
	out, err := engine.Run(t.Context(), p, f, o)
	if err != nil {
		t.Fatalf("%s: %v", name(p), err)
	}
	if !out.Results.Complete() {
		t.Fatalf("%s: Run returned without an error before the run was complete", name(p))
	}
}

func faultless() *enginetest.Queue { return enginetest.NewQueue(1, enginetest.Faults{}) }

// checkSummary compares the folder's results with the toy's reference.
func checkSummary(t testing.TB, p toy, dir string) {
	t.Helper()
	f, err := rundir.Open(dir, readOnly(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer closeFolder(t, f)
	res, err := rundir.Load(p, f)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := p.Summarise(res)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]uint128.Uint128)
	for _, f := range sum.Facts {
		got[f.Name] = f.Value.N
	}
	if want := p.Reference(); !maps.Equal(got, want) {
		t.Fatalf("%s: got %v, want %v", name(p), got, want)
	}
}

// content returns everything that must not depend on how a run was carried out: the ledger's records, and the rows.
func content(t testing.TB, p puzzle.Puzzle, dir string) (records []string, rows []string) {
	t.Helper()
	f, err := rundir.Open(dir, readOnly(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer closeFolder(t, f)
	err = f.Ledger.Load(func(e kv.Entry) error {
		b, err := e.Record.Encode()
		records = append(records, string(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	res, err := rundir.Load(p, f)
	if err != nil {
		t.Fatal(err)
	}
	for n := range res.Layers() {
		for _, c := range res.Cells(n) {
			err := f.Scan(t.Context(), res, c.Cell, func(b *puzzle.Block) error {
				enginetest.Each(b, func(addr, v uint64) {
					rows = append(rows, fmt.Sprintf("%d/%s %d %d", n, c.Key, addr, v))
				})
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return records, rows
}

func TestEveryShapeOfPuzzle(t *testing.T) {
	for _, p := range toys(0) {
		t.Run(name(p), bubble(func(t *testing.T) {
			dir := t.TempDir()
			run(t, p, dir, faultless(), engine.Options{Concurrency: 2, CacheBytes: 1 << 20})
			checkSummary(t, p, dir)
		}))
	}
}

// TestSameWhateverTheWay is the metamorphic test: workers, cuts, caches, memory, batches and faults of the queue change
// no row, and with the same cuts no record either.
func TestSameWhateverTheWay(t *testing.T) {
	for i := range toys(0) {
		t.Run(name(toys(0)[i]), bubble(func(t *testing.T) {
			windows, workers := []uint64{0, 64, 37}, []int{1, 2, 7}
			if testing.Short() {
				windows, workers = []uint64{37}, []int{1, 7}
			}
			var wantRows []string
			for _, window := range windows {
				var wantRecords []string
				for _, slots := range workers {
					p := toys(window)[i]
					dir := t.TempDir()
					seed := uint64(slots)*1000 + window
					q := enginetest.NewQueue(seed, enginetest.Faults{Repeat: 0.2, Reorder: 0.3, LoseReply: 0.1})
					o := engine.Options{Concurrency: slots, CacheBytes: uint64(slots-1) * 5000, TaskTime: 1 << (4 * slots)}
					if slots > 2 { // memory for one large window, or for several small ones
						pl, err := plan.New(p)
						if err != nil {
							t.Fatal(err)
						}
						o.Budget, _ = pl.Budget(1, 0, 2)
					}
					run(t, p, dir, q, o)
					checkSummary(t, p, dir)
					records, rows := content(t, p, dir)
					if wantRows == nil {
						wantRows = rows
					}
					if wantRecords == nil {
						wantRecords = records
					}
					if !slices.Equal(rows, wantRows) {
						t.Fatalf("window %d, slots %d, seed %d: rows differ", window, slots, seed)
					}
					if !slices.Equal(records, wantRecords) {
						t.Fatalf("window %d, slots %d, seed %d: records differ", window, slots, seed)
					}
				}
			}
		}))
	}
}

func TestResumeReusesEverything(t *testing.T) {
	for _, p := range toys(50) {
		t.Run(name(p), bubble(func(t *testing.T) {
			dir := t.TempDir()
			run(t, p, dir, faultless(), engine.Options{Concurrency: 2})
			var reused coordinator.Resumed
			q := faultless()
			run(t, p, dir, q, engine.Options{Concurrency: 2, Events: coordinator.Events{
				Resumed:   func(r coordinator.Resumed) { reused = r },
				Committed: func(c coordinator.Committed) { t.Errorf("window %s was committed again", c.Window) },
			}})
			if reused.Windows == 0 || reused.Left != 0 || reused.Again != 0 || reused.Absent != 0 || q.Submitted != 0 {
				t.Fatalf("%+v, %d tasks submitted", reused, q.Submitted)
			}
		}))
	}
}

// cancelAfter returns a context and an event that cancels it after n commits.
func cancelAfter(t testing.TB, n int) (context.Context, func(coordinator.Committed)) {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return ctx, func(coordinator.Committed) {
		if n--; n <= 0 {
			cancel()
		}
	}
}
