package engine_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pagoda/internal/coordinator"
	"pagoda/internal/engine"
	"pagoda/internal/engine/enginetest"
	"pagoda/internal/puzzle"
	"pagoda/internal/rundir"
)

// maxStuck is how long nothing may be committed, and maxAttacked how long a run may take that is attacked, in virtual
// time.
const maxStuck, maxAttacked = 30 * time.Second, 2 * time.Minute

// attacked carries out a run of p with a hostile worker x and honest ones, every window audited: it must end with the
// right digests, or with an error that names the hostile worker. It reports whether the run was completed.
func attacked(t *testing.T, seed uint64, p puzzle.Puzzle, x *hostile, honest ...string) (completed bool) {
	slow := wrap(p)
	slow.before = func(ctx context.Context, _ puzzle.Window, _ int) error {
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
		return ctx.Err()
	}
	y := newCluster(t, slow, seed, enginetest.Faults{Repeat: 0.05, Reorder: 0.1, LoseReply: 0.05})
	y.opts.AuditFraction = 1
	y.opts.WatchEvery, y.opts.ShutdownTimeout = time.Second, time.Second
	y.opts.Fleet.WorkerTimeout, y.opts.Fleet.RejoinGrace = 10*time.Second, 5*time.Second
	y.hostile = map[string]*hostile{"x": x}
	begun := time.Now()
	var last atomic.Int64 // when something was committed
	var gap time.Duration
	y.opts.Events.Committed = func(coordinator.Committed) {
		now := int64(time.Since(begun))
		gap = max(gap, time.Duration(now-last.Swap(now)))
	}
	y.opts.Events.Refused = func(e coordinator.Refused) {
		for _, r := range e.Workers {
			if r.Worker != "x" {
				t.Errorf("worker %s is refused, which is honest: window %s: %s", r.Worker, r.Window, r.Reason)
			}
		}
	}
	y.began = func(c *coordinator.Coordinator) { y.coord.Store(c) }
	y.begin()
	y.worker("x", 2)
	for _, name := range honest {
		y.worker(name, 1)
	}
	stop := time.AfterFunc(maxAttacked, y.stop)
	defer stop.Stop()
	err := y.end()
	gap = max(gap, time.Since(begun)-time.Duration(last.Load()))
	t.Logf("it took %v, at most %v without a window", time.Since(begun).Round(time.Second), gap.Round(time.Second))
	y.p = p
	switch {
	case err == nil:
		y.check()
	case len(honest) > 0 && !strings.Contains(err.Error(), "worker x"):
		t.Errorf("the run ended with %v, which does not name the hostile worker", err)
	case len(honest) > 0:
		t.Logf("the run ended with %v", err)
	}
	if len(honest) > 0 && gap > maxStuck {
		t.Errorf("nothing was committed for %v", gap)
	}
	return err == nil
}

// TestHostileWorker has a worker do what it should not beside two honest ones, one attack after the other.
func TestHostileWorker(t *testing.T) {
	for i, name := range slices.Sorted(maps.Keys(attacks)) {
		if testing.Short() && i%4 != 0 {
			continue // the race detector takes ten times as long
		}
		t.Run(name, bubble(func(t *testing.T) {
			seed, _ := printedSeed(t)
			attacked(t, seed, &enginetest.Pascal{Depth: 4, Slots: 101, Window: 40}, attacks[name], "a", "b")
		}))
	}
}

// TestHostileWorkerAlone leaves a hostile worker alone with a coordinator: no run is completed with wrong numbers, and
// none at all when every window is reported wrongly.
func TestHostileWorkerAlone(t *testing.T) {
	wrong := []string{
		"false rows with true tally", "true rows with false tally", "false rows with false tally", "false digest",
		"one false window", "one row and an empty tally", "sums that overflow", "another window", "another range",
		"more rows than addresses", "impossible bytes", "another run", "flows of strangers", "no attempt",
		"attempts of its own making", "silence", "false failures", "false overflow", "says that it has had it",
	}
	for _, name := range wrong {
		t.Run(name, bubble(func(t *testing.T) {
			seed, _ := printedSeed(t)
			if attacked(t, seed, &enginetest.Pascal{Depth: 4, Slots: 101, Window: 40}, attacks[name]) {
				t.Error("the run was completed")
			}
		}))
	}
}

// TestPoisonedLedger starts a run whose ledger has a wrong window that a worker has reported, once with a flow that the
// other end contradicts, once with rows that nothing contradicts until they are computed again, and once when the
// liar's name is not on record: the run goes on, in one process, to the right digests.
func TestPoisonedLedger(t *testing.T) {
	for name, by := range map[string][]string{"by a worker": {"x"}, "by nobody known": nil} {
		t.Run(name, bubble(func(t *testing.T) {
			p := &enginetest.Pascal{Depth: 4, Slots: 101, Window: 40}
			whole := t.TempDir()
			run(t, p, whole, faultless(), engine.Options{})
			honest, err := rundir.Open(whole, readOnly(whole))
			if err != nil {
				t.Fatal(err)
			}
			all := entriesOf(t, honest.Ledger)
			closeFolder(t, honest)
			for i := range all {
				e := &all[i]
				e.Holders, e.By = []string{"x"}, by
				if e.Record.Layer == 1 && e.Record.Part == 1 {
					e.Record.Tally = copyTally(e.Record.Tally)
					e.Record.Digest[0] ^= 1
					e.Record.Tally.Out[0].Amount.Lo++
				}
			}
			dir := t.TempDir()
			f := create(t, p, dir)
			defer func() { closeFolder(t, f) }()
			if err := f.Ledger.Append(all); err != nil {
				t.Fatal(err)
			}
			q := faultless()
			out, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q})
			if err != nil || !out.Results.Complete() {
				t.Fatal(err)
			}
			want, _ := content(t, p, whole)
			if got := entries(t, f.Ledger); !slices.Equal(got, want) {
				t.Fatal("the ledger differs")
			}
		}))
	}
}
