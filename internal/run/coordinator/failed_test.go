package coordinator

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pagoda/internal/puzzle"
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

// wait lets time pass, in which all workers beat but some.
func (l *led) wait(d time.Duration, silent ...string) {
	l.t.Helper()
	for end := l.now.Add(d); l.now.Before(end) && l.c.running(); {
		l.now = l.now.Add(tickInterval)
		for name, m := range l.c.members.All() {
			if !slices.Contains(silent, name) {
				m.Hear(l.now)
			}
		}
		l.c.stopOn(l.c.tick(l.t.Context(), l.now))
		if l.now.Sub(time.Unix(1000, 0))%l.c.o.WatchEvery == 0 && l.c.running() {
			l.c.stopOn(l.c.watch(l.t.Context()))
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

// TestAttemptsInReserve: a failure of a worker in reserve is no attempt while another worker is trusted.
func TestAttemptsInReserve(t *testing.T) {
	for reserved, want := range map[string]int{"": 1, "x": 0, "x a": 1} {
		l := lead(t, plantest.Grid(2), Options{}, "x", "a")
		l.tasks = nil
		for _, name := range []string{"x", "a"} {
			l.c.members.Reported(name, l.now)
		}
		l.prefer("x")
		for _, name := range strings.Fields(reserved) {
			l.c.members.Costs.Tasks(name).Take(time.Hour)
		}
		if id := l.fail("x"); l.c.failures.Find(id).Attempts() != want {
			t.Errorf("in reserve %q: %d attempts, want %d", reserved, l.c.failures.Find(id).Attempts(), want)
		}
	}
}
