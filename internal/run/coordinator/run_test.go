package coordinator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/coordinator/membership"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/status"
)

// fleet is a coordinator that runs by itself, in virtual time, with a ledger in memory and a queue that hands every
// task to the test.
type fleet struct {
	*Coordinator
	t     *testing.T
	tasks chan protocol.Task
	known atomic.Int64 // the tasks that the queue says it has; below 0: all
	end   func() error
}

func (f *fleet) Submit(_ context.Context, tasks []protocol.Task) error {
	for _, task := range tasks {
		f.tasks <- task
	}
	return nil
}

func (f *fleet) Serve(ctx context.Context, _ func(context.Context, protocol.Report) protocol.Reply) error {
	<-ctx.Done()
	return nil
}

func (f *fleet) Pending(context.Context) (int, error) {
	if known := f.known.Load(); known >= 0 {
		return int(known), nil
	}
	return f.account.Tasks(), nil
}

// running starts the coordinator of a grid of four windows. It is called in a bubble, and the test ends it.
func running(t *testing.T, o Options, workers ...string) *fleet {
	t.Helper()
	p, err := plan.New(plantest.Grid(2))
	if err != nil {
		t.Fatal(err)
	}
	o.Epoch = 5
	f := &fleet{t: t, tasks: make(chan protocol.Task, 100)}
	f.Coordinator = New(paperRun, p, openLedger(t), f, o)
	f.known.Store(-1)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	f.end = func() error {
		cancel()
		return <-ended
	}
	for _, name := range workers {
		j := brings(name)
		j.Concurrency = 1
		if out := f.Join(ctx, j); out.Error != "" || out.Stop {
			t.Fatalf("%s joins: %+v", name, out)
		}
	}
	return f
}

func (f *fleet) beat(worker string) protocol.HeartbeatResponse {
	return f.Heartbeat(f.t.Context(), protocol.Heartbeat{Run: paperRun, Worker: worker, Incarnation: "i", Epoch: 5})
}

// compute has a worker compute the windows of the next task.
func (f *fleet) compute(worker string) protocol.Reply {
	task := <-f.tasks
	r := protocol.Report{Run: paperRun, Worker: worker, Incarnation: "i", Epoch: 5}
	for i := range task.Windows {
		r.Done = append(r.Done, rows(&task.Windows[i]))
	}
	return f.handle(f.t.Context(), r)
}

// TestRun leads a run to its end, which it tells its workers. It goes on to answer until it is ended.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var layers []LayerDone
		var planned Planned
		var resumed Resumed
		f := running(t, Options{Events: Events{
			LayerDone: func(e LayerDone) { layers = append(layers, e) },
			Planned:   func(e Planned) { planned = e },
			Resumed:   func(e Resumed) { resumed = e },
		}}, "h")
		for n := range 3 {
			if f.Finished() || f.beat("h") != (protocol.HeartbeatResponse{Epoch: 5}) || f.Announcement().Over {
				t.Fatalf("the run is over after %d tasks", n)
			}
			if got := f.compute("h"); got != (protocol.Reply{}) {
				t.Fatalf("after %d tasks: %+v", n, got)
			}
		}
		<-f.Over()
		if len(layers) != 3 || layers[1] != (LayerDone{Layer: 1, Windows: 2, Rows: 4, Bytes: 18}) {
			t.Errorf("layers that are done: %+v", layers)
		}
		if planned != (Planned{Layers: 3, Cells: 4, Windows: 4, Addresses: 40, Complete: true}) ||
			resumed != (Resumed{Run: paperRun, Left: 4}) {
			t.Errorf("planned %+v, resumed %+v", planned, resumed)
		}
		if a := f.Announcement(); !a.Over || a.Error != "" || a.Epoch != 5 || a.Run != paperRun || !f.Finished() {
			t.Errorf("it says %+v", a)
		}
		if located, err := f.Rows(puzzle.Cell{Layer: 1, Key: "a0"}); err != nil || !located.Windows[0].HeldBy("h") {
			t.Errorf("rows are at %+v, %v", located, err)
		}
		if all, err := f.Locate(t.Context(), puzzle.Cell{Layer: 2, Key: "a1"}); err != nil || len(all) != 2 {
			t.Errorf("parents are at %+v, %v", all, err)
		}
		if f.drained(t.Context()) {
			t.Error("h is said to know that the run is over")
		}
		for what, change := range map[string]func(m *membership.Member){
			"that leaves":    func(m *membership.Member) { m.Leaving = true },
			"that is silent": func(m *membership.Member) { m.LastHeard = m.LastHeard.Add(-defaultLostAfter - 1) },
		} {
			var before membership.Member
			m := f.members.Get("h")
			f.do(t.Context(), func() { before = *m; change(m) })
			if !f.drained(t.Context()) {
				t.Errorf("a worker %s is waited for", what)
			}
			f.do(t.Context(), func() { *m = before })
		}
		go func() {
			time.Sleep(3 * time.Second)
			f.beat("h")
		}()
		begun := time.Now()
		f.DrainWorkers(t.Context(), time.Minute)
		if waited := time.Since(begun); waited < 3*time.Second || waited > 3*time.Second+maxDrainPause {
			t.Errorf("h knows of the end after 3 s, and was waited for for %v", waited)
		}
		if got := f.Status(t.Context()); len(got.Workers) != 1 || got.Workers[0].Held != 4 {
			t.Errorf("status: %+v", got)
		}
		if err := f.end(); err != nil || f.Err() != nil {
			t.Errorf("it ends with %v, %v", err, f.Err())
		}
		if got := f.Status(t.Context()); len(got.Workers) != 1 {
			t.Errorf("status after the end: %+v", got)
		}
		ended := protocol.JoinResponse{Error: shuttingDown}
		if got := f.Join(t.Context(), brings("h")); got.Error != ended.Error {
			t.Errorf("a worker that joins after the end is told %+v", got)
		}
		if got := f.beat("h"); got.Error != shuttingDown || !f.drained(t.Context()) {
			t.Errorf("a worker that beats after the end is told %+v", got)
		}
	})
}

// TestSilentWorker: a worker that is silent for longer than the timeout loses its windows and tasks to others.
func TestSilentWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lost []WorkerLost
		o := Options{Events: Events{WorkerLost: func(e WorkerLost) { lost = append(lost, e) }}}
		f := running(t, o, "h", "x")
		f.compute("x")
		begun := time.Now()
		for len(lost) == 0 && time.Since(begun) < time.Minute {
			f.beat("h")
			time.Sleep(time.Second)
			synctest.Wait()
		}
		after := time.Since(begun)
		if after <= defaultLostAfter || after > defaultLostAfter+2*time.Second {
			t.Errorf("x is let go after %v", after)
		}
		want := WorkerLost{Worker: "x", Silent: defaultLostAfter + tickInterval, Windows: 1, Again: 1}
		if len(lost) != 1 || lost[0] != want || f.beat("x") != (protocol.HeartbeatResponse{Epoch: 5, Rejoin: true}) {
			t.Errorf("told %+v, want %+v", lost, want)
		}
		if s := f.Status(t.Context()); s.WorkersLost != 1 || len(s.Workers) != 1 || s.Again != 1 {
			t.Errorf("status %+v", s)
		}
		if err := f.end(); err != nil {
			t.Error(err)
		}
	})
}

// TestQueueIsWatched: the queue is asked every WatchEvery for tasks that it has lost.
func TestQueueIsWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := running(t, Options{WatchEvery: 3 * time.Second}, "h")
		<-f.tasks
		f.known.Store(0)
		time.Sleep(3*time.Second - 1)
		if len(f.tasks) > 0 {
			t.Error("the task is sent again early")
		}
		time.Sleep(2 * time.Nanosecond)
		if synctest.Wait(); len(f.tasks) != 1 {
			t.Errorf("after 3 s %d tasks are sent again", len(f.tasks))
		}
		f.known.Store(1)
		if time.Sleep(time.Minute); len(f.tasks) > 1 {
			t.Error("a task that the queue has is sent again")
		}
		if err := f.end(); err != nil {
			t.Error(err)
		}
	})
}

// TestLinger: a complete run whose workers are kept tells them nothing of its end until it is released. Silent workers
// are let go.
func TestLinger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := running(t, Options{Fleet: FleetOptions{Linger: true}}, "h", "x")
		for range 3 {
			f.compute("h")
		}
		<-f.Over()
		if f.beat("h").Stop || f.Announcement().Over || !f.lingering() {
			t.Error("the workers are told that the run is over")
		}
		for range 12 {
			f.beat("h")
			time.Sleep(time.Second)
		}
		if s := f.Status(t.Context()); len(s.Workers) != 1 || s.Workers[0].Held != 4 {
			t.Errorf("workers after 12 s: %+v", s.Workers)
		}
		time.Sleep(12 * time.Second)
		if s := f.Status(t.Context()); len(s.Workers) != 0 || f.plan.HeldBy("h") > 0 {
			t.Errorf("workers after 12 more: %+v, h holds %d windows", s.Workers, f.plan.HeldBy("h"))
		}
		f.Join(t.Context(), brings("h"))
		if f.Release(); !f.beat("h").Stop || !f.Announcement().Over {
			t.Error("the workers are not told that the run is over")
		}
		if err := f.end(); err != nil {
			t.Error(err)
		}
	})
}

// TestHeard: the announcement of a later coordinator of the run ends this one. Of two of one epoch the greater name
// stays.
func TestHeard(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(f *fleet, a *protocol.Announcement)
		fenced bool
	}{
		{"a later one", func(_ *fleet, a *protocol.Announcement) { a.Epoch = 6 }, true},
		{"a later one that has ended", func(_ *fleet, a *protocol.Announcement) { a.Epoch, a.Over = 6, true }, false},
		{"an earlier one", func(_ *fleet, a *protocol.Announcement) { a.Epoch, a.Instance = 4, "~" }, false},
		{"of the same epoch, greater", func(_ *fleet, a *protocol.Announcement) { a.Instance = "~" }, true},
		{"of the same epoch, smaller", func(_ *fleet, a *protocol.Announcement) { a.Instance = "!" }, false},
		{"another run", func(_ *fleet, a *protocol.Announcement) { a.Epoch, a.Run = 6, "x" }, false},
		{"itself", func(f *fleet, a *protocol.Announcement) { a.Epoch, a.Instance = 6, f.instance }, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := running(t, Options{}, "h")
			a := protocol.Announcement{Run: paperRun, Epoch: 5, Instance: "!"}
			c.change(f, &a)
			f.Heard(t.Context(), a)
			if got := errors.Is(f.Err(), ErrFenced); got != c.fenced || f.beat("h").Rejoin != c.fenced {
				t.Errorf("%s: it ends with %v", c.name, f.Err())
			}
			if f.Announcement().Over {
				t.Errorf("%s: it says that the run is over", c.name)
			}
			begun := time.Now()
			f.DrainWorkers(t.Context(), time.Second)
			if waits := time.Since(begun) > 0; waits == c.fenced {
				t.Errorf("%s: it waits for workers: %t", c.name, waits)
			}
			if err := f.end(); errors.Is(err, ErrFenced) != c.fenced {
				t.Errorf("%s: it ended with %v", c.name, err)
			}
		})
	}
}

// TestFailedRun tells workers and people why a run has failed.
func TestFailedRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := running(t, Options{}, "h")
		f.do(t.Context(), func() { f.stopOn(errors.New("no space")) })
		f.do(t.Context(), func() { f.stopOn(errors.New("a second error")) })
		const want = "run " + paperRun + ": no space"
		if a := f.Announcement(); !a.Over || a.Error != want || f.Finished() {
			t.Errorf("it says %+v", a)
		}
		if got := f.compute("h"); got != (protocol.Reply{Error: want, Stop: true}) {
			t.Errorf("a report is answered %+v", got)
		}
		if err := f.end(); err == nil || err.Error() != want {
			t.Errorf("it ends with %v", err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if got := f.handle(ended, protocol.Report{}); got != (protocol.Reply{Rejoin: true}) {
			t.Errorf("after the end a report is answered %+v", got)
		}
	})
}

// TestResumed: a coordinator that begins with a ledger waits for the holders on record, and computes again what none
// of them brings, as far as it is needed.
func TestResumed(t *testing.T) {
	l := lead(t, plantest.Grid(2), Options{}, "h")
	l.compute("h", 2)
	var resumed Resumed
	var timedOut []RejoinTimedOut
	var dropped []Dropped
	again := func(workers ...string) *led {
		timedOut, dropped = nil, nil
		pl := l.recorded(plantest.Grid(2), true)
		n := &led{t: t, now: l.now, ledger: l.ledger}
		n.start(pl, Options{
			Retention: plan.RetainLast, Damage: "it was wet", Fleet: FleetOptions{RejoinGrace: 3 * time.Second},
			Events: Events{
				Resumed:        func(e Resumed) { resumed = e },
				RejoinTimedOut: func(e RejoinTimedOut) { timedOut = append(timedOut, e) },
				Dropped:        func(e Dropped) { dropped = append(dropped, e) },
			},
		}, workers...)
		return n
	}
	n := again("g")
	if want := (Resumed{Run: paperRun, Windows: 3, Rows: 6, Bytes: 27, Damage: "it was wet", Left: 1}); resumed != want {
		t.Errorf("resumed %+v, want %+v", resumed, want)
	}
	if n.wait(3 * time.Second); n.given() != "" {
		t.Errorf("given out in the grace time: %q", n.given())
	}
	if n.wait(tickInterval); n.given() != "0/a0/0>" || len(timedOut) != 1 || timedOut[0] != (RejoinTimedOut{3, 3}) {
		t.Errorf("given out after the grace time: %q, told %+v", n.given(), timedOut)
	}
	// The first window's reader is complete once h is back: its rows go in the end.
	n = again()
	var held []protocol.Held
	for _, id := range []puzzle.Cell{first.Cell, {Layer: 1, Key: "a0"}, {Layer: 1, Key: "a1"}} {
		held = append(held, protocol.Held{Window: n.c.plan.Index[id].Window(0)})
	}
	n.wait(4 * time.Second)
	out := n.Join(t.Context(), brings("h", held...))
	if n.compute("h", 1); len(out.Drop) > 0 || n.c.running() {
		t.Errorf("h drops %v, over %t, given out %q", out.Drop, !n.c.running(), n.given())
	}
	if n.c.plan.HeldBy("h") != 1 || len(dropped) != 1 || len(dropped[0].Windows) != 3 {
		t.Errorf("h holds %d windows in the end, dropped %+v", n.c.plan.HeldBy("h"), dropped)
	}
}

// TestResumedWithHolders: all holders on record are back within the grace time. The run ends with its last window, and
// does not wait for rows that the retention policy has had them drop.
func TestResumedWithHolders(t *testing.T) {
	for keep, drops := range map[plan.Retention]int{plan.RetainLast: 1, plan.RetainSummary: 1, plan.RetainAll: 0} {
		l := lead(t, plantest.Grid(2), Options{}, "h")
		l.compute("h", 2)
		n := &led{t: t, now: l.now, ledger: l.ledger}
		var timedOut []RejoinTimedOut
		n.start(l.recorded(plantest.Grid(2), true), Options{Retention: keep, Fleet: FleetOptions{RejoinGrace: time.Hour},
			Events: Events{RejoinTimedOut: func(e RejoinTimedOut) { timedOut = append(timedOut, e) }}})
		var held []protocol.Held
		for _, id := range []puzzle.Cell{first.Cell, {Layer: 1, Key: "a0"}, {Layer: 1, Key: "a1"}} {
			held = append(held, protocol.Held{Window: n.c.plan.Index[id].Window(0)})
		}
		out := n.Join(t.Context(), brings("h", held...))
		n.compute("h", 1)
		if len(out.Drop) != drops || n.c.running() || n.c.Err() != nil || len(timedOut) > 0 {
			t.Errorf("%v: h drops %v, over %t (%v), %d awaited, timed out %v", keep, out.Drop, !n.c.running(), n.c.Err(),
				n.c.plan.AwaitedCount, timedOut)
		}
	}
}

// TestSuspectEdge: when the flows of two cells differ, the coordinator computes all of their windows that rest on the
// word of workers. If the flows still differ, no worker has lied, and the run cannot go on.
func TestSuspectEdge(t *testing.T) {
	edge := &plan.FlowError{Parent: first.Cell, Child: puzzle.Cell{Layer: 1, Key: "a0"}, Out: uint128.From(1)}
	l := lead(t, plantest.Grid(2), Options{Recomputers: 4}, "h")
	l.compute("h", 2)
	own := func() (text string) {
		for _, w := range l.own {
			text += " " + w.ID().String()
		}
		return text
	}
	if !l.c.suspectEdge(edge) {
		t.Fatal("two windows of workers are not suspect")
	}
	l.c.stopOn(l.c.advance(t.Context()))
	confirm := func(w puzzle.Window) {
		rec := record(w)
		rec.Rows, rec.Blocks, rec.Bytes = 2, 1, 9
		l.Recomputed(t.Context(), rec)
	}
	if own() != " 0/a0/0 1/a0/0" && own() != " 1/a0/0 0/a0/0" {
		t.Fatalf("the coordinator computes%s", own())
	}
	if confirm(l.own[0]); !l.c.running() {
		t.Fatalf("it ends with one of two windows: %v", l.c.Err())
	}
	confirm(l.own[1])
	var flow *plan.FlowError
	if !errors.As(l.c.Err(), &flow) || flow != edge {
		t.Errorf("it ends with %v", l.c.Err())
	}
	if l.c.suspectEdge(edge) {
		t.Error("windows that the coordinator has computed are suspect")
	}
	l = lead(t, plantest.Grid(2), Options{}, "h")
	if l.c.o.Recompute = nil; l.c.suspectEdge(edge) {
		t.Error("windows are suspect that nothing can compute")
	}
}

// TestKindsOfFailures: a failure that would end the run is tried by the coordinator first, if it can. A full disk is
// that of one worker. An attempt that is not the present one does not count.
func TestKindsOfFailures(t *testing.T) {
	for _, c := range []struct {
		kind    string
		alone   bool // the coordinator cannot compute
		stale   bool
		own     int
		err     error
		refused string
		tries   int // that count
	}{
		{kind: protocol.FailError, tries: 1},
		{kind: protocol.FailError, stale: true, refused: "was not asked for it, or no longer"},
		{kind: protocol.FailOverflow, own: 1, refused: "the coordinator tries it itself"},
		{kind: protocol.FailForeign, own: 1, refused: "the coordinator tries it itself"},
		{kind: protocol.FailOverflow, alone: true, err: puzzle.ErrOverflow},
		{kind: protocol.FailForeign, alone: true, err: puzzle.ErrForeign},
		{kind: protocol.FailDiskFull},
	} {
		l := lead(t, plantest.Grid(2), Options{}, "h", "x")
		if c.alone {
			l.c.o.Recompute = nil
		}
		tw := l.take("x").Windows[0]
		if c.stale {
			l.c.account.Reset()
			l.c.plan.Requeue(l.c.plan.Index[first.Cell], 0)
			l.c.stopOn(l.c.advance(t.Context()))
		}
		reply := l.report("x", protocol.Report{Failures: []protocol.Failure{
			{Window: tw.Window, Kind: c.kind, Text: "so it says", Attempt: tw.Attempt},
		}})
		said := strings.Contains(reply.Refused, c.refused) && (reply.Refused == "") == (c.refused == "")
		if !said || len(l.own) != c.own {
			t.Errorf("%+v: %+v, computed here %v", c, reply, l.own)
		}
		tries := l.c.failures.Find(first).Attempts()
		if err := l.c.Err(); !errors.Is(err, c.err) || (err == nil) != (c.err == nil) || tries != c.tries {
			t.Errorf("%+v: %v, %d attempts", c, err, tries)
		}
		m := l.c.members.Get("x")
		if m.DiskFull != (c.kind == protocol.FailDiskFull) || m.DiskFull && state(m) != status.WorkerFull {
			t.Errorf("%+v: the disk of x is full: %t, it is %s", c, m.DiskFull, state(m))
		}
		if c.own == 1 {
			if l.c.account.Has(first) {
				t.Errorf("%+v: the window that the coordinator computes is still the task of a worker", c)
			}
			l.Recomputed(t.Context(), record(l.own[0]))
			if refused, err := l.ledger.Refused(); err != nil || len(refused) != 1 || refused[0].Worker != "x" ||
				!strings.HasSuffix(refused[0].Reason, "which it can: so it says") {
				t.Errorf("%+v: refused %+v, %v", c, refused, err)
			}
		}
	}
}

// TestErrors has the texts of the errors that end a run.
func TestErrors(t *testing.T) {
	window := func(n int) puzzle.WindowID { return puzzle.WindowID{Cell: puzzle.Cell{Layer: n, Key: "k"}} }
	nobody := &NobodyLeftError{[]kv.Refusal{{Worker: "w", Window: "1/k/0", Reason: "wrong"}}}
	named := &NobodyLeftError{[]kv.Refusal{{Worker: protocol.Named("w", keyX)}}}
	const forgotten = "3 windows are forgotten and 2 compared"
	for want, err := range map[string]error{
		"window 1/k/0 was lost 4 times (is the disk of worker w in order?), last: torn": &DamagedError{
			window(1), 4, "w", "torn"},
		"nobody is left to compute: worker w is refused for wrong results: window 1/k/0: wrong": nobody,
		"wrong results were reported; worker w is refused: window 1/k/0: wrong; " + forgotten: &RestartError{
			nobody.Refused, 3, 2},
		"wrong results were reported; it is not known who reported them; " + forgotten: &RestartError{nil, 3, 2},
	} {
		if got := err.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if !strings.HasPrefix(nobody.Advice(), "start workers on other machines") ||
		!strings.HasPrefix(named.Advice(), "the key is refused as a whole") {
		t.Errorf("advice: %s, %s", nobody.Advice(), named.Advice())
	}
}

// TestNobodyLeft: a run that has refused a worker and has no other ends after a while.
func TestNobodyLeft(t *testing.T) {
	for _, refused := range []bool{true, false} {
		var o Options
		if refused {
			o.Refused = []kv.Refusal{{Worker: "x", Window: "w", Reason: "wrong"}}
		}
		l := lead(t, plantest.Grid(2), o, "h")
		l.wait(time.Minute)
		l.c.members.Get("h").Leaving = true
		if l.wait(nobodyLeft - tickInterval); !l.c.running() {
			t.Fatalf("it ends early: %v", l.c.Err())
		}
		l.wait(2 * tickInterval)
		var nobody *NobodyLeftError
		if errors.As(l.c.Err(), &nobody) != refused || l.c.running() == refused {
			t.Errorf("refused %t: it ends with %v", refused, l.c.Err())
		}
	}
}

// TestStates names the state of a worker, the most serious first.
func TestStates(t *testing.T) {
	l := lead(t, plantest.Grid(2), Options{}, "h")
	m := l.c.members.Get("h")
	var got []string
	for _, change := range []func(){
		func() {}, func() { m.Joining = true }, func() { m.Leaving = true }, func() { m.DiskFull = true },
	} {
		change()
		got = append(got, state(m))
	}
	want := []string{status.WorkerActive, status.WorkerJoining, status.WorkerLeaving, status.WorkerFull}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	m.DoingAt = l.now
	m.Doing = []protocol.Doing{
		{Window: first, Millis: 1500}, {Window: puzzle.WindowID{Part: 9}}, {Window: first, Copy: true},
	}
	wantDoing := []status.Doing{
		{Window: "0/a0/0", Since: l.now.Add(-1500 * time.Millisecond)}, {Window: "0/a0/0", Copy: true, Since: l.now},
	}
	if got := l.c.state().Workers[0]; !slices.Equal(got.Doing, wantDoing) || got.Name != "h" || got.Address != "h:1" {
		t.Errorf("%+v", got)
	}
	if text := fmt.Sprint(l.c.state().Refused); text != "[]" {
		t.Errorf("refused %s", text)
	}
}

// TestPlanned: the plan is told whenever layers are added to it, and once more when it is complete.
func TestPlanned(t *testing.T) {
	var told []string
	events := Events{Planned: func(e Planned) { told = append(told, fmt.Sprintf("%d %t", e.Layers, e.Complete)) }}
	p := plantest.Grid(3)
	p.Undecided = 2
	l := lead(t, p, Options{Events: events}, "h")
	l.compute("h", 9)
	want := []string{"2 false", "3 false", "4 false", "5 false", "5 true"}
	if over, err := l.Over(); !over || err != nil || !slices.Equal(told, want) {
		t.Errorf("over %t, %v, told %q, want %q", over, err, told, want)
	}
}

// TestHeldBack: windows that were left to an owner are looked at again with every tick, because the owner may have
// fallen silent.
func TestHeldBack(t *testing.T) {
	for _, heldBack := range []bool{true, false} {
		l := lead(t, plantest.Grid(2), Options{Fleet: FleetOptions{Locality: true}}, "h")
		l.tasks = nil
		l.c.account.Reset()
		l.c.plan.Requeue(l.c.plan.Index[first.Cell], 0)
		l.c.heldBack = heldBack
		if l.wait(tickInterval); (l.given() != "") != heldBack {
			t.Errorf("held back %t: given out %q", heldBack, l.given())
		}
	}
}
