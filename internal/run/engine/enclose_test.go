package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/protocol"
)

// TestTasksSayWhatTheirWindowsRead: no worker asks for parents, unless a task would become too large.
func TestTasksSayWhatTheirWindowsRead(t *testing.T) {
	for _, test := range []struct {
		window uint64
		fits   bool
	}{{40, true}, {2, false}} {
		t.Run(fmt.Sprint("windows of ", test.window), bubble(func(t *testing.T) {
			p := &enginetest.Pascal{Depth: 2, Slots: 201, Window: test.window}
			y := newCluster(t, p, 1, enginetest.Faults{})
			y.opts.TaskTime = 0 // tasks of many windows
			y.begin()
			y.worker("a", 2)
			y.worker("b", 1)
			if err := y.end(); err != nil {
				t.Fatal(err)
			}
			y.check()
			if n := y.asked.Load(); (n == 0) != test.fits {
				t.Errorf("workers asked %d times", n)
			}
			// Cells of several windows are not fetched ahead.
			if n := y.ahead.Load(); n > 0 {
				t.Errorf("%d windows were fetched ahead", n)
			}
		}))
	}
}

// TestTaskOfManyParentsStaysSmall: the parents that tasks list keep to the size of a message.
func TestTaskOfManyParentsStaysSmall(t *testing.T) { synctest.Test(t, testTaskOfManyParentsStaysSmall) }

func testTaskOfManyParentsStaysSmall(t *testing.T) {
	p := &enginetest.Pascal{Depth: 3, Slots: 801, Window: 11}
	y := newCluster(t, p, 1, enginetest.Faults{})
	y.opts.TaskTime = 1 << 40
	y.begin()
	y.worker("a", 1)
	if err := y.end(); err != nil {
		t.Fatal(err)
	}
	y.check()
	if n := y.queue.Largest; n > protocol.MaxTaskBytes || n < protocol.MaxTaskBytes/8 {
		t.Errorf("the largest task has %d bytes, at most %d are allowed", n, protocol.MaxTaskBytes)
	}
}

// TestParentsAreFetchedAhead: a worker fetches the parents of its next task while it computes.
func TestParentsAreFetchedAhead(t *testing.T) { synctest.Test(t, testParentsAreFetchedAhead) }

func testParentsAreFetchedAhead(t *testing.T) {
	p := &enginetest.Pascal{Depth: 12, Slots: 31}
	w := wrap(p)
	y := newCluster(t, w, 1, enginetest.Faults{})
	y.allJoin(w, 2)
	y.begin()
	y.worker("a", 1)
	y.worker("b", 1)
	if err := y.end(); err != nil {
		t.Fatal(err)
	}
	y.p = p
	y.check()
	if y.ahead.Load() == 0 {
		t.Error("nothing was fetched ahead")
	}
}
