package compute

import (
	"context"
	"sync"

	"pagoda/internal/puzzle"
)

// locks keeps one slot from computing what another slot of the worker has in hand: the queue may deliver twice.
type locks struct {
	mu   sync.Mutex
	held map[puzzle.WindowID]chan struct{}
}

// lock takes id. If another goroutine has it, lock waits if it may; ok is false when it must not wait or ctx is done.
func (c *locks) lock(ctx context.Context, id puzzle.WindowID, wait bool) (release func(), ok bool) {
	for {
		c.mu.Lock()
		other := c.held[id]
		if other == nil {
			done := make(chan struct{})
			if c.held == nil {
				c.held = make(map[puzzle.WindowID]chan struct{})
			}
			c.held[id] = done
			c.mu.Unlock()
			return func() {
				c.mu.Lock()
				delete(c.held, id)
				c.mu.Unlock()
				close(done)
			}, true
		}
		c.mu.Unlock()
		if !wait {
			return nil, false
		}
		select {
		case <-ctx.Done():
			return nil, false
		case <-other:
		}
	}
}
