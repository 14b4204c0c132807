package engine_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/protocol"
)

// puppet is a worker that a test moves by hand: it takes tasks, and computes none.
type puppet struct {
	y     *cluster
	coord *coordinator.Coordinator
	name  string
	hand  *enginetest.Hand
	has   map[puzzle.WindowID]protocol.Delivery // taken and not reported yet; each task here has one window
	// attempts are the last attempts that it was given. refused is the reason why its last report was refused.
	attempts map[puzzle.WindowID]string
	refused  string
}

// puppet joins a run as a worker with more slots than there are windows at first.
func (y *cluster) puppet(c *coordinator.Coordinator, name string) *puppet {
	y.t.Helper()
	x := &puppet{
		y: y, coord: c, name: name, hand: y.queue.For(name), has: make(map[puzzle.WindowID]protocol.Delivery),
		attempts: make(map[puzzle.WindowID]string),
	}
	x.join()
	return x
}

func (x *puppet) join() {
	x.y.t.Helper()
	r := x.coord.Join(x.y.t.Context(), protocol.Join{
		Version: protocol.Version,
		Run:     x.y.run, Worker: x.name, Incarnation: "only", Concurrency: 4, Address: x.name + ":1",
	})
	if r.Error != "" {
		x.y.t.Fatalf("worker %s joins: %s", x.name, r.Error)
	}
}

// beat sends a heartbeat.
func (x *puppet) beat(leaving bool) {
	x.y.t.Helper()
	r := x.coord.Heartbeat(x.y.t.Context(), protocol.Heartbeat{
		Run: x.y.run, Worker: x.name, Incarnation: "only", Epoch: x.coord.Announcement().Epoch, Leaving: leaving,
	})
	if r.Error != "" || r.Rejoin || r.Stop {
		x.y.t.Fatalf("heartbeat of worker %s: %+v", x.name, r)
	}
}

// take takes all tasks that the queue has for the worker.
func (x *puppet) take() {
	x.y.t.Helper()
	for {
		synctest.Wait() // until what is to be assigned is
		ctx, cancel := context.WithTimeout(x.y.t.Context(), time.Nanosecond)
		d, err := x.hand.Next(ctx)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			return
		}
		if err != nil {
			x.y.t.Fatal(err)
		}
		for _, w := range d.Task().Windows {
			x.has[w.ID()] = d
			x.attempts[w.ID()] = w.Attempt
		}
	}
}

// report sends a report of windows that the worker has, or had, in hand.
func (x *puppet) report(number uint64, done []protocol.Done, failures ...protocol.Failure) {
	x.y.t.Helper()
	for i := range done {
		done[i].Attempt = x.attempts[done[i].Record.ID()]
	}
	for i := range failures {
		failures[i].Attempt = x.attempts[failures[i].Window.ID()]
	}
	reply, err := x.y.queue.Report(x.y.t.Context(), protocol.Report{
		Run: x.y.run, Worker: x.name, Incarnation: "only", Epoch: x.coord.Announcement().Epoch, Number: number,
		Done: done, Failures: failures,
	})
	x.refused, reply.Refused = reply.Refused, ""
	if err != nil || reply != (protocol.Reply{}) {
		x.y.t.Fatalf("report of worker %s: %+v, %v", x.name, reply, err)
	}
	settle := func(id puzzle.WindowID) {
		if d := x.has[id]; d != nil {
			delete(x.has, id)
			_ = d.Ack() // it cannot fail
		}
	}
	for i := range done {
		settle(done[i].Record.ID())
	}
	for i := range failures {
		settle(failures[i].Window.ID())
	}
}

// fail takes what there is to take, and reports that a window failed.
func (x *puppet) fail(number uint64, w puzzle.Window, kind string) {
	x.y.t.Helper()
	x.take()
	x.report(number, nil, protocol.Failure{Window: w, Kind: kind, Text: "oops"})
	synctest.Wait()
}

// ledCluster returns a run without workers, with its coordinator.
func ledCluster(t *testing.T, p puzzle.Puzzle) (*cluster, *coordinator.Coordinator) {
	y := newCluster(t, p, 1, enginetest.Faults{})
	var coord atomic.Pointer[coordinator.Coordinator]
	y.began = func(c *coordinator.Coordinator) { coord.Store(c) }
	y.begin()
	synctest.Wait()
	return y, coord.Load()
}

// failsAt is p, which cannot compute one window.
func failsAt(p puzzle.Puzzle, id puzzle.WindowID) *wrapped {
	bad := wrap(p)
	bad.before = func(_ context.Context, w puzzle.Window, _ int) error {
		if w.ID() == id {
			return errors.New("oops")
		}
		return nil
	}
	return bad
}

// TestWhatCountsAsAnAttempt: the worker of a window reports that it failed, more often than puts a window into
// quarantine. It does not come there if the failures are of copies, or are one report that arrives again and again:
// then the next worker computes the whole run. Otherwise the coordinator tries it too, which fails here, and the run
// ends with an error that names it.
func TestWhatCountsAsAnAttempt(t *testing.T) {
	victim := puzzle.Window{Cell: puzzle.Cell{Layer: 0, Key: "k0"}, Addresses: 40}
	const attempts = 3 // are made of a window by default
	for _, test := range []struct {
		name   string
		kind   string
		number func(i uint64) uint64
		counts bool
	}{
		{"copies", protocol.FailCopy, func(i uint64) uint64 { return i }, false},
		{"one report", protocol.FailError, func(uint64) uint64 { return 7 }, false},
		{"reports", protocol.FailError, func(i uint64) uint64 { return i }, true},
	} {
		t.Run(test.name, bubble(func(t *testing.T) {
			p := &enginetest.Pascal{Depth: 3, Slots: 101, Window: 40}
			y, c := ledCluster(t, failsAt(p, victim.ID()))
			y.p = p // of workers
			x := y.puppet(c, "x")
			for i := range uint64(attempts + 2) {
				x.take()
				if _, ok := x.has[victim.ID()]; !ok && i == 0 {
					t.Fatalf("the only worker was not given window %s", victim)
				}
				x.fail(test.number(1+i), victim, test.kind)
				synctest.Wait()
				quarantined := len(c.Status(t.Context()).Quarantined) > 0
				if want := test.counts && i+1 >= attempts; quarantined != want {
					t.Fatalf("after %d failures: in quarantine %t, want %t", i+1, quarantined, want)
				}
			}
			x.beat(true)
			x.hand.Kill()
			y.worker("a", 1)
			err := y.end()
			if !test.counts {
				if err != nil {
					t.Fatal(err)
				}
				y.check()
				return
			}
			var q *coordinator.QuarantineError
			if !errors.As(err, &q) || len(q.Windows) != 1 || q.Window != victim.ID() || q.Attempts != attempts+1 {
				t.Fatalf("the run ended with %v", err)
			}
		}))
	}
}
