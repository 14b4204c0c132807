package coordinator

import (
	"fmt"
	"strings"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/assignment"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
)

// The keys of two parties.
const keyX, keyY = "xxxxxxxxxxxx", "yyyyyyyyyyyy"

// TestPartyIsRefusedWholly: one wrong result refuses all names of a key, those that have joined and those that come
// later, once; the windows of all of them rest on nothing, and a worker of another key goes on.
func TestPartyIsRefusedWholly(t *testing.T) {
	const names = 1000
	honest := protocol.Named("h", keyY)
	l := lead(t, plantest.Wide{Depth: 2, Windows: names}, Options{}, honest)
	var words []puzzle.WindowID
	var entries []kv.Entry
	cell := l.c.plan.Index[puzzle.Cell{Layer: 0, Key: "a"}]
	for n := range names {
		name := protocol.Named(fmt.Sprint("x", n), keyX)
		by := []string{name}
		if n%10 == 0 {
			by = append(by, honest)
		} else {
			words = append(words, cell.WindowID(n))
		}
		rec := record(cell.Window(n))
		entries = append(entries, kv.Entry{Record: rec, By: by})
		if err := l.c.plan.CommitRecord(&rec); err != nil {
			t.Fatal(err)
		}
		l.c.plan.NoteReporters(l.window(rec.ID()), by...)
	}
	if err := l.ledger.Append(entries); err != nil {
		t.Fatal(err)
	}
	lie := func(name string) kv.Refusal {
		return kv.Refusal{Worker: protocol.Named(name, keyX), Window: cell.WindowID(0).String(), Reason: "wrong"}
	}
	err := l.c.refuse([]kv.Refusal{lie("x1"), lie("x2")}, nil)
	restart, ok := err.(*RestartError) //nolint:errorlint // it is returned as it is
	if !ok || len(restart.Refused) != 1 || restart.Audits != len(words) || restart.Forgotten != 0 {
		t.Fatalf("%+v, want one refusal and %d audits", err, len(words))
	}
	if refused, err := l.ledger.Refused(); err != nil || len(refused) != 1 {
		t.Errorf("the ledger refuses %v, %v", refused, err)
	}
	for _, name := range []string{"x1", "x2", "new"} {
		name = protocol.Named(name, keyX)
		j := protocol.Join{Version: protocol.Version, Run: paperRun, Worker: name, Incarnation: "j", Address: "x:1"}
		if out := l.Join(t.Context(), j); !out.Stop || !strings.Contains(out.Error, "is refused in this run") {
			t.Errorf("%s joins: %+v", name, out)
		}
	}
	for _, name := range []string{honest, protocol.Named("x1", keyY), "x1"} {
		if text := l.c.doubt.Refusal(name); text != "" {
			t.Errorf("%s is refused: %s", name, text)
		}
	}
}

// TestPartyDoesNotAuditItself: where a worker of another key is there, no name of a key audits what another name of it
// has computed. Where none is, they check each other.
func TestPartyDoesNotAuditItself(t *testing.T) {
	x1, x2, y := protocol.Named("w1", keyX), protocol.Named("w2", keyX), protocol.Named("w1", keyY)
	for _, c := range []struct {
		workers []string
		auditor string
		settles bool // an audit of x2 that any worker could take
	}{
		{[]string{x1, x2}, x2, true},
		{[]string{x1, x2, y}, y, false},
	} {
		l := lead(t, plantest.Grid(3), Options{AuditFraction: 1}, c.workers...)
		first := l.take(x1).Windows[0]
		l.report(x1, protocol.Report{Done: []protocol.Done{done(&first)}})
		cell, w, err := l.c.plan.Window(first.ID())
		if err != nil {
			t.Fatal(err)
		}
		if to := l.c.restricted(cell, w, nil); to != c.auditor {
			t.Errorf("%v: %s audits the window of %s", c.workers, to, x1)
		}
		if got := l.c.auditors(w, first.ID()); len(got) != 1 || got[0] != c.auditor {
			t.Errorf("%v: %v may audit the window of %s", c.workers, got, x1)
		}
		again := done(&first)
		again.Audit, again.Attempt = true, l.c.doubt.Marker.Mark(audit(5), first.ID(), "")
		l.report(x2, protocol.Report{Done: []protocol.Done{again}})
		if settled := !l.window(first.ID()).Audit; settled != c.settles {
			t.Errorf("%v: %s has settled the audit of %s: %t", c.workers, x2, x1, settled)
		}
	}
}

// TestAuditsOfParties: a party with many names gets one party's share of the audits.
func TestAuditsOfParties(t *testing.T) {
	names := []string{protocol.Named("h", keyY)}
	for n := range 50 {
		names = append(names, protocol.Named(fmt.Sprint("x", n), keyX))
	}
	b := newBoard(t, plantest.Grid(4), map[string]int{"a": 1})
	if got := assignment.OnePerParty(b.account, names); len(got) != 2 || protocol.Party(got[0]) == protocol.Party(got[1]) {
		t.Errorf("%d names of two parties share the audits: %v", len(got), got)
	}
	if got := assignment.OnePerParty(b.account, []string{"a", "b", "c"}); len(got) != 3 {
		t.Errorf("names without keys share as %v", got)
	}
}
