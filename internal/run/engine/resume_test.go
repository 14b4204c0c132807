package engine_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/verify"
)

// printedSeed returns a random seed and prints it, so that a failure can be repeated.
func printedSeed(t testing.TB) (uint64, *rand.Rand) {
	seed := rand.Uint64()
	t.Logf("seed %#x", seed)
	return seed, rand.New(rand.NewPCG(seed, 1))
}

// TestInterruptedAnywhere stops runs after a random number of commits, again and again, and compares the end with
// that of an undisturbed run.
func TestInterruptedAnywhere(t *testing.T) {
	seed, rnd := printedSeed(t)
	interrupted := 0 // a puzzle without parents may be done before its first commit is told
	shapes := toys(47)
	if testing.Short() {
		shapes = shapes[:2]
	}
	for _, p := range shapes {
		t.Run(name(p), bubble(func(t *testing.T) {
			whole, pieces := t.TempDir(), t.TempDir()
			run(t, p, whole, faultless(), engine.Options{Concurrency: 2})
			wantRecords, wantRows := content(t, p, whole)

			for done := false; !done; {
				f := create(t, p, pieces)
				ctx, committed := cancelAfter(t, 1+rnd.IntN(12))
				q := enginetest.NewQueue(seed, enginetest.Faults{Repeat: 0.1, Reorder: 0.5})
				out, err := engine.Run(ctx, p, f, engine.Options{Tasks: q, Work: q,
					Concurrency: 1 + rnd.IntN(4), TaskTime: time.Duration(1 + rnd.IntN(2000)),
					Events: coordinator.Events{Committed: committed},
				})
				switch {
				case err == nil:
					done = true
				case errors.Is(err, context.Canceled):
					interrupted++
				default:
					t.Fatal(err)
				}
				if out.Results.Complete() != done {
					t.Fatalf("complete %t, done %t", out.Results.Complete(), done)
				}
				closeFolder(t, f)
			}
			records, rows := content(t, p, pieces)
			if !slices.Equal(records, wantRecords) || !slices.Equal(rows, wantRows) {
				t.Fatalf("after %d interruptions the content differs", interrupted)
			}
			checkSummary(t, p, pieces)
		}))
	}
	if interrupted == 0 {
		t.Fatal("nothing was ever interrupted")
	}
}

// memFolder opens the folder of p's run on a file system in memory.
func memFolder(t testing.TB, p puzzle.Puzzle, fs vfs.FS, dir string) *rundir.Folder {
	t.Helper()
	m := rundir.NewMeta(p.Identity(), "")
	o := kv.Options{FS: fs, CacheBytes: 1 << 20, MemTableBytes: 1 << 20}
	l, err := kv.OpenLedger("ledger", m.Run, o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := kv.Open("store", m.Run, o)
	if err != nil {
		t.Fatal(err)
	}
	return &rundir.Folder{Dir: dir, Meta: m, Ledger: l, Store: s}
}

// entries returns the ledger's records in their encoding.
func entries(t testing.TB, l *kv.Ledger) (records []string) {
	t.Helper()
	err := l.Load(func(e kv.Entry) error {
		b, err := e.Record.Encode()
		records = append(records, string(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// TestCrashAtEveryCommit cuts the power at every commit of a run. A random share of the unsynced data survives, and a
// new run resumes from the disk.
func TestCrashAtEveryCommit(t *testing.T) {
	_, rnd := printedSeed(t)
	shapes := []toy{
		&enginetest.Pascal{Depth: 4, Slots: 71, Window: 40}, &enginetest.BFS{Nodes: 60, Window: 40},
	}
	if testing.Short() {
		shapes = shapes[:1]
	}
	for _, p := range shapes {
		t.Run(name(p), bubble(func(t *testing.T) {
			total, clean := 1, []string(nil)
			for point := 0; point <= total; point++ {
				fs := vfs.NewCrashableMem()
				f := memFolder(t, p, fs, t.TempDir())
				var crashed *vfs.MemFS
				commits := 0
				crash := func() {
					crashed = fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rnd.IntN(101), RNG: rnd})
				}
				if point == 0 {
					crash() // before anything
				}
				q := faultless()
				_, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q,
					Concurrency: 2, TaskTime: 1, Events: coordinator.Events{Committed: func(coordinator.Committed) {
						if commits++; commits == point {
							crash()
						}
					}},
				})
				if err != nil {
					t.Fatal(err)
				}
				total = commits
				if clean == nil {
					clean = entries(t, f.Ledger)
				}
				closeFolder(t, f)
				if crashed == nil {
					t.Fatalf("no crash at point %d of %d", point, total)
				}
				f = memFolder(t, p, crashed, t.TempDir())
				if n := len(entries(t, f.Ledger)); n < point {
					t.Fatalf("crash after commit %d left %d entries in the ledger", point, n)
				}
				if _, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q, Concurrency: 2}); err != nil {
					t.Fatal(err)
				}
				if got := entries(t, f.Ledger); !slices.Equal(got, clean) {
					t.Fatalf("crash at commit %d: ledger differs", point)
				}
				v, err := verify.Run(t.Context(), p, f, verify.Options{})
				if err != nil || len(v.Findings) > 0 || !v.Complete || v.Read != v.Windows {
					t.Fatalf("crash at commit %d: %+v, %v", point, v, err)
				}
				closeFolder(t, f)
			}
		}))
	}
}

// TestUnreportedWindowsAreReused loses the ledger: the run believes the store's windows after a check of their digests.
func TestUnreportedWindowsAreReused(t *testing.T) { synctest.Test(t, testUnreportedWindowsAreReused) }

func testUnreportedWindowsAreReused(t *testing.T) {
	p := &enginetest.Pascal{Depth: 5, Slots: 101, Window: 40}
	fs := vfs.NewMem()
	f := memFolder(t, p, fs, t.TempDir())
	q := faultless()
	if _, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q}); err != nil {
		t.Fatal(err)
	}
	want := entries(t, f.Ledger)
	closeFolder(t, f)
	if err := fs.RemoveAll("ledger"); err != nil {
		t.Fatal(err)
	}
	f = memFolder(t, p, fs, t.TempDir())
	defer closeFolder(t, f)
	reused, computed := 0, 0
	_, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q, Events: coordinator.Events{
		Committed: func(c coordinator.Committed) {
			if c.Reused {
				reused++
			} else {
				computed++
			}
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if reused != len(want) || computed != 0 {
		t.Fatalf("%d windows reused, %d computed, want %d reused", reused, computed, len(want))
	}
	if got := entries(t, f.Ledger); !slices.Equal(got, want) {
		t.Fatal("the ledger differs")
	}
}
