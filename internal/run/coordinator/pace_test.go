package coordinator

import (
	"math"
	"testing"
	"time"

	"pagoda/internal/run/coordinator/assignment"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
)

// TestPace: no worker's word about time makes its own task last longer than another worker, or the coordinator, has
// shown that it takes.
func TestPace(t *testing.T) {
	var took time.Duration
	events := Events{Committed: func(e Committed) { took = e.Took }}
	// Audits make the coordinator compute: there is no other worker before b comes.
	l := lead(t, plantest.Grid(4), Options{Events: events, AuditFraction: 1}, "a")
	work := l.c.plan.Index[l.c.plan.Cells(0)[0].Cell].WorkPerWindow()
	report := func(worker string, after time.Duration, nanos int64) {
		t.Helper()
		task := l.take(worker)
		if task == nil {
			t.Fatalf("nothing to do for %s", worker)
		}
		l.now = l.now.Add(after)
		d := done(&task.Windows[0])
		d.Nanos = nanos
		l.report(worker, protocol.Report{Done: []protocol.Done{d}})
	}
	report("a", 3*time.Second, math.MaxInt64)
	if took != 3*time.Second || l.c.account.Rates.All.NsPerWork > 3e9/work {
		t.Errorf("a window took %v, which was given out 3 s ago; rate %v", took, l.c.account.Rates.All)
	}
	for _, to := range []string{"a", ""} {
		if pace := l.c.pace(to); pace != assignment.NewRates().All.NsPerWork {
			t.Errorf("the pace of %q is %g when a alone has reported", to, pace)
		}
	}
	if len(l.own) != 1 {
		t.Fatalf("the coordinator computes %v", l.own)
	}
	l.now = l.now.Add(2 * time.Millisecond)
	l.Recomputed(t.Context(), record(l.own[0]))
	if seen := l.c.account.Rates.Here.NsPerWork; math.Abs(seen*work/2e6-1) > 1e-9 {
		t.Errorf("2 ms for work of %g were %g ns a unit", work, seen)
	}
	l.join("b")
	report("b", time.Second, 8e6)
	l.c.account.Rates.Of("a").NsPerWork = 1e9
	for to, want := range map[string]float64{"a": 8e6 / work, "": 8e6 / work, "b": 1e9, "c": 8e6 / work} {
		if pace := l.c.pace(to); math.Abs(pace/want-1) > 1e-9 {
			t.Errorf("the pace of %q is %g, want %g: a says 1e9, b %g", to, pace, want, 8e6/work)
		}
	}
	l.c.account.Rates.Of("b").NsPerWork = 1e-12 // it claims to take no time
	if pace := l.c.pace("a") * work; math.Abs(pace/2e6-1) > 1e-9 {
		t.Errorf("the pace of a is %g ns a window, the coordinator took 2 ms", pace)
	}
	l.c.members.Remove("b")
	l.c.account.Rates.Here.NsPerWork = 0
	if pace := l.c.pace("a"); pace != assignment.NewRates().All.NsPerWork {
		t.Errorf("the pace of a is %g when b has gone", pace)
	}
}

// TestTookUnasked: a report of a window that was not given out, or is in the ledger already, teaches nothing of time.
func TestTookUnasked(t *testing.T) {
	l := lead(t, plantest.Grid(4), Options{}, "a")
	task := l.take("a")
	d := done(&task.Windows[0])
	l.report("a", protocol.Report{Done: []protocol.Done{d}})
	before := l.c.account.Rates.All
	d.Nanos = math.MaxInt64
	l.report("a", protocol.Report{Done: []protocol.Done{d}})
	if l.c.account.Rates.All != before || l.c.took("a", task.Windows[0].ID(), math.MaxInt64) != 0 {
		t.Errorf("the rate was %v and is %v", before, l.c.account.Rates.All)
	}
}
