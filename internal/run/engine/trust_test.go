package engine_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/engine/enginetest/hostile"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/rundir"
)

// maxStuck is how long nothing may be committed, and maxAttacked how long a run may take that is attacked, in virtual
// time.
const maxStuck, maxAttacked = 30 * time.Second, 10 * time.Minute

// attacked carries out a run of p with a hostile worker x and honest ones, every window audited: it must end with the
// right digests, or with an error that names the hostile worker. It reports whether the run was completed.
func attacked(t *testing.T, seed uint64, p puzzle.Puzzle, x *hostile.Behaviour, honest ...string) (completed bool) {
	alone := map[string]*hostile.Behaviour{"x": x}
	return attackedBy(t, seed, p, engine.Options{AuditFraction: 1}, alone, honest...).completed
}

// attackedRun is the outcome of a run with hostile workers.
type attackedRun struct {
	completed bool
	refused   map[string]bool // workers
	took      time.Duration
}

// attackedBy is attacked with several hostile workers, and the audits of o.
func attackedBy(
	t *testing.T, seed uint64, p puzzle.Puzzle, o engine.Options, x map[string]*hostile.Behaviour, honest ...string,
) attackedRun {
	slow := wrap(p)
	slow.before = func(ctx context.Context, _ puzzle.Window, _ int) error {
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
		return ctx.Err()
	}
	y := newCluster(t, slow, seed, enginetest.Faults{Repeat: 0.05, Reorder: 0.1, LoseReply: 0.05})
	y.opts.AuditFraction, y.opts.AuditAlone, y.opts.Retention = o.AuditFraction, o.AuditAlone, o.Retention
	y.opts.WatchEvery, y.opts.ShutdownTimeout = time.Second, time.Second
	if o.TaskTime > 0 {
		y.opts.TaskTime = o.TaskTime
	}
	y.opts.Fleet.WorkerTimeout, y.opts.Fleet.RejoinGrace = 10*time.Second, 5*time.Second
	y.hostile = x
	refused, lies := make(map[string]bool), false
	for _, h := range x {
		lies = lies || h.Tally != nil || h.Rows != nil
	}
	begun := time.Now()
	var last atomic.Int64 // when something was committed
	var gap time.Duration
	y.opts.Events.Committed = func(coordinator.Committed) {
		now := int64(time.Since(begun))
		gap = max(gap, time.Duration(now-last.Swap(now)))
	}
	y.opts.Events.Refused = func(e coordinator.Refused) {
		t.Logf("after %v: refused %v, %d forgotten, %d compared", time.Since(begun), e.Workers, e.Forgotten, e.Audits)
		for _, r := range e.Workers {
			if refused[r.Worker] = true; x[r.Worker] == nil {
				t.Errorf("worker %s is refused, which is honest: window %s: %s", r.Worker, r.Window, r.Reason)
			}
		}
	}
	y.began = func(c *coordinator.Coordinator) { y.coord.Store(c) }
	y.begin()
	for _, name := range slices.Sorted(maps.Keys(x)) {
		y.worker(name, 2)
	}
	for _, name := range honest {
		y.worker(name, 1)
	}
	stop := time.AfterFunc(maxAttacked, y.stop)
	defer stop.Stop()
	err := y.end()
	took := time.Since(begun)
	gap = max(gap, took-time.Duration(last.Load()))
	t.Logf("it took %v, at most %v without a window", took.Round(time.Second), gap.Round(time.Second))
	y.p = p
	switch {
	case err == nil && (len(refused) == len(x) || len(x) == 1 || !lies || o.AuditAlone):
		y.check()
	case err == nil:
		t.Logf("the run was completed, and %v were refused of %v", refused, slices.Sorted(maps.Keys(x)))
	case len(honest) > 0 && !strings.Contains(err.Error(), "worker x"):
		t.Errorf("the run ended with %v, which does not name the hostile worker", err)
	case len(honest) > 0:
		t.Logf("the run ended with %v", err)
	}
	if len(honest) > 0 && gap > maxStuck {
		t.Errorf("nothing was committed for %v", gap)
	}
	return attackedRun{err == nil, refused, took}
}

// TestHostileWorker has one hostile worker beside two honest ones, one attack after the other.
func TestHostileWorker(t *testing.T) {
	for i, name := range slices.Sorted(maps.Keys(hostile.Behaviours)) {
		if testing.Short() && i%4 != 0 {
			continue // the race detector takes ten times as long
		}
		t.Run(name, beside(func(t *testing.T) {
			seed, _ := printedSeed(t)
			attacked(t, seed, &enginetest.Pascal{Depth: 4, Slots: 101, Window: 40}, hostile.Behaviours[name], "a", "b")
		}))
	}
}

// TestHostileWorkerAlone leaves a hostile worker alone with a coordinator: no run is completed with wrong numbers, and
// none at all when every window is reported wrongly.
func TestHostileWorkerAlone(t *testing.T) {
	for _, name := range hostile.NothingTrue {
		t.Run(name, beside(func(t *testing.T) {
			seed, _ := printedSeed(t)
			if attacked(t, seed, &enginetest.Pascal{Depth: 4, Slots: 101, Window: 40}, hostile.Behaviours[name]) {
				t.Error("the run was completed")
			}
		}))
	}
}

// TestPoisonedLedger starts a run whose ledger has a window with a wrong digest and a wrong flow: once from a known
// worker, once with no worker on record. The run goes on, in one process, to the right digests.
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
					e.Record.Tally.Out = slices.Clone(e.Record.Tally.Out)
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

// TestMisstatedBytes has a worker report true rows with another size, and audits nothing: readers find out.
func TestMisstatedBytes(t *testing.T) {
	for _, name := range []string{"fewer bytes", "more bytes"} {
		t.Run(name, bubble(func(t *testing.T) {
			seed, _ := printedSeed(t)
			p := &enginetest.Pascal{Depth: 4, Slots: 101, Window: 40}
			x := map[string]*hostile.Behaviour{"x": hostile.Behaviours[name]}
			if r := attackedBy(t, seed, p, engine.Options{}, x, "a", "b"); !r.completed || !r.refused["x"] {
				t.Errorf("completed %t, refused %v", r.completed, r.refused)
			}
		}))
	}
}

// TestHostileFamily has four workers lie in the same windows, in such a way that they confirm each other and all flows
// agree, beside two honest ones. Once all four have been found, no window remains that they alone have reported. The
// test carries out runs until all four have been found in three of them.
func TestHostileFamily(t *testing.T) {
	for found, n := 0, uint64(0); found < 3; n++ {
		t.Run(fmt.Sprint(n), bubble(func(t *testing.T) {
			family := make(map[string]*hostile.Behaviour)
			for i := range 4 {
				family[fmt.Sprintf("x%d", i)] = hostile.Behaviours["half the windows doubled"]
			}
			p := &enginetest.Pascal{Depth: 4, Slots: 401, Window: 10}
			o := engine.Options{AuditFraction: 1, Retention: plan.RetainSummary}
			r := attackedBy(t, n, p, o, family, "a", "b")
			if r.completed && len(r.refused) == len(family) {
				found++
			}
		}))
		if t.Failed() {
			return
		}
	}
}

// TestNoLieAtAll has four workers that confirm each other lie in a single window, each in its turn, in such a way that
// all flows agree: where the coordinator audits every window itself, each lie is found.
func TestNoLieAtAll(t *testing.T) {
	p := &enginetest.Pascal{Depth: 4, Slots: 101, Window: 40}
	var all []puzzle.WindowID
	for n := range p.Depth {
		plans, err := p.Layer(n, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range plans {
			for part := range plans[i].Cuts {
				all = append(all, puzzle.WindowID{Cell: plans[i].Cell, Part: part})
			}
		}
	}
	for i, id := range all {
		if testing.Short() && i%6 != 0 {
			continue
		}
		t.Run(id.String(), beside(func(t *testing.T) {
			family := make(map[string]*hostile.Behaviour)
			for i := range 4 {
				family[fmt.Sprintf("x%d", i)] = hostile.Doubles(func(w puzzle.Window) bool { return w.ID() == id })
			}
			o := engine.Options{AuditFraction: 1, AuditAlone: true, Retention: plan.RetainSummary}
			if !attackedBy(t, uint64(i), p, o, family, "a").completed {
				t.Error("the run was not completed")
			}
		}))
	}
}

// TestConfirmedByRefused resumes, in one process, a run in which two workers have confirmed each other's lie, flows
// agree, and an honest worker has computed the windows that follow from it. Their refusals are on record, or one of
// them is and the other liar is found by another window that only it has reported. The rows are gone, and none of the
// lies is computed again because others need its rows.
func TestConfirmedByRefused(t *testing.T) {
	p := &enginetest.Pascal{Depth: 5, Slots: 101, Window: 40}
	confirmed := puzzle.WindowID{Cell: puzzle.Cell{Layer: 4, Key: "k2"}, Part: 1}
	alone := puzzle.WindowID{Cell: puzzle.Cell{Layer: 3, Key: "k3"}, Part: 0}
	for name, refused := range map[string][]kv.Refusal{
		"both on record": {{Worker: "x", Window: "w", Reason: "r"}, {Worker: "y", Window: "w", Reason: "r"}},
		"one on record":  {{Worker: "x", Window: "w", Reason: "r"}},
	} {
		t.Run(name, bubble(func(t *testing.T) {
			lies := hostile.Doubles(func(w puzzle.Window) bool { return w.ID() == confirmed || w.ID() == alone })
			lying := (&hostile.Attacker{Behaviour: lies, Puzzle: p}).Computes()
			lied := t.TempDir()
			o := engine.Options{Retention: plan.RetainSummary}
			run(t, lying, lied, faultless(), o)
			f := create(t, p, lied)
			defer func() { closeFolder(t, f) }()
			all := entriesOf(t, f.Ledger)
			for i := range all {
				e := &all[i]
				e.By = []string{"h"}
				switch e.Record.ID() {
				case confirmed:
					e.By = []string{"x", "y"}
				case alone:
					e.By = []string{"y"}
				}
				if err := f.Ledger.Forget(e.Record.ID()); err != nil {
					t.Fatal(err)
				}
			}
			if err := f.Ledger.Append(all, kv.Audit{Window: alone, Done: len(refused) == 2}); err != nil {
				t.Fatal(err)
			}
			if err := f.Ledger.Distrust(kv.Distrust{Refuse: refused}); err != nil {
				t.Fatal(err)
			}
			q := faultless()
			o.Tasks, o.Work = q, q
			out, err := engine.Run(t.Context(), p, f, o)
			if err != nil || !out.Results.Complete() {
				t.Fatal(err)
			}
			whole := t.TempDir()
			run(t, p, whole, faultless(), engine.Options{Retention: plan.RetainSummary})
			undisturbed := create(t, p, whole)
			defer closeFolder(t, undisturbed)
			if !slices.Equal(entries(t, f.Ledger), entries(t, undisturbed.Ledger)) {
				t.Fatal("the ledger differs from that of an undisturbed run")
			}
		}))
	}
}
