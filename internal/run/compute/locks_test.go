package compute

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// TestLocks: one goroutine has a window at a time; another waits for it, if it may, until its context ends.
func TestLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l locks
		id, other := puzzle.WindowID{Part: 1}, puzzle.WindowID{Part: 2}
		release, ok := l.lock(t.Context(), id, false)
		if _, free := l.lock(t.Context(), other, false); !ok || !free {
			t.Fatalf("two windows are locked: %t, %t", ok, free)
		}
		if release, ok := l.lock(t.Context(), id, false); ok || release != nil {
			t.Error("a window is locked twice")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, ok := l.lock(ctx, id, true); ok || ctx.Err() == nil {
			t.Errorf("waited for a window: %t, %v", ok, ctx.Err())
		}
		begun := time.Now()
		time.AfterFunc(3*time.Second, release)
		again, ok := l.lock(t.Context(), id, true)
		if !ok || time.Since(begun) != 3*time.Second {
			t.Errorf("waited %v for a window: %t", time.Since(begun), ok)
		}
		again()
		if _, ok := l.lock(t.Context(), id, false); !ok {
			t.Error("a released window is locked")
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
