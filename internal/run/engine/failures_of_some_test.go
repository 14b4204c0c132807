package engine_test

import (
	"fmt"
	"testing"
	"time"

	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/engine/enginetest/hostile"
)

// TestFailuresOfMany has six workers fail at all windows from a layer on, beside two that do not: the run is completed.
func TestFailuresOfMany(t *testing.T) {
	for _, layer := range []int{0, 2} {
		t.Run(fmt.Sprintf("from layer %d", layer), bubble(func(t *testing.T) {
			seed, _ := printedSeed(t)
			x := make(map[string]*hostile.Behaviour)
			for i := range 6 {
				x[fmt.Sprintf("x%d", i)] = hostile.FailsFrom(layer)
			}
			p := &enginetest.Pascal{Depth: 5, Slots: 101, Window: 20}
			r := attackedBy(t, seed, p, engine.Options{}, x, "a", "b")
			if !r.completed || len(r.refused) > 0 {
				t.Errorf("completed %t, refused %v", r.completed, r.refused)
			}
		}))
	}
}

// TestFailuresOfTheFirst has a worker that comes first fail at everything, and alone for longer than three attempts
// take: those that come later complete the run.
func TestFailuresOfTheFirst(t *testing.T) {
	bubble(func(t *testing.T) {
		p := &enginetest.Pascal{Depth: 4, Slots: 101, Window: 40}
		y := newCluster(t, p, 1, enginetest.Faults{})
		y.opts.Fleet.WorkerTimeout, y.opts.ShutdownTimeout = 10*time.Second, time.Second
		y.hostile = map[string]*hostile.Behaviour{"x": hostile.FailsFrom(0)}
		aside := 0
		y.opts.Events.SetAside = func(e coordinator.SetAside) {
			if aside++; e.Worker != "x" {
				t.Errorf("worker %s is set aside: %v", e.Worker, e.Err)
			}
		}
		y.begin()
		y.worker("x", 2)
		time.Sleep(10 * time.Second)
		y.worker("a", 1)
		y.worker("b", 1)
		if err := y.end(); err != nil {
			t.Fatal(err)
		}
		y.check()
		t.Logf("x was set aside %d times", aside)
	})(t)
}
