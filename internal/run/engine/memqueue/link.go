package memqueue

import (
	"context"
	"maps"
	"slices"
	"sync"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// Link joins workers to the coordinator of their process. Safe for concurrent use.
type Link struct {
	ready   chan struct{} // closed when service is set
	service protocol.CoordinatorService

	mu    sync.Mutex
	next  int
	drops map[int]func(protocol.Drop)
}

var _ protocol.CoordinatorClient = (*Link)(nil)

// NewLink returns a link to a coordinator that is still to be made.
func NewLink() *Link {
	return &Link{ready: make(chan struct{}), drops: make(map[int]func(protocol.Drop))}
}

// Connect gives the link its coordinator. It is called once.
func (l *Link) Connect(d protocol.CoordinatorService) {
	l.service = d
	close(l.ready)
}

// connected waits for Connect.
func (l *Link) connected(ctx context.Context) (protocol.CoordinatorService, error) {
	select {
	case <-l.ready:
		return l.service, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Join implements protocol.CoordinatorClient.
func (l *Link) Join(ctx context.Context, j protocol.Join) (protocol.JoinResponse, error) {
	d, err := l.connected(ctx)
	if err != nil {
		return protocol.JoinResponse{}, err
	}
	return d.Join(ctx, j), ctx.Err()
}

// Heartbeat implements protocol.CoordinatorClient.
func (l *Link) Heartbeat(ctx context.Context, b protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
	d, err := l.connected(ctx)
	if err != nil {
		return protocol.HeartbeatResponse{}, err
	}
	return d.Heartbeat(ctx, b), ctx.Err()
}

// Locate implements protocol.Locator.
func (l *Link) Locate(ctx context.Context, reader puzzle.Cell) ([]protocol.Located, error) {
	d, err := l.connected(ctx)
	if err != nil {
		return nil, err
	}
	return d.Locate(ctx, reader)
}

// Drops implements protocol.CoordinatorClient.
func (l *Link) Drops(ctx context.Context, fn func(protocol.Drop)) error {
	l.mu.Lock()
	n := l.next
	l.next++
	l.drops[n] = fn
	l.mu.Unlock()
	fn(protocol.Drop{})
	<-ctx.Done()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.drops, n)
	return nil
}

// Broadcast passes d to all listeners, and returns when they have dealt with it. A listener must not ask the
// coordinator anything meanwhile: the coordinator is the caller.
func (l *Link) Broadcast(d protocol.Drop) error {
	l.mu.Lock()
	fns := slices.Collect(maps.Values(l.drops))
	l.mu.Unlock()
	for _, fn := range fns {
		fn(d)
	}
	return nil
}
