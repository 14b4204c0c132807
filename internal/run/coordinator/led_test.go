package coordinator

import (
	"context"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// led is a coordinator with a ledger in memory, whose workers are the test's: it sees the tasks that they are given,
// and makes their reports.
type led struct {
	t *testing.T
	*Stepper
	ledger *kv.Ledger
	now    time.Time
	tasks  []protocol.Task
	// own are the windows that the coordinator has begun to compute itself.
	own []puzzle.Window
	// queueErr is the queue's answer, and queueEmpty says that it has lost all tasks.
	queueErr   error
	queueEmpty bool
}

// openLedger opens a ledger in memory, which is closed at the end of the test.
func openLedger(t *testing.T) *kv.Ledger {
	t.Helper()
	ledger, err := kv.OpenLedger("ledger", paperRun, kv.Options{FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ledger.Close(); err != nil {
			t.Error(err)
		}
	})
	return ledger
}

// lead starts a coordinator of p with some workers.
func lead(t *testing.T, p puzzle.Puzzle, o Options, workers ...string) *led {
	t.Helper()
	l := &led{t: t, now: time.Unix(1000, 0), ledger: openLedger(t)}
	pl, err := plan.New(p)
	if err != nil {
		t.Fatal(err)
	}
	l.start(pl, o, workers...)
	return l
}

// recorded returns the plan of a puzzle with the windows of the ledger, as the next coordinator finds it. It waits for
// the holders of all windows, or for none.
func (l *led) recorded(p puzzle.Puzzle, await bool) *plan.Plan {
	l.t.Helper()
	pl, err := plan.New(p)
	if err != nil {
		l.t.Fatal(err)
	}
	pl.Suspect = true
	held := func(e kv.Entry) error {
		if !await {
			return nil
		}
		return pl.Await(e.Record.ID())
	}
	if err := pl.Load(paperRun, l.ledger.Load, held); err != nil {
		l.t.Fatal(err)
	}
	return pl
}

// start starts the coordinator of a plan, in epoch 5 or a later one, and has workers join.
func (l *led) start(p *plan.Plan, o Options, workers ...string) {
	l.t.Helper()
	o.Epoch, o.Now = max(5, o.Epoch), func() time.Time { return l.now }
	l.Stepper = NewStepper(paperRun, p, l.ledger, l, o)
	l.Recompute(func(w puzzle.Window) { l.own = append(l.own, w) })
	l.Begin(l.t.Context())
	for _, name := range workers {
		l.join(name)
	}
}

// join has a worker join that computes one window at a time.
func (l *led) join(name string) {
	l.t.Helper()
	j := brings(name)
	j.Concurrency = 1
	if out := l.Join(l.t.Context(), j); out.Error != "" {
		l.t.Fatal(out.Error)
	}
}

// Submit implements protocol.TaskQueue, as do the methods below.
func (l *led) Submit(_ context.Context, tasks []protocol.Task) error {
	if l.queueErr == nil {
		l.tasks = append(l.tasks, tasks...)
	}
	return l.queueErr
}

func (l *led) Serve(context.Context, func(context.Context, protocol.Report) protocol.Reply) error {
	return nil
}

func (l *led) Pending(context.Context) (int, error) {
	if l.queueEmpty {
		return 0, l.queueErr
	}
	return l.c.account.Out(), l.queueErr
}

// take takes a task away that a worker may carry out, the first that there is; nil when there is none.
func (l *led) take(worker string) *protocol.Task {
	for i, task := range l.tasks {
		if task.To == "" || task.To == worker {
			l.tasks = append(l.tasks[:i:i], l.tasks[i+1:]...)
			return &task
		}
	}
	return nil
}

// report has a worker report.
func (l *led) report(worker string, r protocol.Report) protocol.Reply {
	l.t.Helper()
	r.Run, r.Worker, r.Incarnation, r.Epoch = paperRun, worker, "i", l.c.o.Epoch
	return l.Reports(l.t.Context(), []protocol.Report{r})[0]
}

// record returns a worker's record of a window, without rows.
func record(w puzzle.Window) kv.Record { return kv.Record{Run: paperRun, Window: w} }

// done returns the report of a worker that has computed the window of a task.
func done(tw *protocol.TaskWindow) protocol.Done {
	return protocol.Done{Record: record(tw.Window), Nanos: 1e6, Audit: tw.Audit, Attempt: tw.Attempt}
}

// unread returns the failure of a worker that could not read a parent of the window of a task from some holders.
func unread(tw *protocol.TaskWindow, parent puzzle.Window, holders ...string) protocol.Failure {
	return protocol.Failure{Window: tw.Window, Kind: protocol.FailMissing, Text: "torn", Missing: &parent,
		Holders: holders, Attempt: tw.Attempt}
}

// window returns the state of a window.
func (l *led) window(id puzzle.WindowID) *plan.Window {
	l.t.Helper()
	_, w, err := l.c.plan.Window(id)
	if err != nil {
		l.t.Fatal(err)
	}
	return w
}

// due lists the audits that the ledger has.
func (l *led) due() []puzzle.WindowID {
	l.t.Helper()
	ids, err := l.ledger.AuditsDue()
	if err != nil {
		l.t.Fatal(err)
	}
	return ids
}

// suspect has a window be one that was forgotten in epoch 3.
func (l *led) suspect(id puzzle.WindowID) {
	l.t.Helper()
	secret, err := l.ledger.Secret()
	if err != nil {
		l.t.Fatal(err)
	}
	l.c.doubt.Load(secret, nil, map[puzzle.WindowID]uint64{id: 3})
}
