package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/counting"
	"pagoda/internal/counting/solutions"
	"pagoda/internal/counting/ways"
	"pagoda/internal/kv"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/rundir"
)

// stopping is a puzzle that pulls the plug while it computes a window: after its rows are written, before it returns.
type stopping struct {
	puzzle.Puzzle
	at   func(w puzzle.Window) bool
	stop atomic.Pointer[context.CancelFunc]
}

func (s *stopping) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (puzzle.Tally, error) {
	t, err := s.Puzzle.Compute(ctx, w, in, out)
	if cancel := s.stop.Load(); err == nil && cancel != nil && s.at(w) {
		(*cancel)()
		return t, ctx.Err()
	}
	return t, err
}

// TestInterruptedInJoinsAndPasses ends a run in the middle of a join or of a pass, again and again, and resumes it from
// the disk that a crash would leave. Its records must be those of a run that is left alone.
func TestInterruptedInJoinsAndPasses(t *testing.T) {
	b, err := peg.Named("triangle5")
	if err != nil {
		t.Fatal(err)
	}
	p := counting.Params{Board: b, WindowAddresses: 60, HasGoal: true}
	if p.Start, err = peg.ParseStart(b, "r0c0"); err != nil {
		t.Fatal(err)
	}
	if p.Goal, err = peg.ParseGoal(b, "r4c2"); err != nil {
		t.Fatal(err)
	}
	pairs, err := solutions.NewPairs(p)
	if err != nil {
		t.Fatal(err)
	}
	through, err := ways.New(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		puzzle puzzle.Puzzle
		part   string // of the keys of the cells to stop in
	}{{"joins", pairs, "join"}, {"passes", through, "ways"}} {
		t.Run(c.name, func(t *testing.T) {
			fs := vfs.NewMem()
			whole := recordsOf(context.Background(), t, c.puzzle, t.TempDir(), fs)
			windows := 0
			for id := range whole {
				if strings.HasPrefix(id.Key, c.part) {
					windows++
				}
			}
			crashing := vfs.NewCrashableMem()
			dir := t.TempDir()
			const most = 6
			stops := 0
			for {
				ctx, cancel := context.WithCancel(context.Background())
				done := 0
				s := &stopping{Puzzle: c.puzzle, at: func(w puzzle.Window) bool {
					if !strings.HasPrefix(w.Key, c.part) || stops == most {
						return false
					}
					done++
					return done == 5+stops
				}}
				s.stop.Store(&cancel)
				got := recordsOf(ctx, t, s, dir, crashing)
				cancel()
				if got != nil {
					if !reflect.DeepEqual(got, whole) {
						t.Fatalf("after %d stops: %d records differ from the %d of the whole run", stops, len(got), len(whole))
					}
					break
				}
				stops++
				crashing = crashing.CrashClone(vfs.CrashCloneCfg{})
			}
			t.Logf("%d windows of %s, stopped %d times", windows, c.part, stops)
			if stops != most {
				t.Error("the test does not reach what it is for")
			}
		})
	}
}

// recordsOf carries a run on, and returns its records once it is complete; nil when ctx ended it.
func recordsOf(
	ctx context.Context, t *testing.T, p puzzle.Puzzle, dir string, fs vfs.FS,
) map[puzzle.WindowID]string {
	t.Helper()
	o := kv.Options{FS: fs, CacheBytes: 1 << 20, MemTableBytes: 1 << 20}
	f, err := rundir.Create(dir, rundir.NewMeta(p.Identity(), "config"), rundir.FolderOptions{Store: o, Ledger: o})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}()
	q := enginetest.NewQueue(1, enginetest.Faults{})
	_, err = engine.Run(ctx, p, f, engine.Options{Tasks: q, Work: q, Concurrency: 1, TaskTime: 1})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	records := map[puzzle.WindowID]string{}
	err = f.Ledger.Load(func(e kv.Entry) error {
		records[e.Record.ID()] = fmt.Sprint(e.Record.Rows, e.Record.Digest, e.Record.Tally)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return records
}
