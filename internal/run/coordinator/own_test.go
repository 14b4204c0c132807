package coordinator

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/coordinator/doubt"
	"pagoda/internal/run/coordinator/failures"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
)

// ownMissing returns the failure of the coordinator's own worker that could not read the first window of a grid.
func ownMissing(window puzzle.Window, holders ...string) protocol.Failure {
	return protocol.Failure{Window: window, Kind: protocol.FailMissing, Text: "torn", Missing: &inFirst, Holders: holders}
}

// preferred returns the worker that is to have a window, "" when any may.
func (l *led) preferred(id puzzle.WindowID) string {
	works := func(string) bool { return true }
	return l.c.failures.Of(id).Next(nil, works, func([]string) string { return "" })
}

// TestOwnWorkerIsBelieved: rows that the coordinator's own worker cannot read are lost at once when they are not there.
// When their holder is out of reach, the window waits, is preferred for the holder that lives, and the rows are lost
// after some attempts.
func TestOwnWorkerIsBelieved(t *testing.T) {
	child := puzzle.Window{Cell: puzzle.Cell{Layer: 1, Key: "a0"}, Addresses: 10}
	begin := func() *led {
		l := lead(t, plantest.Grid(2), Options{Check: func(context.Context, protocol.LocatedWindow) error {
			t.Error("its word is checked")
			return nil
		}}, "h", protocol.OwnWorker)
		l.compute("h", 1)
		l.tasks = nil
		return l
	}
	missing := func(l *led, unreachable bool) {
		f := ownMissing(child, "h")
		f.Unreachable, f.Loss = unreachable, int(l.window(first).Losses)
		l.report(protocol.OwnWorker, protocol.Report{Failures: []protocol.Failure{f}})
	}
	l := begin()
	if missing(l, false); len(l.holders(first)) > 0 || l.window(first).Losses != 1 || !l.c.running() {
		t.Errorf("torn rows: held by %v, %v", l.holders(first), l.c.Err())
	}
	if got := l.given(); strings.Contains(got, child.ID().String()) || !strings.Contains(got, first.String()) {
		t.Errorf("without the parent's rows %q is given out", got)
	}
	l = begin()
	for n := range failures.MaxUnreachable {
		if held := len(l.holders(first)) > 0; !held {
			t.Fatalf("the rows are lost after %d attempts", n)
		}
		l.c.members.Get("h").Hear(l.now)
		missing(l, true)
		if preferred := l.preferred(child.ID()); (preferred == "h") != (n+1 < failures.MaxUnreachable) {
			t.Errorf("after %d attempts %q is preferred", n+1, preferred)
		}
		if l.given() != "" && n+1 < failures.MaxUnreachable {
			t.Errorf("after %d attempts the window does not wait: %s", n+1, l.given())
		}
		l.now = l.now.Add(time.Millisecond)
		l.wait(failures.RetryDelay + tickInterval)
		l.tasks = nil
	}
	if len(l.holders(first)) > 0 {
		t.Error("rows that are out of reach again and again are not lost")
	}
	l = begin()
	l.c.members.Get("h").Leaving = true
	if missing(l, true); !l.c.failures.Retrying() || l.preferred(child.ID()) != "" {
		t.Errorf("the window does not wait for a holder that is leaving: %+v", l.c.failures.Of(child.ID()))
	}
	l = begin()
	l.hold(first, protocol.ArchiveName)
	f := ownMissing(child, protocol.ArchiveName)
	f.Unreachable = true
	l.report(protocol.OwnWorker, protocol.Report{Failures: []protocol.Failure{f}})
	got, losses := l.holders(first), l.window(first).Losses
	if !slices.Equal(got, []string{"h"}) || l.c.failures.Retrying() || losses > 0 {
		t.Errorf("an archive that is away: held by %v", got)
	}
}

// TestOwnRecomputationLacksRows: when the coordinator cannot read a parent of a window that it computes, the parent's
// holder has a fault in serving, and the parent counts as lost there.
func TestOwnRecomputationLacksRows(t *testing.T) {
	for _, unreachable := range []bool{false, true} {
		l := lead(t, plantest.Grid(2), Options{}, "h", "x")
		l.compute("h", 1)
		child := l.c.plan.Index[puzzle.Cell{Layer: 1, Key: "a0"}]
		before := l.budgets()["h"]
		l.c.own.busy[child.WindowID(0)] = l.now
		f := ownMissing(child.Window(0), "h")
		f.Unreachable = unreachable
		l.c.endOwn(t.Context(), child.WindowID(0), nil, &f)
		if lost := len(l.holders(first)) == 0; lost == unreachable || !l.c.running() {
			t.Errorf("unreachable %t: held by %v, %v", unreachable, l.holders(first), l.c.Err())
		}
		if after := l.budgets()["h"]; after >= before {
			t.Errorf("unreachable %t: h pays nothing: %v of %v", unreachable, after, before)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		l = lead(t, plantest.Grid(2), Options{}, "h", "x")
		l.compute("h", 1)
		l.c.own.busy[child.WindowID(0)] = l.now
		if l.c.endOwn(ended, child.WindowID(0), nil, &f); len(l.holders(first)) != 1 {
			t.Error("a coordinator that was told to stop still notes a loss")
		}
	}
}

// TestRecomputesInLoop: a coordinator that runs computes the windows in dispute by its function, so many at a time.
func TestRecomputesInLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		computed, busy, most := 0, 0, 0
		var f *fleet
		f = running(t, Options{
			AuditFraction: 1, AuditAlone: true, Recomputers: 2,
			Recompute: func(_ context.Context, w puzzle.Window, _ protocol.Locator) (kv.Record, *protocol.Failure) {
				f.do(t.Context(), func() { busy++; most = max(most, busy); computed++ })
				time.Sleep(time.Second)
				f.do(t.Context(), func() { busy-- })
				tw := &protocol.TaskWindow{Window: w}
				return rows(tw).Record, nil
			},
		}, "h")
		for range 3 {
			f.compute("h")
		}
		<-f.Over()
		if s := f.Status(t.Context()); s.Recomputed != 4 || s.Audited != 4 || computed != 4 || most != 2 {
			t.Errorf("%d windows are computed here, %d audited, %d at a time: %+v", computed, s.Audited, most, s)
		}
		if err := f.end(); err != nil {
			t.Error(err)
		}
	})
}

// TestOwnClaim: a claim of the coordinator's own worker that differs from its computation is a fault of this machine.
func TestOwnClaim(t *testing.T) {
	l := lead(t, plantest.Grid(2), Options{}, "h")
	other, rec := record(inFirst), record(inFirst)
	other.Digest[0]++
	l.c.dispute(first, doubt.Claim{Worker: protocol.OwnWorker, Record: other})
	err := l.c.recomputed(t.Context(), first, &rec, nil, 0)
	var conflict *kv.ConflictError
	if !errors.As(err, &conflict) || errors.Is(err, errRefused) {
		t.Errorf("a claim of its own worker: %v", err)
	}
}

// TestSumsTooLarge: a window whose sums cannot be added to the others is computed by the coordinator. When it is right,
// the one with the largest numbers of its layer is computed next. When all are right, the run cannot go on.
func TestSumsTooLarge(t *testing.T) {
	l := lead(t, plantest.Wide{Depth: 2, Windows: 3}, Options{TaskTime: 1, Recomputers: 4}, "h")
	sums := func(w puzzle.Window, n uint128.Uint128) protocol.Done {
		d := rows(&protocol.TaskWindow{Window: w})
		d.Record.Tally.Sums = []puzzle.Scalar{{Name: "n", Value: n}}
		return d
	}
	half := uint128.Uint128{Hi: 1 << 63}
	numbers := map[int]uint128.Uint128{0: half, 1: uint128.From(7), 2: half}
	var last puzzle.Window
	for range 3 {
		tw := l.take("h").Windows[0]
		d := sums(tw.Window, numbers[tw.Window.Part])
		d.Attempt = tw.Attempt
		last = tw.Window
		l.report("h", protocol.Report{Done: []protocol.Done{d}})
	}
	if len(l.own) != 1 || l.own[0] != last || l.window(last.ID()).Committed {
		t.Fatalf("the coordinator computes %v, want %s", l.own, last)
	}
	var order []int
	for n := 0; n < len(l.own) && l.c.running(); n++ {
		order = append(order, l.own[n].Part)
		l.Recomputed(t.Context(), sums(l.own[n], numbers[l.own[n].Part]).Record)
	}
	if !errors.Is(l.c.Err(), puzzle.ErrOverflow) || len(order) < 3 || order[0] != last.Part ||
		numbers[order[1]] != half {
		t.Errorf("windows %v are computed, it ends with %v", order, l.c.Err())
	}
}

// TestSumsTooLargeToDecide: where the coordinator cannot compute, sums that cannot be added end the run.
func TestSumsTooLargeToDecide(t *testing.T) {
	l := lead(t, plantest.Wide{Depth: 2, Windows: 2}, Options{TaskTime: 1}, "h")
	l.c.o.Recompute = nil
	for range 2 {
		tw := l.take("h").Windows[0]
		d := rows(&tw)
		d.Record.Tally.Sums = []puzzle.Scalar{{Name: "n", Value: uint128.Uint128{Hi: 1 << 63}}}
		l.report("h", protocol.Report{Done: []protocol.Done{d}})
	}
	if !errors.Is(l.c.Err(), puzzle.ErrOverflow) {
		t.Errorf("it ends with %v", l.c.Err())
	}
}

// TestTook: the time of a window is at most the time since it was given, but for the coordinator's own worker. A window
// that was given to no worker teaches nothing.
func TestTook(t *testing.T) {
	l := lead(t, plantest.Grid(2), Options{}, "h")
	l.now = l.now.Add(time.Second)
	for _, c := range []struct {
		worker string
		id     puzzle.WindowID
		nanos  int64
		want   time.Duration
	}{
		{"h", first, 1e6, time.Millisecond}, {"h", first, math.MaxInt64, time.Second},
		{protocol.OwnWorker, first, 5e9, 5 * time.Second}, {"h", puzzle.WindowID{Part: 9}, 1e6, 0},
	} {
		if got := l.c.took(c.worker, c.id, c.nanos); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestOwnConflict: in a closed fleet, another result for a window in the ledger ends the run with both, also when the
// window was lost meanwhile.
func TestOwnConflict(t *testing.T) {
	for what, change := range map[string]func(r *kv.Record){
		"digest": func(r *kv.Record) { r.Digest[3]++ },
		"tally":  func(r *kv.Record) { r.Tally.Sums = []puzzle.Scalar{{Name: "n", Value: uint128.From(9)}} },
	} {
		for _, lost := range []bool{false, true} {
			l := lead(t, plantest.Grid(2), Options{Fleet: FleetOptions{Closed: true}}, protocol.OwnWorker)
			l.compute(protocol.OwnWorker, 1)
			if lost {
				l.loses(first)
			}
			d := rows(&protocol.TaskWindow{Window: inFirst})
			change(&d.Record)
			l.report(protocol.OwnWorker, protocol.Report{Done: []protocol.Done{d}})
			var conflict *kv.ConflictError
			if !errors.As(l.c.Err(), &conflict) || conflict.Have.ID() != first || !conflict.Got.Same(&d.Record) ||
				!strings.Contains(l.c.Err().Error(), "worker "+protocol.OwnWorker) {
				t.Errorf("another %s, lost %t: it ends with %v", what, lost, l.c.Err())
			}
		}
	}
}

// TestOwnReports: an improper window of the coordinator's own worker ends the run with the fault.
func TestOwnReports(t *testing.T) {
	for what, change := range map[string]func(r *kv.Record){
		"not in the plan": func(r *kv.Record) { r.Key = "zz" },
		"0 blocks for":    func(r *kv.Record) { r.Blocks = 0 },
	} {
		l := lead(t, plantest.Grid(2), Options{}, protocol.OwnWorker)
		d := rows(&l.take(protocol.OwnWorker).Windows[0])
		change(&d.Record)
		l.report(protocol.OwnWorker, protocol.Report{Done: []protocol.Done{d}})
		if err := l.c.Err(); err == nil || !strings.Contains(err.Error(), what) || errors.Is(err, errRefused) {
			t.Errorf("%s: it ends with %v", what, err)
		}
	}
}

// TestWaitForHolders: a window waits for silent holders for their patience, which is less than the time after which
// they count as lost.
func TestWaitForHolders(t *testing.T) {
	l := lead(t, plantest.Grid(2), Options{}, "h")
	begun := l.now
	for l.c.waitForHolders(first, []string{"h"}) && l.now.Sub(begun) < time.Minute {
		l.now = l.now.Add(tickInterval)
	}
	if waited := l.now.Sub(begun); waited < time.Second || waited > 4*time.Second {
		t.Errorf("it waits for %v", waited)
	}
	if n := len(l.c.failures.Due(l.now.Add(time.Minute))); n < 10 {
		t.Errorf("it is listed again %d times", n)
	}
}

// TestReportedTwiceWhileAudited: the report of a window that comes a second time does not give its audit out once more.
func TestReportedTwiceWhileAudited(t *testing.T) {
	l := lead(t, plantest.Grid(2), Options{AuditFraction: 1, Recomputers: 1}, "w", "v")
	l.c.o.Recompute = nil
	tw := l.take("w").Windows[0]
	for range 2 {
		l.report("w", protocol.Report{Done: []protocol.Done{rows(&tw)}, Number: 1})
	}
	if n := strings.Count(l.given(), first.String()); n != 1 || !l.window(first).Audit {
		t.Errorf("the audit is given out %d times: %s", n, l.given())
	}
}

// TestOwnCopy: a window that the coordinator's own worker has copied is not its own word: it computes no window that
// the ledger does not have, nor speaks for one that it has.
func TestOwnCopy(t *testing.T) {
	for _, known := range []bool{true, false} {
		l := lead(t, plantest.Grid(2), Options{Fleet: FleetOptions{Replication: 2}}, "h", protocol.OwnWorker)
		if known {
			l.compute("h", 1)
		}
		l.report(protocol.OwnWorker, protocol.Report{Done: []protocol.Done{copyOf(inFirst)}})
		w := l.window(first)
		held := slices.Contains(l.holders(first), protocol.OwnWorker)
		if w.Committed != known || held != known || l.c.plan.Trusted(w) {
			t.Errorf("known %t: committed %t, held %t, computed by %v", known, w.Committed, held, l.c.plan.ReporterNames(w))
		}
	}
}
