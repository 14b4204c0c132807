package coordinator

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/coordinator/failures"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
)

// failing is a ledger one of whose methods fails.
type failing struct {
	Ledger
	method string
}

var errBroken = errors.New("the disk is broken")

func (l failing) fails(method string) error {
	if l.method == method {
		return errBroken
	}
	return nil
}

func (l failing) Append(entries []kv.Entry, audits ...kv.Audit) error {
	return errors.Join(l.fails("Append"), l.Ledger.Append(entries, audits...))
}

func (l failing) AuditsDue() ([]puzzle.WindowID, error) { return nil, l.fails("AuditsDue") }

func (l failing) Entry(id puzzle.WindowID) (kv.Entry, bool, error) {
	e, found, err := l.Ledger.Entry(id)
	return e, found, errors.Join(err, l.fails("Entry"))
}

func (l failing) SetHolders(id puzzle.WindowID, holders []string) error {
	return errors.Join(l.fails("SetHolders"), l.Ledger.SetHolders(id, holders))
}

func (l failing) Unhold(ids ...puzzle.WindowID) error {
	return errors.Join(l.fails("Unhold"), l.Ledger.Unhold(ids...))
}

func (l failing) Distrust(d kv.Distrust) error {
	return errors.Join(l.fails("Distrust"), l.Ledger.Distrust(d))
}

func (l failing) Secret() ([]byte, error) { return nil, l.fails("Secret") }

func (l failing) Refused() ([]kv.Refusal, error) { return nil, l.fails("Refused") }

func (l failing) Suspects() (map[puzzle.WindowID]uint64, error) { return nil, l.fails("Suspects") }

// TestBrokenLedger: whatever the ledger cannot do ends the run with the ledger's error, before any answer that says
// that a report was taken.
func TestBrokenLedger(t *testing.T) {
	begin := func(l *led) { l.c.stopOn(l.c.begin(l.t.Context())) }
	for name, c := range map[string]struct {
		method string
		then   func(l *led)
	}{
		"audits at the start":   {"AuditsDue", begin},
		"secret at the start":   {"Secret", begin},
		"refused at the start":  {"Refused", begin},
		"suspects at the start": {"Suspects", begin},
		"a report":              {"Append", func(l *led) { l.compute("h", 1) }},
		"a second report": {"Entry", func(l *led) {
			tw := l.take("h").Windows[0]
			l.report("h", protocol.Report{Done: []protocol.Done{rows(&tw)}})
			l.report("h", protocol.Report{Done: []protocol.Done{rows(&tw)}})
		}},
		"a lost window": {"SetHolders", func(l *led) {
			l.compute("h", 1)
			tw := l.take("h").Windows[0]
			l.report("h", protocol.Report{Failures: []protocol.Failure{unread(&tw, inFirst, "h")}})
		}},
		"rows to drop": {"Unhold", func(l *led) { l.compute("h", 9) }},
		"rows to drop, as time goes by": {"Unhold", func(l *led) {
			l.c.o.Retention = plan.RetainAll
			l.compute("h", 2)
			l.c.o.Retention, l.c.dropping.bytes = plan.RetainSummary, dropBytes
			l.c.stopOn(l.c.tick(l.t.Context(), l.now))
		}},
		"a lie": {"Distrust", func(l *led) {
			tw := l.take("h").Windows[0]
			d := rows(&tw)
			d.Record.Blocks = 9
			l.report("h", protocol.Report{Done: []protocol.Done{d}})
		}},
		"a window computed here": {"Entry", func(l *led) {
			l.compute("h", 1)
			l.c.stopOn(l.c.recomputed(l.t.Context(), first, &kv.Record{Run: paperRun, Window: inFirst}, nil, 0))
		}},
		"a window confirmed here": {"Append", func(l *led) {
			rec := kv.Record{Run: paperRun, Window: inFirst}
			cell, w, _ := l.c.plan.Window(first)
			l.c.stopOn(l.c.confirmed(l.t.Context(), cell, w, rec, 0))
		}},
		"the largest sums": {"Entry", func(l *led) {
			l.compute("h", 1)
			l.c.stopOn(l.c.suspectLargest(first))
		}},
	} {
		l := lead(t, plantest.Grid(2), Options{Retention: plan.RetainSummary}, "h", "x")
		l.c.ledger = failing{l.ledger, c.method}
		c.then(l)
		if !errors.Is(l.c.Err(), errBroken) {
			t.Errorf("%s: it ends with %v", name, l.c.Err())
		}
		tw := &protocol.TaskWindow{Window: inFirst}
		if reply := l.report("h", protocol.Report{Done: []protocol.Done{rows(tw)}}); !reply.Stop || reply.Error == "" {
			t.Errorf("%s: a report is answered %+v", name, reply)
		}
	}
}

// TestLostRows: a window is lost so many times at most. Its last holder comes last when it is computed again.
func TestLostRows(t *testing.T) {
	for _, most := range []int{1, 2} {
		lostRows(t, most)
	}
}

func lostRows(t *testing.T, most int) {
	t.Helper()
	var lost []Lost
	o := Options{MaxLosses: most, Events: Events{Lost: func(e Lost) { lost = append(lost, e) }}}
	l := lead(t, plantest.Grid(2), o, "h", "x")
	l.compute("h", 1)
	f := protocol.Failure{Text: "torn", Missing: &inFirst, Holders: []string{"h"}}
	for ; f.Loss < 4; f.Loss++ {
		l.hold(first, "h")
		err := l.c.lost("x", &f, true)
		var damaged *DamagedError
		if errors.As(err, &damaged) != (f.Loss >= most) || damaged != nil && damaged.Losses != f.Loss+1 {
			t.Errorf("after %d losses: %v", f.Loss+1, err)
		}
		if len(lost) != f.Loss+1 || lost[f.Loss] != (Lost{Window: first, Worker: "x", Cause: "torn"}) {
			t.Errorf("after %d losses: told %+v", f.Loss+1, lost)
		}
	}
	if got := l.c.failures.Of(first).Unfit(); !slices.Equal(got, []string{"h"}) {
		t.Errorf("%v come last", got)
	}
	l.hold(first, "h")
	if f.Loss = 1; l.c.lost("x", &f, true) != nil || len(lost) != 4 {
		t.Error("old news make the window lost once more")
	}
}

// TestAuditsResumed: audits that another coordinator has left are requested once their layer is planned, those of
// windows that are committed.
func TestAuditsResumed(t *testing.T) {
	b := newBoard(t, plantest.Grid(2), nil)
	later := puzzle.WindowID{Cell: puzzle.Cell{Layer: 9, Key: "k"}}
	child := puzzle.WindowID{Cell: puzzle.Cell{Layer: 1, Key: "a0"}}
	rec := record(inFirst)
	if err := b.plan.CommitRecord(&rec); err != nil {
		t.Fatal(err)
	}
	b.plan.Decided = false
	b.doubt.Load(nil, nil, nil, later, first, child)
	if err := b.resumeAudits(0); err != nil {
		t.Errorf("an audit of a layer that may come: %v", err)
	}
	for id, want := range map[puzzle.WindowID]bool{first: true, child: false} {
		if _, w, err := b.plan.Window(id); err != nil || w.Audit != want {
			t.Errorf("window %s is audited: %t, %v", id, w.Audit, err)
		}
	}
	if err := b.resumeAudits(0); err != nil {
		t.Errorf("a second time: %v", err)
	}
	b.plan.Decided = true
	if err := b.resumeAudits(0); err == nil {
		t.Error("an audit of no window of the plan is passed over")
	}
}

// TestFirstAudits: the first windows of a worker are audited, whatever the draw, and none of the coordinator's own.
func TestFirstAudits(t *testing.T) {
	for worker, want := range map[string]int{"w": 4, protocol.OwnWorker: 0, "unknown": 0} {
		l := lead(t, plantest.Wide{Depth: 2, Windows: 20000}, Options{AuditFraction: 1e-12}, "w", protocol.OwnWorker)
		cell, got := l.c.plan.Index[puzzle.Cell{Layer: 0, Key: "a"}], 0
		for part := range len(cell.Parts) {
			rec := record(cell.Window(part))
			if l.c.doubt.Marker.Sample("audit", rec.ID()) < 0.001 {
				continue // it is drawn
			}
			if l.c.audits(&rec, worker) {
				got++
			}
		}
		if got != want {
			t.Errorf("%d windows of %s are audited, want %d", got, worker, want)
		}
	}
}

// TestRecomputationFails: a window that the coordinator cannot compute is tried again, and set aside in the end. A
// failure that every machine has ends the run at once.
func TestRecomputationFails(t *testing.T) {
	for _, c := range []struct {
		kind  string
		tries int // until it is set aside
		err   error
	}{
		{protocol.FailError, 3, nil},
		{protocol.FailOverflow, 1, puzzle.ErrOverflow},
		{protocol.FailForeign, 1, puzzle.ErrForeign},
		{protocol.FailDiskFull, 1, kv.ErrDiskFull},
	} {
		l := lead(t, plantest.Grid(2), Options{AuditFraction: 1, AuditAlone: true}, "h")
		l.compute("h", 1)
		for n := range c.tries {
			if len(l.own) != n+1 || len(l.c.failures.Aside()) > 0 || !l.c.running() {
				t.Fatalf("%s: after %d failures: computed %v, set aside %v, %v", c.kind, n, l.own, l.c.failures.Aside(), l.c.Err())
			}
			l.c.endOwn(t.Context(), first, nil, &protocol.Failure{Window: inFirst, Kind: c.kind, Text: "broken"})
			if c.err == nil {
				l.wait(failures.RetryDelay + tickInterval)
			}
		}
		err, goesOn := l.c.Err(), c.err == nil
		if !errors.Is(err, c.err) || (err == nil) != goesOn || (len(l.c.failures.Aside()) == 1) != goesOn {
			t.Errorf("%s: %v, set aside %v", c.kind, err, l.c.failures.Aside())
		}
		if c.err == nil && l.c.failures.Aside()[0].Attempts != 3 {
			t.Errorf("set aside: %+v", l.c.failures.Aside()[0])
		}
	}
}

// TestOwnContradiction: two results of the coordinator's own machine end the run. A worker that reports another size of
// the same rows is refused.
func TestOwnContradiction(t *testing.T) {
	l := lead(t, plantest.Grid(2), Options{}, "h")
	rec := record(inFirst)
	if err := l.ledger.Append([]kv.Entry{{Record: rec, By: []string{protocol.OwnWorker}}}); err != nil {
		t.Fatal(err)
	}
	rec.Tally.Sums = []puzzle.Scalar{{Name: "n", Value: uint128.From(9)}}
	err := l.c.recomputed(t.Context(), first, &rec, nil, 0)
	var conflict *kv.ConflictError
	if !errors.As(err, &conflict) || !strings.HasPrefix(err.Error(), "this machine has computed window 0/a0/0 twice") {
		t.Errorf("its own two results: %v", err)
	}
	l = lead(t, plantest.Grid(2), Options{}, "h")
	l.compute("h", 1)
	rec = record(inFirst)
	rec.Rows, rec.Blocks, rec.Bytes = 2, 1, 8
	err = l.c.recomputed(t.Context(), first, &rec, nil, 0)
	if !errors.Is(err, errRefused) || !strings.Contains(err.Error(), "it reported rows of 9 bytes, which take 8") {
		t.Errorf("another size: %v", err)
	}
}

// purged is a queue that is away, and notes the workers whose tasks are removed.
type purged struct {
	*led
	err    error
	purged []string
}

func (q *purged) Submit(_ context.Context, tasks []protocol.Task) error {
	q.tasks = append(q.tasks, tasks...)
	return q.err
}

func (q *purged) Pending(context.Context) (int, error) { return 0, q.err }

func (q *purged) Purge(_ context.Context, worker string) error {
	q.purged = append(q.purged, worker)
	return nil
}

// TestQueueDown: a queue that is away is told once, and waited for; any other error ends the run. The tasks of a worker
// that has gone are removed from it.
func TestQueueDown(t *testing.T) {
	var told []bool
	events := Events{QueueDown: func(e QueueDown) { told = append(told, e.Down) }}
	l := lead(t, plantest.Grid(2), Options{Events: events}, "h")
	q := &purged{led: l, err: protocol.ErrQueueDown}
	l.c.queue = q
	for range 2 {
		if l.c.stopOn(l.c.watch(t.Context())); len(told) != 1 || !told[0] || l.c.queueDown != "the queue is away" {
			t.Fatalf("it is away: told %v", told)
		}
	}
	l.compute("h", 1)
	q.err = nil
	if l.c.stopOn(l.c.watch(t.Context())); !slices.Equal(told, []bool{true, false}) || !l.c.running() {
		t.Errorf("it is back: told %v, %v", told, l.c.Err())
	}
	l.c.stopOn(l.c.letGo(t.Context(), "h", WorkerLost{}))
	if !slices.Equal(q.purged, []string{"h"}) {
		t.Errorf("removed are the tasks of %v", q.purged)
	}
	q.err = errBroken
	if err := l.c.watch(t.Context()); !errors.Is(err, errBroken) {
		t.Errorf("a broken queue: %v", err)
	}
	if err := l.c.submit(t.Context(), nil); !errors.Is(err, errBroken) {
		t.Errorf("a broken queue takes tasks: %v", err)
	}
	for _, id := range l.c.account.Reset() {
		l.c.plan.Requeue(l.c.plan.Index[id.Cell], id.Part)
	}
	if l.join("n"); !errors.Is(l.c.Err(), errBroken) {
		t.Errorf("a worker joins while the queue is broken: %v", l.c.Err())
	}
	l = lead(t, plantest.Grid(2), Options{}, "h", "x")
	l.prefer("h")
	l.c.queue = &purged{led: l, err: errBroken}
	if err := l.c.reassign(t.Context(), "h"); !errors.Is(err, errBroken) {
		t.Errorf("the task of a worker goes to another while the queue is broken: %v", err)
	}
}
