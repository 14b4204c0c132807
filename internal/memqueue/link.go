package memqueue

import (
	"context"
	"maps"
	"slices"
	"sync"

	"pagoda/internal/pipeline"
	"pagoda/internal/puzzle"
)

// Link joins workers to the coordinator of their process. Safe for concurrent use.
type Link struct {
	ready chan struct{} // closed when desk is set
	desk  pipeline.Desk

	mu    sync.Mutex
	next  int
	drops map[int]func(pipeline.Drop)
}

var _ pipeline.Link = (*Link)(nil)

// NewLink returns a link to a coordinator that is still to be made.
func NewLink() *Link {
	return &Link{ready: make(chan struct{}), drops: make(map[int]func(pipeline.Drop))}
}

// Connect gives the link its coordinator. It is called once.
func (l *Link) Connect(d pipeline.Desk) {
	l.desk = d
	close(l.ready)
}

// connected waits for Connect.
func (l *Link) connected(ctx context.Context) (pipeline.Desk, error) {
	select {
	case <-l.ready:
		return l.desk, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Join implements pipeline.Link.
func (l *Link) Join(ctx context.Context, j pipeline.Join) (pipeline.Welcome, error) {
	d, err := l.connected(ctx)
	if err != nil {
		return pipeline.Welcome{}, err
	}
	return d.Join(ctx, j), ctx.Err()
}

// Beat implements pipeline.Link.
func (l *Link) Beat(ctx context.Context, b pipeline.Beat) (pipeline.BeatReply, error) {
	d, err := l.connected(ctx)
	if err != nil {
		return pipeline.BeatReply{}, err
	}
	return d.Beat(ctx, b), ctx.Err()
}

// Locate implements pipeline.Locator.
func (l *Link) Locate(ctx context.Context, reader puzzle.Cell) ([]pipeline.Located, error) {
	d, err := l.connected(ctx)
	if err != nil {
		return nil, err
	}
	return d.Locate(ctx, reader)
}

// Drops implements pipeline.Link.
func (l *Link) Drops(ctx context.Context, fn func(pipeline.Drop)) error {
	l.mu.Lock()
	n := l.next
	l.next++
	l.drops[n] = fn
	l.mu.Unlock()
	fn(pipeline.Drop{})
	<-ctx.Done()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.drops, n)
	return nil
}

// Broadcast passes d to everybody who listens, and returns when they have dealt with it. A listener must not ask the
// coordinator anything meanwhile: that is what calls.
func (l *Link) Broadcast(d pipeline.Drop) error {
	l.mu.Lock()
	fns := slices.Collect(maps.Values(l.drops))
	l.mu.Unlock()
	for _, fn := range fns {
		fn(d)
	}
	return nil
}
