package coordinator

import (
	"slices"
	"testing"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
)

// fail has a worker fail at the first window that it may take. It reports which that was.
func (l *led) fail(worker string) puzzle.WindowID {
	l.t.Helper()
	task := l.take(worker)
	if task == nil {
		l.t.Fatalf("nothing to do for %s", worker)
	}
	tw := &task.Windows[0]
	l.report(worker, protocol.Report{Failures: []protocol.Failure{
		{Window: tw.Window, Kind: protocol.FailError, Text: "so it says", Attempt: tw.Attempt},
	}})
	return tw.ID()
}

// wait lets time pass.
func (l *led) wait(d time.Duration) {
	l.t.Helper()
	for end := l.now.Add(d); l.now.Before(end) && l.c.running(); {
		l.now = l.now.Add(tickInterval)
		for name := range l.c.members.All() {
			l.c.members.Get(name).Hear(l.now)
		}
		l.c.stopOn(l.c.tick(l.t.Context(), l.now))
	}
}

// TestFailuresOfWorkers: a window at which three workers have failed is tried by the coordinator, and goes to a fourth
// when that succeeds; the window is set aside when it fails too.
func TestFailuresOfWorkers(t *testing.T) {
	for _, computable := range []bool{true, false} {
		l := lead(t, plantest.Grid(3), Options{}, "w", "x", "y", "z")
		failed := []string{}
		id := puzzle.WindowID{Cell: l.c.plan.Cells(0)[0].Cell}
		for range 3 {
			name := l.tasks[0].To
			if name == "" {
				name = "x"
			}
			if slices.Contains(failed, name) {
				t.Fatalf("the window goes to %s again", name)
			}
			failed = append(failed, name)
			if got := l.fail(name); got != id {
				t.Fatalf("%s was given window %s", name, got)
			}
		}
		if len(l.own) != 1 || l.own[0].ID() != id || len(l.tasks) > 0 {
			t.Fatalf("the coordinator computes %v, tasks %v", l.own, l.tasks)
		}
		if !computable {
			l.c.endOwn(t.Context(), id, nil, &protocol.Failure{Window: l.own[0], Kind: protocol.FailError})
			over, err := l.Over()
			if q := l.c.failures.Aside(); len(q) != 1 || q[0].Attempts != 4 || !over {
				t.Errorf("set aside: %v, %v", q, err)
			}
			continue
		}
		l.Recomputed(t.Context(), record(l.own[0]))
		if len(l.c.failures.Aside()) > 0 || len(l.tasks) != 1 || slices.Contains(append(failed, ""), l.tasks[0].To) {
			t.Fatalf("set aside: %v, tasks %v, failed on %v", l.c.failures.Aside(), l.tasks, failed)
		}
		last := l.tasks[0].To
		tw := l.take(last).Windows[0]
		l.report(last, protocol.Report{Done: []protocol.Done{done(&tw)}})
		if w := l.window(id); !w.Committed || w.State != plan.WindowHeld {
			t.Errorf("window %s is %s", id, w.State)
		}
	}
}

// TestFailuresOfAll: a window that the coordinator can compute, and no worker that is there, waits for others for a
// while. One that comes within that time gets it.
func TestFailuresOfAll(t *testing.T) {
	for _, comes := range []bool{true, false} {
		l := lead(t, plantest.Grid(3), Options{}, "x")
		for range 3 {
			l.fail("x")
		}
		l.Recomputed(t.Context(), record(l.own[0]))
		for range 3 {
			l.fail("x")
		}
		if len(l.tasks) > 0 || len(l.c.failures.Aside()) > 0 {
			t.Fatalf("the window does not wait: tasks %v, set aside %v", l.tasks, l.c.failures.Aside())
		}
		l.wait(nobodyLeft - time.Second)
		id := l.fail("x")
		if len(l.c.failures.Aside()) > 0 {
			t.Fatalf("set aside too early: %v", l.c.failures.Aside())
		}
		if comes {
			l.join("a")
			l.wait(time.Second)
			if len(l.tasks) != 1 || l.tasks[0].To != "a" {
				t.Fatalf("the window goes to %v", l.tasks)
			}
			tw := l.take("a").Windows[0]
			l.report("a", protocol.Report{Done: []protocol.Done{done(&tw)}})
			if !l.window(id).Committed {
				t.Error("what a has computed is not committed")
			}
			continue
		}
		l.wait(2 * time.Second)
		l.fail("x")
		if over, err := l.Over(); len(l.c.failures.Aside()) != 1 || !over {
			t.Errorf("set aside: %v, %v", l.c.failures.Aside(), err)
		}
	}
}

// TestBlame: a worker that fails at windows which another computes is set aside in the end, though it reports others in
// between.
func TestBlame(t *testing.T) {
	var aside []string
	events := Events{SetAside: func(e SetAside) { aside = append(aside, e.Worker) }}
	l := lead(t, plantest.Grid(9), Options{Events: events}, "x", "a")
	compute := func(name string) {
		if task := l.take(name); task != nil {
			l.report(name, protocol.Report{Done: []protocol.Done{done(&task.Windows[0])}})
		}
	}
	compute("x")
	for n := range 8 {
		if len(aside) > 0 {
			t.Fatalf("%v are set aside after %d failures", aside, n)
		}
		for len(l.tasks) > 0 && l.tasks[0].To == "a" {
			compute("a") // the windows at which x has failed
		}
		l.fail("x")
		if n%3 == 0 {
			compute("x")
		}
	}
	for len(l.tasks) > 0 && len(aside) == 0 {
		compute("a")
	}
	if !slices.Equal(aside, []string{"x"}) || !l.c.members.InReserve("x") || l.c.members.InReserve("a") {
		t.Errorf("set aside: %v", aside)
	}
}
