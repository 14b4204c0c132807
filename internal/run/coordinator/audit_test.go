package coordinator

import (
	"testing"

	"pagoda/internal/run/coordinator/attempt"
	"pagoda/internal/run/coordinator/doubt"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/trust"
)

// TestAuditsOfItsOwn: a worker does not settle the audit of a window that it has computed itself, whatever mark it
// shows. A mark of an attempt that is not due any more does not settle it either. Another worker, or the coordinator,
// settles it.
func TestAuditsOfItsOwn(t *testing.T) {
	l := lead(t, plantest.Grid(3), Options{AuditFraction: 1}, "a", "b")
	first := l.take("a").Windows[0]
	id := first.ID()
	l.report("a", protocol.Report{Done: []protocol.Done{done(&first)}})
	if len(l.due()) != 1 || !l.window(id).Audit {
		t.Fatalf("audits of %v are due", l.due())
	}
	again := done(&first)
	again.Audit = true
	marker := l.c.doubt.Marker
	for name, a := range map[string]protocol.TaskWindow{
		"no mark":       {},
		"a false mark":  {Attempt: "5.1.ca.00112233445566778899"},
		"its own mark":  {Attempt: first.Attempt},
		"a proper mark": {Attempt: marker.Mark(audit(5), id, "")},
	} {
		again.Attempt = a.Attempt
		l.report("a", protocol.Report{Done: []protocol.Done{again}})
		if len(l.due()) != 1 || !l.window(id).Audit {
			t.Fatalf("%s: a has audited its own window", name)
		}
	}
	l.suspect(id)
	again.Attempt = marker.Mark(audit(3), id, "")
	l.report("b", protocol.Report{Done: []protocol.Done{again}})
	if len(l.due()) != 1 || !l.window(id).Audit {
		t.Fatal("an audit that was begun before the window was forgotten has settled it")
	}
	again.Attempt = marker.Mark(audit(5), id, "")
	l.report("b", protocol.Report{Done: []protocol.Done{again}})
	if len(l.due()) != 0 || l.window(id).Audit {
		t.Fatal("b has audited the window, and it is still due")
	}
	second := l.take("a").Windows[0]
	again = done(&second)
	again.Audit, again.Attempt = true, marker.Mark(audit(5), second.ID(), "")
	l.report("a", protocol.Report{Done: []protocol.Done{done(&second), again}})
	if len(l.due()) != 1 || !l.window(second.ID()).Audit {
		t.Fatal("a has audited a window together with its first result")
	}
}

// TestAuditorIsAnother: the audit of a window does not go to the worker that computed it, also not when that worker
// alone can reach the window's parents.
func TestAuditorIsAnother(t *testing.T) {
	l := lead(t, plantest.Grid(3), Options{AuditFraction: 1}, "a", "b")
	first := l.take("a").Windows[0]
	l.report("a", protocol.Report{Done: []protocol.Done{done(&first)}})
	cell, w, err := l.c.plan.Window(first.ID())
	if err != nil {
		t.Fatal(err)
	}
	h := l.c.failures.Of(first.ID())
	h.Prefer("a")
	if to := l.c.restricted(cell, w, h); to != "b" {
		t.Errorf("the audit goes to %q", to)
	}
}

// audit is an attempt at an audit that any worker may take.
func audit(epoch uint64) attempt.Attempt {
	return attempt.Attempt{Epoch: epoch, Serial: 1, Audit: true}
}

// TestAudits: the coordinator computes a quarter of the audits, or all of them.
func TestAudits(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want trust.Shares
	}{
		{Options{AuditFraction: 0.5}, trust.Shares{All: 0.5, Own: 0.5 * doubt.SelfShare}},
		{Options{AuditFraction: 0.5, AuditAlone: true}, trust.Shares{All: 0.5, Own: 0.5}},
		{Options{}, trust.Shares{}},
	} {
		if got := c.o.Audits(); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.o, got, c.want)
		}
	}
}

// TestAuditAlone: the coordinator computes all audits itself, as many at a time as it may, though there are workers.
func TestAuditAlone(t *testing.T) {
	o := Options{AuditFraction: 1, AuditAlone: true, Recomputers: 2}
	l := lead(t, plantest.Wide{Depth: 1, Windows: 5}, o, "a", "b")
	for task := l.take("a"); task != nil; task = l.take("a") {
		for i := range task.Windows {
			if task.Windows[i].Audit {
				t.Fatalf("a is given the audit of window %s", task.Windows[i].Window)
			}
			l.report("a", protocol.Report{Done: []protocol.Done{done(&task.Windows[i])}})
		}
	}
	for n := range 5 {
		if under := len(l.own) - n; under != min(2, 5-n) {
			t.Fatalf("%d audits are under way after %d", under, n)
		}
		l.Recomputed(t.Context(), record(l.own[n]))
	}
	if over, err := l.Over(); !over || err != nil || len(l.due()) > 0 {
		t.Errorf("over %t, %v, audits due: %v", over, err, l.due())
	}
}
