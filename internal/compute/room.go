package compute

import (
	"context"
	"math"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"pagoda/internal/puzzle"
)

// waitingProgress is how often a window that waits for memory says that its task makes progress, far below ack_wait.
const waitingProgress = 2 * time.Second

// room is the memory for the windows that are computed at a time. Windows get in in the order in which they came, so
// that a large one does not wait for ever. Nobody who is in waits for anything that somebody outside has.
type room struct {
	bytes uint64
	of    func(puzzle.WindowID) (bytes uint64, reduced bool)
	free  *semaphore.Weighted
}

// newRoom returns nil, which is unlimited, for 0 bytes.
func newRoom(bytes uint64, of func(puzzle.WindowID) (bytes uint64, reduced bool)) *room {
	if bytes == 0 || of == nil {
		return nil
	}
	bytes = min(bytes, math.MaxInt64)
	return &room{bytes, of, semaphore.NewWeighted(int64(bytes))}
}

// reduced is what a window may hold where that is less than the plan says, and 0 where it is not.
func (r *room) reduced(w puzzle.WindowID) uint64 {
	if r == nil {
		return 0
	}
	if n, reduced := r.of(w); reduced {
		return n
	}
	return 0
}

// enter waits until there is memory for a window, and calls progress meanwhile. Then the window is computed
// and leave called. The error is that of the context.
func (r *room) enter(ctx context.Context, w puzzle.WindowID, progress func()) (leave func(), err error) {
	if r == nil {
		return func() {}, nil
	}
	bytes, _ := r.of(w)
	n := int64(min(bytes, r.bytes))
	if !r.free.TryAcquire(n) {
		var talking sync.WaitGroup
		done := make(chan struct{})
		talking.Go(func() {
			tick := time.NewTicker(waitingProgress)
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					progress()
				case <-done:
					return
				}
			}
		})
		err = r.free.Acquire(ctx, n)
		close(done)
		talking.Wait()
		if err != nil {
			return nil, err
		}
	}
	return func() { r.free.Release(n) }, nil
}
