package coordinator

import (
	"context"
	"testing"
	"time"

	"pagoda/internal/run/plan"
	"pagoda/internal/run/plan/plantest"
)

// TestAskedLast: do reports true for the function that the loop has called last of all, although the coordinator has
// ended by then.
func TestAskedLast(t *testing.T) {
	for range 2000 {
		c := newLoop()
		go func() {
			(<-c.calls)()
			close(c.ended)
		}()
		did := false
		if ok := c.do(t.Context(), func() { did = true }); !ok {
			t.Fatalf("the coordinator did what it was asked (%t) and says that it had ended before", did)
		}
		if ok := c.do(t.Context(), func() { t.Error("done after the end") }); ok {
			t.Fatal("a coordinator that has ended did what it was asked")
		}
	}
}

// TestAskedInVain: do reports false when its caller has stopped waiting before the loop takes the function.
func TestAskedInVain(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := newLoop()
	if c.do(ctx, func() { t.Error("it is done") }) {
		t.Error("a coordinator whose loop does not run did what it was asked")
	}
}

// TestDefaults pins what the options are where they are not given.
func TestDefaults(t *testing.T) {
	p, err := plan.New(plantest.Grid(2))
	if err != nil {
		t.Fatal(err)
	}
	o := New(paperRun, p, nil, nil, Options{}).o
	if o.Retention != plan.RetainAll || o.MaxAttempts != 3 || o.TaskTime != 20*time.Millisecond || o.Recomputers != 1 ||
		o.WatchEvery != 5*time.Second || o.Now == nil {
		t.Errorf("%+v", o)
	}
	if f := (FleetOptions{}).withDefaults(); f.WorkerTimeout != 10*time.Second || f.RejoinGrace != 5*time.Second ||
		f.Replication != 1 {
		t.Errorf("%+v", f)
	}
	given := FleetOptions{WorkerTimeout: 1, RejoinGrace: 2, Replication: 3}
	if f := given.withDefaults(); f.WorkerTimeout != 1 || f.RejoinGrace != 2 || f.Replication != 3 {
		t.Errorf("%+v", f)
	}
}
