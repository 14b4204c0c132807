package simulate

import (
	"context"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// client is a worker's link to whatever coordinators listen.
type client struct{ p *process }

var _ protocol.CoordinatorClient = client{}

const (
	joinTime      = 10 * time.Second
	heartbeatTime = 2 * time.Second
	locateTime    = 5 * time.Second
)

func call[T any](
	ctx context.Context, p *process, subject string, encode func() ([]byte, error), decode func([]byte) (T, error),
	try time.Duration,
) (T, error) {
	var none T
	b, err := encode()
	if err != nil {
		return none, err
	}
	if p.isDead() {
		return none, kv.ErrClosed // a dead process does not try again
	}
	a, err := p.w.broker.ask(ctx, p, subject, b, try)
	if p.isDead() {
		return none, kv.ErrClosed
	}
	if err != nil {
		return none, err
	}
	return decode(a)
}

func (c client) Join(ctx context.Context, j protocol.Join) (protocol.JoinResponse, error) {
	return call(ctx, c.p, "join", j.Encode, protocol.DecodeJoinResponse, joinTime)
}

func (c client) Heartbeat(ctx context.Context, b protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
	return call(ctx, c.p, "heartbeat", b.Encode, protocol.DecodeHeartbeatResponse, heartbeatTime)
}

func (c client) Locate(ctx context.Context, reader puzzle.Cell) ([]protocol.Located, error) {
	return protocol.LocatePages(ctx, c.p.w.shape.run, reader,
		func(ctx context.Context, q protocol.LocateRequest) (protocol.LocateResponse, error) {
			return call(ctx, c.p, "locate", q.Encode, protocol.DecodeLocateResponse, locateTime)
		})
}

func (c client) Drops(ctx context.Context, fn func(protocol.Drop)) error {
	run := c.p.w.shape.run
	drops := make(chan protocol.Drop, 64)
	put := func(d protocol.Drop) {
		select {
		case drops <- d:
		case <-ctx.Done():
		}
	}
	end := c.p.w.broker.subscribe(&subscription{
		p: c.p, subject: "drop",
		handle: func(b []byte, _ func([]byte)) {
			if d, err := protocol.DecodeDrop(b); err == nil {
				put(d)
			}
		},
		back: func() { put(protocol.Drop{Run: run}) },
	})
	defer end()
	fn(protocol.Drop{Run: run})
	for {
		select {
		case d := <-drops:
			fn(d)
		case <-ctx.Done():
			return nil
		}
	}
}

// desk answers what workers ask a coordinator.
func (h *host) desk(ctx context.Context, p *process, c protocol.CoordinatorService) (end func()) {
	w := p.w
	answer := func(subject string, fn func(b []byte) ([]byte, error)) func() {
		return w.broker.subscribe(&subscription{p: p, subject: subject, handle: func(b []byte, reply func([]byte)) {
			if a, err := fn(b); err == nil {
				reply(a)
			}
		}})
	}
	ends := []func(){
		answer("join", func(b []byte) ([]byte, error) {
			j, err := protocol.DecodeJoin(b)
			if err != nil {
				return nil, err
			}
			r := c.Join(ctx, j)
			return r.Encode()
		}),
		answer("heartbeat", func(b []byte) ([]byte, error) {
			m, err := protocol.DecodeHeartbeat(b)
			if err != nil {
				return nil, err
			}
			r := c.Heartbeat(ctx, m)
			return r.Encode()
		}),
		answer("locate", func(b []byte) ([]byte, error) {
			m, err := protocol.DecodeLocateRequest(b)
			if err != nil {
				return nil, err
			}
			all, err := c.Locate(ctx, m.Reader)
			var page protocol.LocateResponse
			if err == nil {
				page, err = protocol.Page(all, m.From)
			}
			if err != nil {
				page = protocol.LocateResponse{Error: protocol.Clip(err.Error())}
			}
			return page.Encode()
		}),
	}
	return func() {
		for _, end := range ends {
			end()
		}
	}
}
