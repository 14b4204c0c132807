package coordinator

import (
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/coordinator/attempt"
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
// alone can reach the window's parents.
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

// TestSampled: a window is audited with the share that was asked for. The share is larger where its layer has few
// windows, and where its sums are much larger than the mean.
func TestSampled(t *testing.T) {
	paper := plantest.Wide{Depth: 2, Windows: 400}
	tally := func(v uint64) (t puzzle.Tally) {
		t.Sums = []puzzle.Scalar{{Name: "ways", Value: uint128.From(v)}}
		return t
	}
	for name, c := range map[string]struct {
		windows                int
		fraction, times, share float64
	}{
		"a large layer":          {400, 0.01, 1, 0.01},
		"a layer of few windows": {20, 0.01, 1, 0.1},
		"a layer of two":         {2, 0.01, 1, 1},
		"sums of a tenth":        {400, 0.01, 0.1, 0.01},
		"sums as large as that":  {400, 0.01, largeTimes, 0.01},
		"sums ten times that":    {400, 0.01, 10 * largeTimes, 0.1},
		"none":                   {2, 0, 10 * largeTimes, 0},
	} {
		paper.Windows = c.windows
		l := lead(t, paper, Options{AuditFraction: c.fraction}, "a")
		for l.c.members.Costs.First("a") { // whose audits are not drawn
		}
		first := l.c.plan.Index[puzzle.Cell{Layer: 0, Key: "a"}]
		sampled := 0
		for part := range first.Parts {
			rec := record(first.Window(part))
			rec.Tally = tally(100)
			if err := l.c.plan.CommitRecord(&rec); err != nil {
				t.Fatal(err)
			}
			rec.Tally = tally(uint64(100 * c.times))
			want := l.c.marker.Sample("audit", rec.ID()) < c.share
			if got := l.c.sampled(&rec, "a"); got != want {
				t.Errorf("%s: window %s is audited: %t, want %t", name, rec.ID(), got, want)
			}
			if want {
				sampled++
			}
		}
		t.Logf("%s: %d of %d windows", name, sampled, c.windows)
	}
}

// TestAudits: the coordinator computes a quarter of the audits, or all of them.
func TestAudits(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want trust.Shares
	}{
		{Options{AuditFraction: 0.5}, trust.Shares{All: 0.5, Own: 0.5 * selfShare}},
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
