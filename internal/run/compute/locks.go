package compute

import (
	"context"
	"sync"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// locks keeps one slot from computing what another slot of the worker has in hand: the queue may deliver twice.
type locks struct {
	mu   sync.Mutex
	held map[puzzle.WindowID]chan struct{}
}

// lock takes a window, unless another goroutine has it.
func (c *locks) lock(id puzzle.WindowID) (release func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held[id] != nil {
		return nil, false
	}
	if c.held == nil {
		c.held = make(map[puzzle.WindowID]chan struct{})
	}
	done := make(chan struct{})
	c.held[id] = done
	return func() {
		c.mu.Lock()
		delete(c.held, id)
		c.mu.Unlock()
		close(done)
	}, true
}

// free waits until no goroutine has one of the windows, and calls progress meanwhile. It takes none of them, so two
// tasks never wait for each other. It returns false when ctx is done first.
func (c *locks) free(ctx context.Context, windows []protocol.TaskWindow, progress func()) bool {
	tick := time.NewTicker(waitingProgress)
	defer tick.Stop()
	for i := 0; i < len(windows); {
		c.mu.Lock()
		other := c.held[windows[i].ID()]
		c.mu.Unlock()
		if other == nil {
			i++
			continue
		}
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
			progress()
		case <-other:
			i = 0
		}
	}
	return ctx.Err() == nil
}
