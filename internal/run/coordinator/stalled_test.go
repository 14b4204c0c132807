package coordinator

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/coordinator/failures"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
)

// prefer gives the first window of a grid, which was given out, to one worker instead.
func (l *led) prefer(worker string) {
	l.t.Helper()
	l.c.account.Complete(first)
	l.c.failures.Of(first).Prefer(worker)
	l.c.plan.Requeue(l.c.plan.Index[first.Cell], 0)
	if err := l.c.advance(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
}

// TestLateOrOverdue: the tasks of a worker go to another that has waited for long with nothing to do, before they are
// overdue. When no worker waits, they go to others once they are overdue.
func TestLateOrOverdue(t *testing.T) {
	for _, idle := range []bool{true, false} {
		var stalled []Stalled
		o := Options{TaskTime: 1, Events: Events{Stalled: func(e Stalled) { stalled = append(stalled, e) }}}
		l := lead(t, plantest.Wide{Depth: 1, Windows: 2}, o, "a", "b")
		cell := l.c.plan.Index[puzzle.Cell{Key: "a"}]
		for part, name := range []string{"a", "b"} {
			id := cell.WindowID(part)
			l.c.account.Complete(id)
			l.c.failures.Of(id).Prefer(name)
			l.c.plan.Requeue(cell, part)
		}
		l.tasks = nil
		l.c.stopOn(l.c.advance(t.Context()))
		if len(l.tasks) != 2 {
			t.Fatalf("tasks at first: %+v", l.tasks)
		}
		if idle {
			l.compute("b", 1)
		}
		begun := l.now
		for len(stalled) == 0 && l.now.Sub(begun) < time.Hour {
			l.wait(tickInterval)
		}
		if waited := l.now.Sub(begun); len(stalled) == 0 || stalled[0].Worker != "a" || (waited < leastOverdue) != idle {
			t.Errorf("another worker waits: %t; stalled after %v: %+v", idle, waited, stalled)
		}
	}
}

// TestWaitedFor: a worker is waited for from the time on that twice its work would take another, while another has
// nothing to do.
func TestWaitedFor(t *testing.T) {
	l := lead(t, plantest.Grid(2), Options{}, "a", "b")
	l.prefer("a")
	begun := l.now
	l.c.account.Rates.Here.NsPerWork = float64(time.Second) / l.c.plan.Index[first.Cell].WorkPerWindow()
	if got := l.c.predicted("a"); got.Round(time.Millisecond) != time.Second {
		t.Fatalf("the window of a takes %v", got)
	}
	l.now = begun.Add(10 * time.Second)
	for idle, want := range map[time.Duration]time.Duration{
		0: 8 * time.Second, 2 * time.Second: 8 * time.Second, 5 * time.Second: 5 * time.Second, 11 * time.Second: 0,
	} {
		l.c.times.idle = begun.Add(idle)
		if got := l.c.waitedFor("a", begun, l.now); got.Round(time.Millisecond) != want {
			t.Errorf("another is idle after %v: waited for %v, want %v", idle, got, want)
		}
	}
	if got := l.c.late("a", first); got.Round(time.Millisecond) != 8*time.Second {
		t.Errorf("a is late by %v", got)
	}
	if got := l.c.late("a", puzzle.WindowID{Part: 9}); got != 0 {
		t.Errorf("with a window that it was not given it is late by %v", got)
	}
}

// TestTakeBack: a worker whose tasks are taken back is given none of their windows again, if there are others.
func TestTakeBack(t *testing.T) {
	l := lead(t, plantest.Wide{Depth: 1, Windows: 3}, Options{TaskTime: 1}, "a", "b")
	cell := l.c.plan.Index[puzzle.Cell{Key: "a"}]
	for part := range cell.Parts {
		id := cell.WindowID(part)
		l.c.account.Complete(id)
		l.c.failures.Of(id).Prefer("a")
		l.c.plan.Requeue(cell, part)
	}
	l.tasks = nil
	l.c.stopOn(l.c.advance(t.Context()))
	had := l.c.account.Of("a")
	if len(had) < 2 {
		t.Fatalf("a has %v", had)
	}
	for _, want := range []bool{true, false} {
		if taken, err := l.c.takeBack(t.Context(), "a"); taken != want || err != nil {
			t.Errorf("taken back: %t, %v", taken, err)
		}
	}
	for _, id := range had {
		if got := l.c.failures.Of(id).Unfit(); !slices.Equal(got, []string{"a"}) {
			t.Errorf("window %s goes to others than %v", id, got)
		}
	}
}

// losing is a queue that knows so many tasks.
type losing struct {
	*led
	known int
}

func (q losing) Pending(context.Context) (int, error) { return q.known, nil }

// TestLostTasks: the coordinator sends a task again when the queue has lost it, and reports that.
func TestLostTasks(t *testing.T) {
	for known, sent := range []int{1, 0} {
		var again []Resubmitted
		events := Events{Resubmitted: func(e Resubmitted) { again = append(again, e) }}
		l := lead(t, plantest.Grid(2), Options{Events: events}, "a")
		l.tasks, l.c.queue = nil, losing{l, known}
		if err := l.c.watch(t.Context()); err != nil || len(l.tasks) != sent || len(again) != sent {
			t.Errorf("of one task %d are known: sent %v, told %v, %v", known, l.tasks, again, err)
		}
		if sent > 0 && again[0].Tasks != 1 {
			t.Errorf("%+v", again)
		}
	}
}

// TestSuspectLargest: when sums do not fit, the coordinator computes the window with the largest ones that rests on the
// word of workers. When there is none, the sums are too large.
func TestSuspectLargest(t *testing.T) {
	l := lead(t, plantest.Grid(3), Options{}, "a")
	layer := l.c.plan.Cells(2)
	last := l.c.plan.Index[layer[2].Cell].WindowID(0)
	if err := l.c.suspectLargest(last); !errors.Is(err, puzzle.ErrOverflow) || len(l.own) > 0 {
		t.Errorf("nothing is committed: %v, computed here %v", err, l.own)
	}
	for i, n := range []uint64{8, 5} {
		rec := record(layer[i].Window(0))
		rec.Tally.Sums = []puzzle.Scalar{{Name: "n", Value: uint128.From(n)}}
		if err := l.ledger.Append([]kv.Entry{{Record: rec, Holders: []string{"a"}}}); err != nil {
			t.Fatal(err)
		}
		if err := l.c.plan.CommitRecord(&rec); err != nil {
			t.Fatal(err)
		}
	}
	id := layer[0].Window(0).ID()
	l.loses(id) // and is given out again
	if err := l.c.suspectLargest(last); err != nil || !l.c.doubt.Disputed(id) {
		t.Errorf("%v, or it is not to be computed here", err)
	}
	if l.c.account.Has(id) || !l.window(id).Audit {
		t.Error("the window is left to a worker")
	}
}

// TestAnyFree: the run waits for a worker's tasks when a trusted worker has none. A worker in reserve counts where all
// are in reserve, or all others are late.
func TestAnyFree(t *testing.T) {
	for _, c := range []struct {
		reserved []string
		late     time.Duration
		want     bool
	}{
		{nil, 0, true}, {[]string{"a"}, 0, true}, {[]string{"b"}, 0, false}, {[]string{"a", "b"}, 0, true},
		{[]string{"b"}, time.Second, true},
	} {
		l := lead(t, plantest.Grid(2), Options{}, "a", "b")
		for _, name := range []string{"a", "b"} {
			l.c.members.Reported(name, l.now)
		}
		if l.prefer("a"); l.c.account.Load("a").Tasks != 1 {
			t.Fatalf("%v: worker a has %d tasks", c.reserved, l.c.account.Load("a").Tasks)
		}
		for _, name := range c.reserved {
			l.c.members.Costs.Tasks(name).Take(time.Hour)
		}
		l.now = l.now.Add(c.late)
		if got := l.c.anyFree(); got != c.want {
			t.Errorf("in reserve %v, a late by %v: the run waits: %v, want %v", c.reserved, c.late, got, c.want)
		}
	}
}

// TestIdleBesideReadyWindows: a worker waits for windows that are in hand, whether others are ready or not. It does not
// while the queue is away.
func TestIdleBesideReadyWindows(t *testing.T) {
	l := lead(t, plantest.Grid(2), Options{}, "a", "b")
	l.c.plan.Requeue(l.c.plan.Index[l.c.plan.Cells(0)[0].Cell], 0) // as a small window, which is left to its owner
	for _, away := range []string{"", "away"} {
		l.c.queueDown = away
		if l.c.noteIdle(); l.c.plan.NothingReady() || l.c.times.idle.IsZero() != (away != "") {
			t.Errorf("the queue is %q; a worker has had nothing to do since %v", away, l.c.times.idle)
		}
	}
}

// TestNoWindowStays: a window that all workers have had in vain does not stay with one that never reports.
func TestNoWindowStays(t *testing.T) {
	for _, silent := range []string{"a", "x"} {
		l := lead(t, plantest.Grid(1), Options{Fleet: FleetOptions{Locality: true}}, "a", "x", "y")
		h := l.c.failures.Of(first)
		h.Exclude("a")
		h.Exclude("x")
		l.c.account.Complete(first)
		l.c.plan.Requeue(l.c.plan.Index[first.Cell], 0)
		l.tasks = nil
		l.c.stopOn(l.c.advance(t.Context()))
		var had []string
		for begun := l.now; len(had) == 0 || had[len(had)-1] == silent; l.wait(tickInterval) {
			if l.now.Sub(begun) > 20*time.Second {
				t.Fatalf("the window stays with %s: %v had it", silent, had)
			}
			for _, task := range l.tasks {
				had = append(had, task.To)
			}
			l.tasks = nil
		}
	}
}

// TestTimeForRows: a worker that needs a second and a half for the rows of its parents gets it, whichever it is, beside
// others that never report.
func TestTimeForRows(t *testing.T) {
	names := []string{"a", "b", "x", "y"}
	for _, slow := range names {
		l := lead(t, plantest.Grid(1), Options{Fleet: FleetOptions{Locality: true}}, names...)
		for _, name := range names {
			l.c.members.Costs.Tasks(name).Take(time.Hour) // all are in reserve
		}
		begun, since, holder := l.now, l.now, ""
		for holder != slow || l.now.Sub(since) < 1500*time.Millisecond {
			if l.now.Sub(begun) > time.Minute {
				t.Fatalf("%s never has the window for that long", slow)
			}
			for _, task := range l.tasks {
				if task.To != holder {
					holder, since = task.To, l.now
				}
			}
			l.tasks = nil
			l.wait(tickInterval)
		}
		t.Logf("%s: after %v", slow, l.now.Sub(begun))
	}
}

// TestTurns: a worker that was late, or did not serve the rows of the window once, gets its turn. A worker in reserve
// that fails or accuses at once, each time, does not keep the window from it.
func TestTurns(t *testing.T) {
	for what, c := range map[string]struct {
		had func(h *failures.History)
		f   func(tw *protocol.TaskWindow) protocol.Failure
	}{
		"late, x accuses": {func(h *failures.History) { h.Exclude("a") },
			func(tw *protocol.TaskWindow) protocol.Failure { return unread(tw, inFirst) }},
		"withheld, x accuses": {func(h *failures.History) { h.Withhold("a") },
			func(tw *protocol.TaskWindow) protocol.Failure { return unread(tw, inFirst) }},
		"withheld, x fails": {func(h *failures.History) { h.Withhold("a") },
			func(tw *protocol.TaskWindow) protocol.Failure {
				return protocol.Failure{Window: tw.Window, Kind: protocol.FailError, Text: "so it says", Attempt: tw.Attempt}
			}},
	} {
		l := lead(t, plantest.Grid(1), Options{
			Fleet: FleetOptions{Locality: true},
			Check: func(context.Context, protocol.LocatedWindow) error { return nil },
		}, "a", "x")
		l.c.members.Costs.Tasks("x").Take(time.Hour)
		c.had(l.c.failures.Of(first))
		l.c.account.Complete(first)
		l.c.plan.Requeue(l.c.plan.Index[first.Cell], 0)
		l.tasks = nil
		l.c.stopOn(l.c.advance(t.Context()))
		had := 0
		for ; had < 20 && l.take("a") == nil; had++ {
			task := l.take("x")
			if task == nil {
				t.Errorf("a was %s: no worker has the window", what)
				break
			}
			l.report("x", protocol.Report{Failures: []protocol.Failure{c.f(&task.Windows[0])}})
		}
		if had == 0 || had > 4 {
			t.Errorf("a was %s: x has the window %d times before a has it", what, had)
		}
	}
}
