package compute

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// TestLocks: one goroutine has a window at a time. Another waits for all windows of a task, says meanwhile that the
// task makes progress, and ends with its context.
func TestLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l locks
		all := task("a", "a", "a").Windows
		progress := 0
		free := func(ctx context.Context) bool { return l.free(ctx, all, func() { progress++ }) }
		first, ok := l.lock(all[0].ID())
		last, too := l.lock(all[2].ID())
		if !ok || !too {
			t.Fatalf("two windows are locked: %t, %t", ok, too)
		}
		if release, ok := l.lock(all[0].ID()); ok || release != nil {
			t.Error("a window is locked twice")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if free(ctx) || ctx.Err() == nil || progress > 0 {
			t.Errorf("waited for a window: %v, progress %d", ctx.Err(), progress)
		}
		begun := time.Now()
		time.AfterFunc(3*time.Second, last)
		time.AfterFunc(7*time.Second, first)
		if !free(t.Context()) || time.Since(begun) != 7*time.Second || progress != 3 {
			t.Errorf("waited %v for windows, progress %d", time.Since(begun), progress)
		}
		if _, ok := l.lock(all[0].ID()); !ok {
			t.Error("a released window is locked")
		}
	})
}

// TestTaskWaitsForOtherSlots: a task with a window that another slot has in hand waits for that slot, and then is done
// whole. It went back to the queue, which gave it to the same worker again, as fast as it could.
func TestTaskWaitsForOtherSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &session{}
		w := newWorker(&Options{Run: "r1", Name: "w", Puzzle: keyed{}, Concurrency: 2, Store: newStore(t)}, s)
		s.epoch.Store(1)
		w.beginEpoch(1)
		release, _ := w.locks.lock(keyedWindow("a", 1).ID()) // another slot's
		time.AfterFunc(3*time.Second, release)
		begun, tk := time.Now(), task("a", "a")
		f := w.compute(t.Context(), delivery{&tk})
		if !f.whole || len(f.items) != 2 || time.Since(begun) != 3*time.Second {
			t.Errorf("%d windows of 2, whole: %t, after %v", len(f.items), f.whole, time.Since(begun))
		}
		for i := range f.items {
			f.items[i].writer.Abort()
		}
	})
}

// TestDoing lists the windows in hand, oldest first, with the time since they were begun.
func TestDoing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d doing
		ends := make([]func(), protocol.MaxDoing+1)
		for i := range ends {
			w := protocol.TaskWindow{Window: puzzle.Window{Part: i}}
			if i == 2 {
				w.Copy = &protocol.LocatedWindow{}
			}
			ends[i] = d.begin(&w)
			time.Sleep(time.Second)
		}
		if got := d.now(); len(got) != protocol.MaxDoing {
			t.Errorf("%d windows of %d are told", len(got), len(ends))
		}
		for i := range ends {
			if i != 2 && i != 5 {
				ends[i]()
				ends[i]()
			}
		}
		if got := d.now(); len(got) != 2 || got[0].Window.Part != 2 || !got[0].Copy || got[0].Millis != 15_000 ||
			got[1].Window.Part != 5 || got[1].Copy || got[1].Millis != 12_000 {
			t.Errorf("%+v", got)
		}
	})
}
