package coordinator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
)

// again begins a coordinator of a grid with the ledger of another.
func (l *led) again(o Options, change func(p *plan.Plan), workers ...string) *led {
	l.t.Helper()
	p := l.recorded(plantest.Grid(2), false)
	if change != nil {
		change(p)
	}
	n := &led{t: l.t, now: l.now, ledger: l.ledger}
	n.start(p, o, workers...)
	return n
}

// TestBeginsWithContradiction: flows that contradict each other at the start are looked into like those that come
// later. Where that cannot be, the run does not begin.
func TestBeginsWithContradiction(t *testing.T) {
	l := lead(t, plantest.Grid(2), Options{}, "h")
	l.compute("h", 9)
	edge := &plan.FlowError{Parent: first.Cell, Child: puzzle.Cell{Layer: 1, Key: "a0"}, Out: uint128.From(1)}
	contradict := func(p *plan.Plan) { p.FlowErrors = []*plan.FlowError{edge} }
	n := l.again(Options{Recomputers: 4}, contradict, "h")
	if !n.c.running() || !n.c.doubt.Disputed(first) || !n.c.doubt.Disputed(puzzle.WindowID{Cell: edge.Child}) {
		t.Errorf("%v, or both ends are not doubted", n.c.Err())
	}
	n = l.again(Options{}, func(p *plan.Plan) {
		contradict(p)
		for _, id := range []puzzle.Cell{edge.Parent, edge.Child} {
			p.NoteReporters(&p.Index[id].Parts[0], protocol.OwnWorker)
		}
	})
	var flow *plan.FlowError
	if !errors.As(n.c.Err(), &flow) || flow != edge {
		t.Errorf("both ends are computed here: %v", n.c.Err())
	}
}

// TestCompleteAtTheStart: a complete run is over at once, though its rows are with no worker, and the archive is listed
// for readers. In a closed fleet the rows are computed again.
func TestCompleteAtTheStart(t *testing.T) {
	l := lead(t, plantest.Grid(2), Options{}, "h")
	l.compute("h", 9)
	for _, closed := range []bool{false, true} {
		var resumed Resumed
		listings := 0
		o := Options{Events: Events{Resumed: func(e Resumed) { resumed = e }}, Fleet: FleetOptions{Closed: closed}}
		if !closed {
			o.Fleet.Archive = func(context.Context, func([]protocol.Archived)) error { listings++; return nil }
		}
		n := l.again(o, nil)
		for n.c.archive.listing {
			(<-n.c.calls)()
		}
		want := Resumed{Run: paperRun, Windows: 4, Rows: 8, Bytes: 36, Absent: 4}
		if closed {
			want.Again, want.Left = 4, 4
		}
		if resumed != want || n.c.running() != closed || (listings == 1) == closed || n.c.Err() != nil {
			t.Errorf("closed %t: resumed %+v, over %t, %d listings, %v", closed, resumed, !n.c.running(), listings, n.c.Err())
		}
	}
}

// TestBeginsWithDistrust: refusals and suspects of the ledger hold from the start. Suspect windows are computed anew,
// and an attempt that began before they were forgotten does not count.
func TestBeginsWithDistrust(t *testing.T) {
	l := lead(t, plantest.Grid(2), Options{}, "h")
	refused := protocol.Named("x", keyX)
	d := kv.Distrust{Epoch: 4, Refuse: []kv.Refusal{{Worker: refused, Window: "w", Reason: "wrong"}},
		Suspect: []puzzle.WindowID{first}}
	if err := l.ledger.Distrust(d); err != nil {
		t.Fatal(err)
	}
	n := l.again(Options{}, nil, "h")
	for worker, want := range map[string]string{
		refused: "is refused in this run: window w: wrong", protocol.Named("y", keyX): "with all of its key", "h": "",
	} {
		if text := n.c.doubt.Refusal(worker); !strings.Contains(text, want) || (text == "") != (want == "") {
			t.Errorf("%s: %q", worker, text)
		}
	}
	if tw := n.take("h").Windows[0]; !tw.Fresh || tw.ID() != first {
		t.Errorf("a suspect window is given out as %+v", tw)
	}
	for epoch, want := range map[uint64]bool{3: false, 4: false, 5: true, 6: false} {
		mark := n.c.doubt.Marker.Mark(audit(epoch), first, "")
		if _, ok := n.c.doubt.Due("h", mark, first); ok != want {
			t.Errorf("an attempt of epoch %d counts: %t", epoch, ok)
		}
	}
}

// TestRefusedAgain: when another window of a worker that was refused before turns out wrong, all windows that rest on
// refused workers alone are forgotten, with those that follow from them.
func TestRefusedAgain(t *testing.T) {
	for _, again := range []bool{false, true} {
		l := lead(t, plantest.Grid(2), Options{}, "h", "x")
		l.compute("x", 2)
		l.compute("h", 9)
		if again {
			l.c.doubt.Load(nil, []kv.Refusal{{Worker: "x", Window: "w", Reason: "wrong"}}, nil)
		}
		last := puzzle.WindowID{Cell: puzzle.Cell{Layer: 2, Key: "a1"}}
		err := l.c.refuse([]kv.Refusal{{Worker: "x", Window: last.String(), Reason: "wrong"}}, []puzzle.WindowID{last})
		var restart *RestartError
		if !errors.As(err, &restart) {
			t.Fatal(err)
		}
		forgotten := 1
		if again {
			forgotten = 4
		}
		if restart.Forgotten != forgotten || (restart.Audits > 0) == again || (len(restart.Refused) > 0) == again {
			t.Errorf("again %t: %+v", again, restart)
		}
		suspects, err := l.ledger.Suspects()
		if err != nil || len(suspects) != restart.Forgotten || suspects[last] != 5 {
			t.Errorf("again %t: suspect are %v, %v", again, suspects, err)
		}
	}
}

// TestReportsTogether: reports that have arrived together are settled with one sync of the ledger.
func TestReportsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := running(t, Options{}, "h")
		counting := &syncs{Ledger: f.ledger}
		f.do(t.Context(), func() { f.ledger = counting })
		f.compute("h")
		one, two := <-f.tasks, protocol.Task{}
		if len(one.Windows) < 2 {
			two = <-f.tasks
		}
		replies := make(chan protocol.Reply, 2)
		block, blocked := make(chan bool), make(chan bool)
		go f.do(t.Context(), func() { close(blocked); <-block }) // both arrive meanwhile
		<-blocked
		before := counting.n
		for _, task := range []protocol.Task{one, two} {
			r := protocol.Report{Run: paperRun, Worker: "h", Incarnation: "i", Epoch: 5}
			for i := range task.Windows {
				r.Done = append(r.Done, rows(&task.Windows[i]))
			}
			go func() { replies <- f.handle(t.Context(), r) }()
		}
		synctest.Wait()
		close(block)
		for range 2 {
			if r := <-replies; r != (protocol.Reply{}) {
				t.Errorf("%+v", r)
			}
		}
		if n := counting.n - before; n != 1 {
			t.Errorf("two reports take %d appends", n)
		}
		f.compute("h")
		if err := f.end(); err != nil {
			t.Error(err)
		}
	})
}

// syncs counts the appends to a ledger.
type syncs struct {
	Ledger
	n int
}

func (s *syncs) Append(entries []kv.Entry, audits ...kv.Audit) error {
	s.n++
	return s.Ledger.Append(entries, audits...)
}

// TestQuarantineInStatus: a status has the windows that are set aside, and its workers in the order of their names. A
// worker that computes such a window after all ends its quarantine.
func TestQuarantineInStatus(t *testing.T) {
	l := lead(t, plantest.Grid(2), Options{MaxAttempts: 1}, "x", "h", "a")
	l.c.o.Recompute = nil
	tw := l.take("h").Windows[0]
	l.report("h", protocol.Report{Failures: []protocol.Failure{
		{Window: tw.Window, Kind: protocol.FailError, Text: "so it says", Attempt: tw.Attempt},
	}})
	s := l.c.state()
	if len(s.Quarantined) != 1 || s.Quarantined[0].Window != first.String() || s.Quarantined[0].Attempts != 1 ||
		!strings.Contains(s.Quarantined[0].Error, "so it says") {
		t.Errorf("set aside: %+v", s.Quarantined)
	}
	var names []string
	for _, w := range s.Workers {
		names = append(names, w.Name)
	}
	if !slices.Equal(names, []string{"a", "h", "x"}) {
		t.Errorf("workers %q", names)
	}
	var quarantine *QuarantineError
	if !errors.As(l.c.Err(), &quarantine) && l.c.running() {
		t.Errorf("it ends with %v", l.c.Err())
	}
	rec := rows(&tw).Record
	if err := l.c.plan.CommitRecord(&rec); err != nil {
		t.Fatal(err)
	}
	if l.hold(first, "h"); len(l.c.state().Quarantined) > 0 {
		t.Errorf("set aside though it is computed: %+v", l.c.failures.Aside())
	}
}

// TestRoomForMore: a worker that joins a run with too many newcomers takes the place of one of them, whose tasks are
// given to others.
func TestRoomForMore(t *testing.T) {
	var names []string
	for n := range 512 {
		names = append(names, fmt.Sprintf("n%03d", n))
	}
	l := lead(t, plantest.Grid(2), Options{}, names...)
	l.now = l.now.Add(1)
	for _, name := range names[1:] {
		l.c.members.Get(name).Hear(l.now)
	}
	l.hold(first, names[0])
	l.join("late")
	if l.c.members.Get(names[0]) != nil || l.c.members.Get("late") == nil || l.c.members.Len() != 512 {
		t.Errorf("%d workers, the oldest is there: %t", l.c.members.Len(), l.c.members.Get(names[0]) != nil)
	}
	if n := l.c.plan.HeldBy(names[0]); n != 0 {
		t.Errorf("a worker that had to go holds %d windows", n)
	}
}

// TestReportWhileJoining: a window that a worker reports before its inventory is complete counts as part of it.
func TestReportWhileJoining(t *testing.T) {
	l := lead(t, plantest.Grid(2), Options{}, "h")
	tw := l.take("h").Windows[0]
	page := brings("h")
	page.More = true
	l.Join(t.Context(), page)
	l.report("h", protocol.Report{Done: []protocol.Done{rows(&tw)}})
	page.More, page.Page = false, 1
	if l.Join(t.Context(), page); !slices.Equal(l.holders(first), []string{"h"}) || !l.c.running() {
		t.Errorf("after the inventory the window is held by %v, %v", l.holders(first), l.c.Err())
	}
}

// TestFailureTwice: a report of failures that is delivered a second time counts once. A failure of a window that was
// computed meanwhile counts for nothing.
func TestFailureTwice(t *testing.T) {
	l := lead(t, plantest.Grid(2), Options{}, "h", "x")
	tw := l.take("x").Windows[0]
	r := protocol.Report{Number: 7, Failures: []protocol.Failure{
		{Window: tw.Window, Kind: protocol.FailError, Text: "so it says", Attempt: tw.Attempt},
	}}
	for range 2 {
		l.report("x", r)
	}
	if n := l.c.failures.Find(first).Attempts(); n != 1 {
		t.Errorf("%d attempts", n)
	}
	l = lead(t, plantest.Grid(2), Options{}, "h", protocol.OwnWorker)
	l.compute("h", 1)
	r.Number = 0
	l.report(protocol.OwnWorker, r)
	if n := l.c.failures.Find(first).Attempts(); n != 0 || !l.c.running() || len(l.c.failures.Aside()) > 0 {
		t.Errorf("a window that is computed: %d attempts, %v", n, l.c.Err())
	}
}
