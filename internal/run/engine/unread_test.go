package engine_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
)

// TestCacheForgetsWhatNothingReads: when a window is computed, the cells that nothing but its parents has read are not
// in the cache any more, although their rows are kept; the parents are, if another window has read them.
func TestCacheForgetsWhatNothingReads(t *testing.T) {
	synctest.Test(t, testCacheForgetsWhatNothingReads)
}

func testCacheForgetsWhatNothingReads(t *testing.T) {
	const depth, parts = 8, 3
	p := wrap(&enginetest.Pascal{Depth: depth, Slots: 101, Window: 40})
	var parents atomic.Int64 // that were in the cache
	p.source = func(w puzzle.Window, in puzzle.Source) error {
		var k int
		if w.Layer == depth {
			return nil
		}
		if _, err := fmt.Sscanf(w.Key, "k%d", &k); err != nil {
			return err
		}
		for part := range parts {
			id := puzzle.WindowID{Cell: puzzle.Cell{Layer: w.Layer - 1, Key: fmt.Sprintf("k%d", k)}, Part: part}
			if _, ok := in.Cache().Get(id); ok {
				parents.Add(1)
			}
			// The one parent that its parents share, and have read alone.
			id.Cell = puzzle.Cell{Layer: w.Layer - 2, Key: fmt.Sprintf("k%d", k-1)}
			if _, ok := in.Cache().Get(id); ok {
				return fmt.Errorf("window %s is computed, and window %v still in the cache", w, id)
			}
		}
		return nil
	}
	f := create(t, p, t.TempDir())
	defer closeFolder(t, f)
	q := enginetest.NewQueue(1, enginetest.Faults{})
	if _, err := engine.Run(
		t.Context(),
		p,
		f,
		engine.Options{Tasks: q, Work: q, Concurrency: 2, CacheBytes: 1 << 20},
	); err != nil {
		t.Fatal(err)
	}
	if parents.Load() == 0 {
		t.Error("no parent was ever in the cache")
	}
}

// TestFleetForgetsWhatNothingReads: a window read for the last time long ago is in no worker's cache.
func TestFleetForgetsWhatNothingReads(t *testing.T) {
	synctest.Test(t, testFleetForgetsWhatNothingReads)
}

func testFleetForgetsWhatNothingReads(t *testing.T) {
	const depth = 30
	toy := &enginetest.Pascal{Depth: depth, Slots: 101, Window: 40}
	p := wrap(toy)
	var cached atomic.Int64
	p.source = func(w puzzle.Window, in puzzle.Source) error {
		for k := range 2 {
			id := puzzle.WindowID{Cell: puzzle.Cell{Layer: 1, Key: fmt.Sprintf("k%d", k)}}
			_, ok := in.Cache().Get(id)
			if ok && w.Layer < depth {
				cached.Add(1)
			}
			if ok && w.Layer == depth {
				time.Sleep(time.Millisecond) // in virtual time: whatever is on its way arrives
				if _, ok = in.Cache().Get(id); ok {
					return fmt.Errorf("window %v is still in the cache", id)
				}
			}
		}
		return nil
	}
	y := newCluster(t, p, 1, enginetest.Faults{})
	y.begin()
	y.worker("a", 1)
	y.worker("b", 2)
	if err := y.end(); err != nil {
		t.Fatal(err)
	}
	if cached.Load() == 0 {
		t.Error("it was never in a cache")
	}
	y.p = toy
	y.check()
}
