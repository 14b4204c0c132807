package coordinator

import (
	"fmt"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
)

// TestRejectedReports: only a member of this run and epoch reports, under the incarnation that has joined.
func TestRejectedReports(t *testing.T) {
	l := lead(t, plantest.Grid(2), Options{}, "w")
	for name, c := range map[string]struct {
		change func(*protocol.Report)
		want   protocol.Reply
	}{
		"right": {func(*protocol.Report) {}, protocol.Reply{}},
		"another run": {func(r *protocol.Report) { r.Run = "x" }, protocol.Reply{
			Error: "this is run " + paperRun + ", not x", Stop: true,
		}},
		"an unknown worker": {func(r *protocol.Report) { r.Worker = "x" }, protocol.Reply{Rejoin: true}},
		"an earlier epoch":  {func(r *protocol.Report) { r.Epoch-- }, protocol.Reply{Rejoin: true}},
		"a later epoch":     {func(r *protocol.Report) { r.Epoch++ }, protocol.Reply{Rejoin: true}},
		"another process":   {func(r *protocol.Report) { r.Incarnation = "j" }, protocol.Reply{Rejoin: true}},
	} {
		r := protocol.Report{Run: paperRun, Worker: "w", Incarnation: "i", Epoch: 5}
		c.change(&r)
		if got := l.Reports(t.Context(), []protocol.Report{r})[0]; got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestReports has a worker report the first window in one way or another. The texts are those of the reply, of the
// ledger's entry, and of the refusal.
func TestReports(t *testing.T) {
	for _, c := range []struct {
		name               string
		change             func(*protocol.Done)
		reply, entry, liar string
	}{
		{"right", func(*protocol.Done) {}, "", "held by [w], computed by [w]", ""},
		{"not asked for", func(d *protocol.Done) { d.Attempt = "" }, "was not asked for it, or no longer", "", ""},
		{"another attempt", func(d *protocol.Done) { d.Attempt += "x" }, "was not asked for it, or no longer", "", ""},
		{"another window", func(d *protocol.Done) { d.Record.Key = "a9" }, "is not in the plan", "", ""},
		{"of another run", func(d *protocol.Done) { d.Record.Run = "x" }, "its record is of run", "", ""},
		{"impossible", func(d *protocol.Done) { d.Record.Rows = 3 }, "0 blocks for 3 rows", "",
			"w: window 0/a0/0: 0 blocks for 3 rows"},
		{"impossible, and not asked for", func(d *protocol.Done) { d.Record.Rows, d.Attempt = 3, "" }, "0 blocks for 3 rows",
			"", ""},
	} {
		l := lead(t, plantest.Grid(2), Options{}, "w", "v")
		var told []Committed
		var passed []ReportRefused
		l.c.o.Events.Committed = func(e Committed) { told = append(told, e) }
		l.c.o.Events.ReportRefused = func(e ReportRefused) { passed = append(passed, e) }
		tw := l.take("w").Windows[0]
		d := done(&tw)
		c.change(&d)
		reply := l.report("w", protocol.Report{Done: []protocol.Done{d}, Number: 1})
		passedOver := (reply.Refused != "") == (c.reply != "") && strings.Contains(reply.Refused, c.reply)
		if reply.Rejoin != (c.liar != "") || !reply.Rejoin && (reply.Error != "" || !passedOver) {
			t.Errorf("%s: %+v, want %q", c.name, reply, c.reply)
		}
		if len(passed) != min(1, len(c.reply)) || len(passed) > 0 && (passed[0].Worker != "w" || passed[0].Windows != 1 ||
			!strings.Contains(passed[0].Reason, c.reply)) {
			t.Errorf("%s: passed over: %+v", c.name, passed)
		}
		e, found, err := l.ledger.Entry(tw.ID())
		entry := ""
		if found {
			entry = fmt.Sprintf("held by %v, computed by %v", e.Holders, e.By)
		}
		if err != nil || entry != c.entry {
			t.Errorf("%s: in the ledger %q, %v, want %q", c.name, entry, err, c.entry)
		}
		if w := l.window(tw.ID()); (w.State == plan.WindowHeld) != found || len(told) != min(1, len(c.entry)) {
			t.Errorf("%s: the window is %s, told %v", c.name, w.State, told)
		}
		refused, err := l.ledger.Refused()
		liar := ""
		for _, r := range refused {
			liar += r.Worker + ": " + r.Reason
		}
		if err != nil || !strings.HasPrefix(liar, c.liar) || (liar == "") != (c.liar == "") {
			t.Errorf("%s: refused: %q, %v", c.name, liar, err)
		}
		if !found {
			continue
		}
		l.report("w", protocol.Report{Done: []protocol.Done{d}, Number: 1})
		if len(told) != 1 || len(l.own) > 0 {
			t.Errorf("%s: the report came again: told %v, computed here %v", c.name, told, l.own)
		}
		if told[0].Worker != "w" || told[0].Again || told[0].Done != 1 || told[0].Total != 4 {
			t.Errorf("%s: told %+v", c.name, told[0])
		}
	}
}

// TestTwoResults: when a second worker audits a window and has another result, the coordinator computes it. The worker
// whose result differs is refused.
func TestTwoResults(t *testing.T) {
	for name, liar := range map[string]string{"the first lies": "w", "the auditor lies": "v"} {
		l := lead(t, plantest.Grid(2), Options{AuditFraction: 1}, "w", "v")
		result := func(worker string, tw *protocol.TaskWindow) protocol.Done {
			d := done(tw)
			if worker == liar {
				d.Record.Tally.Sums = []puzzle.Scalar{{Name: "n", Value: uint128.From(9)}}
			}
			return d
		}
		first := l.take("w").Windows[0]
		l.report("w", protocol.Report{Done: []protocol.Done{result("w", &first)}})
		second := first
		second.Audit, second.Attempt = true, l.c.doubt.Marker.Mark(audit(5), first.ID(), "")
		reply := l.report("v", protocol.Report{Done: []protocol.Done{result("v", &second)}})
		if !strings.Contains(reply.Refused, "another result is in the ledger") || len(l.own) != 1 {
			t.Fatalf("%s: %+v, computed here: %v", name, reply, l.own)
		}
		l.Recomputed(t.Context(), record(l.own[0]))
		refused, err := l.ledger.Refused()
		if err != nil || len(refused) != 1 || refused[0].Worker != liar || refused[0].Window != first.ID().String() {
			t.Errorf("%s: refused are %v, %v", name, refused, err)
		}
		if _, found, err := l.ledger.Entry(first.ID()); err != nil || found == (liar == "w") {
			t.Errorf("%s: the window is in the ledger: %t, %v", name, found, err)
		}
	}
}
