package enginetest

import (
	"context"
	"errors"
	"slices"
	"sync"

	"pagoda/internal/run/protocol"
)

// A Hand is one worker's end of a Queue: it takes tasks for that worker first, then those for anyone, and can be cut
// off as by a kill.
type Hand struct {
	q      *Queue
	worker string

	mu   sync.Mutex
	dead bool
	held map[*delivery]bool
	cut  chan struct{}
}

var errKilled = errors.New("killed")

// For returns the end of a worker.
func (q *Queue) For(worker string) *Hand {
	return &Hand{q: q, worker: worker, held: make(map[*delivery]bool), cut: make(chan struct{})}
}

// Kill cuts the worker off: the queue hears nothing from it any more, and gives its tasks to others.
func (h *Hand) Kill() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.dead {
		return
	}
	h.dead = true
	close(h.cut)
	for d := range h.held {
		_ = d.Nak()
	}
	clear(h.held)
}

// Next implements protocol.WorkQueue.
func (h *Hand) Next(ctx context.Context) (protocol.Delivery, error) {
	d, err := h.q.take(ctx, func(t *protocol.Task) int {
		switch t.To {
		case h.worker:
			return 2
		case "":
			return 1
		}
		return 0
	}, h.cut)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.dead {
		_ = d.Nak()
		return mute{d}, nil
	}
	h.held[d] = true
	return &held{h, d}, nil
}

// Report implements protocol.WorkQueue.
func (h *Hand) Report(ctx context.Context, r protocol.Report) (protocol.Reply, error) {
	select {
	case <-h.cut:
		// A dead process gets no answer.
		return protocol.Reply{}, errKilled
	default:
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-h.cut:
			cancel()
		case <-ctx.Done():
		}
	}()
	return h.q.Report(ctx, r)
}

// held is a delivery in a living worker's hands.
type held struct {
	h *Hand
	d *delivery
}

func (h *held) Task() *protocol.Task { return h.d.Task() }
func (h *held) Progress()            {}
func (h *held) Ack() error           { return h.end(h.d.Ack) }
func (h *held) Nak() error           { return h.end(h.d.Nak) }

func (h *held) end(fn func() error) error {
	h.h.mu.Lock()
	defer h.h.mu.Unlock()
	if !h.h.held[h.d] {
		return nil
	}
	delete(h.h.held, h.d)
	return fn()
}

// mute is a delivery whose settlement does not reach the queue.
type mute struct{ d *delivery }

func (m mute) Task() *protocol.Task { return m.d.Task() }
func (m mute) Progress()            {}
func (m mute) Ack() error           { return nil }
func (m mute) Nak() error           { return nil }

// Purge implements protocol.Purger.
func (q *Queue) Purge(_ context.Context, worker string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = slices.DeleteFunc(q.waiting, func(t protocol.Task) bool { return t.To == worker })
	return nil
}

// Reset implements protocol.Resetter.
func (q *Queue) Reset(context.Context) error {
	q.Empty()
	return nil
}

// Empty removes all tasks that wait, as a coordinator does that takes over.
func (q *Queue) Empty() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = nil
}
