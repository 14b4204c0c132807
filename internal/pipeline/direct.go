package pipeline

import (
	"context"
	"sync"
)

// A DirectLink joins workers to a Desk in the same process.
type DirectLink struct {
	Desk Desk

	mu    sync.Mutex
	next  int
	drops map[int]func(Drop)
}

var _ Link = (*DirectLink)(nil)

// NewDirectLink returns a link to d.
func NewDirectLink(d Desk) *DirectLink { return &DirectLink{Desk: d, drops: make(map[int]func(Drop))} }

// Join implements Link.
func (l *DirectLink) Join(ctx context.Context, j Join) (Welcome, error) {
	return l.Desk.Join(ctx, j), ctx.Err()
}

// Beat implements Link.
func (l *DirectLink) Beat(ctx context.Context, b Beat) (BeatReply, error) {
	return l.Desk.Beat(ctx, b), ctx.Err()
}

// Where implements Link.
func (l *DirectLink) Where(ctx context.Context, w Where) (WherePage, error) {
	return l.Desk.Where(ctx, w), ctx.Err()
}

// Drops implements Link.
func (l *DirectLink) Drops(ctx context.Context, fn func(Drop)) error {
	l.mu.Lock()
	n := l.next
	l.next++
	l.drops[n] = fn
	l.mu.Unlock()
	fn(Drop{})
	<-ctx.Done()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.drops, n)
	return nil
}

// Broadcast passes d to everybody who listens; it serves as FleetOptions.Broadcast. A listener is not waited for: it
// may itself be waiting for the coordinator that calls.
func (l *DirectLink) Broadcast(d Drop) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, fn := range l.drops {
		go fn(d)
	}
	return nil
}
