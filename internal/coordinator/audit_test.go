package coordinator

import (
	"testing"

	"pagoda/internal/attempt"
	"pagoda/internal/plan/plantest"
	"pagoda/internal/protocol"
)

// TestAuditsOfItsOwn: a worker does not settle the audit of a window that it has computed itself, whatever mark it
// shows, and neither does a mark of an attempt that is not due any more. Another worker, or the coordinator, settles it.
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
	marker := l.c.marker
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
	l.c.suspects[id] = 3
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
// alone can reach what the window reads.
func TestAuditorIsAnother(t *testing.T) {
	l := lead(t, plantest.Grid(3), Options{AuditFraction: 1}, "a", "b")
	first := l.take("a").Windows[0]
	l.report("a", protocol.Report{Done: []protocol.Done{done(&first)}})
	cell, w, err := l.c.plan.Window(first.ID())
	if err != nil {
		t.Fatal(err)
	}
	h := l.c.history(first.ID())
	h.preferred = "a"
	if to := l.c.restricted(cell, w, h); to != "b" {
		t.Errorf("the audit goes to %q", to)
	}
}

// audit is an attempt at an audit that any worker may take.
func audit(epoch uint64) attempt.Attempt {
	return attempt.Attempt{Epoch: epoch, Serial: 1, Audit: true}
}
