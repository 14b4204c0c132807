package coordinator

import (
	"fmt"
	"testing"

	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
)

// TestReused: a worker that was asked for a window and had it already may have copied it from another one. So it has
// computed the window only where there is no other result; it holds the window in any case, and audits nothing.
func TestReused(t *testing.T) {
	for _, c := range []struct {
		reports []string // who reports the window; with a -, as one that was there already
		batch   bool     // the reports arrive together
		audit   bool     // the last one is for an audit
		by      string
		settled bool
	}{
		{reports: []string{"a"}, by: "[a]"},
		{reports: []string{"a", "b"}, by: "[a b]"},
		{reports: []string{"-b"}, by: "[b]"},
		{reports: []string{"a", "-b"}, by: "[a]"},
		{reports: []string{"a", "-b"}, batch: true, by: "[a]"},
		{reports: []string{"a", "-" + protocol.OwnWorker}, by: "[a]"},
		{reports: []string{"a", "b", "-b"}, batch: true, by: "[a b]"},
		{reports: []string{"a", "b"}, audit: true, by: "[a b]", settled: true},
		{reports: []string{"a", "-b"}, audit: true, by: "[a]"},
	} {
		o := Options{Retention: "all"}
		if c.audit {
			o.AuditFraction = 1
		}
		l := lead(t, plantest.Grid(2), o, "a", "b", protocol.OwnWorker)
		var all []protocol.Report
		for i, name := range c.reports {
			d := rows(&protocol.TaskWindow{Window: inFirst})
			d.Reused = name[0] == '-'
			if d.Reused {
				name = name[1:]
			}
			a := audit(5)
			a.Audit = c.audit && i == len(c.reports)-1
			d.Audit, d.Attempt = a.Audit, l.c.doubt.Marker.Mark(a, first, "")
			all = append(all, protocol.Report{Run: paperRun, Worker: name, Incarnation: "i", Epoch: l.c.o.Epoch,
				Done: []protocol.Done{d}})
		}
		if c.batch {
			l.Reports(t.Context(), all)
		} else {
			for i := range all {
				l.report(all[i].Worker, all[i])
			}
		}
		e, _, err := l.ledger.Entry(first)
		if err != nil {
			t.Fatal(err)
		}
		holders := make(map[string]bool)
		for _, r := range all {
			holders[r.Worker] = true
		}
		by, plan := fmt.Sprint(e.By), fmt.Sprint(l.c.plan.ReporterNames(l.window(first)))
		if by != c.by || plan != c.by || len(l.holders(first)) != len(holders) {
			t.Errorf("%v: computed by %s, %s in the plan, held by %v", c.reports, by, plan, l.holders(first))
		}
		if c.audit && (len(l.due()) == 0) != c.settled {
			t.Errorf("%v: the audits of %v are due", c.reports, l.due())
		}
	}
}
