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
// that a large one does not wait for ever. A window inside never waits for one outside. Memory that no window holds is
// lent.
type room struct {
	bytes uint64
	of    func(puzzle.WindowID) (bytes, planned uint64)
	free  *semaphore.Weighted
	lend  func(bytes uint64) // if any, is told the bytes that no window holds, one call at a time

	mu   sync.Mutex
	held uint64
}

// newRoom returns nil, which is unlimited, for 0 bytes.
func newRoom(bytes uint64, of func(puzzle.WindowID) (bytes, planned uint64), lend func(bytes uint64)) *room {
	if bytes == 0 || of == nil {
		return nil
	}
	bytes = min(bytes, math.MaxInt64)
	r := &room{bytes: bytes, of: of, free: semaphore.NewWeighted(int64(bytes)), lend: lend}
	r.takes(0)
	return r
}

// takes adds so many bytes to those held, and tells lend the rest.
func (r *room) takes(bytes int64) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held += uint64(bytes)
	if r.lend != nil {
		r.lend(r.bytes - r.held)
	}
}

// need returns the bytes that a window will hold. holds computes them, and knows better than the plan. If there are not
// so many, the window must do with the bytes of r.of, and reduced is the same number; otherwise reduced is 0.
func (r *room) need(w puzzle.WindowID, holds func(planned uint64) uint64) (bytes, reduced uint64) {
	if r == nil {
		return 0, 0
	}
	bytes, planned := r.of(w)
	if exact := holds(planned); exact <= max(bytes, r.bytes) {
		return exact, 0
	}
	return bytes, bytes
}

// enter waits until there is memory for a window of so many bytes, and calls progress meanwhile. Then the window is
// computed and leave called. The error is that of the context.
func (r *room) enter(ctx context.Context, bytes uint64, progress func()) (leave func(), err error) {
	if r == nil {
		return func() {}, nil
	}
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
	r.takes(n)
	return func() {
		r.takes(-n) // first, as the next one in takes some of it back
		r.free.Release(n)
	}, nil
}
