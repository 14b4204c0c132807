package natsqueue

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// How long one attempt waits for its answer before the question is sent again.
const (
	joinTime      = 10 * time.Second // the coordinator may have to look through its plan
	heartbeatTime = 2 * time.Second
	locateTime    = 5 * time.Second
)

// Link is a worker's way to its run's coordinator. Its questions are sent until they are answered or ctx is
// done.
type Link struct {
	nc       *nats.Conn
	run, key string
}

var _ protocol.CoordinatorClient = (*Link)(nil)

// NewLink returns a worker's way to its coordinator. It sends nothing before the first call.
func NewLink(nc *nats.Conn, run string) (*Link, error) {
	if err := checkRun(run); err != nil {
		return nil, err
	}
	return &Link{nc, run, keyOf(nc)}, nil
}

// Join implements protocol.CoordinatorClient.
func (l *Link) Join(ctx context.Context, j protocol.Join) (protocol.JoinResponse, error) {
	return exchange(ctx, l.nc, joinSubject(l.run, l.key), j.Encode, protocol.DecodeJoinResponse, joinTime)
}

// Heartbeat implements protocol.CoordinatorClient.
func (l *Link) Heartbeat(ctx context.Context, b protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
	return exchange(ctx, l.nc, heartbeatSubject(l.run, l.key), b.Encode, protocol.DecodeHeartbeatResponse, heartbeatTime)
}

// Locate implements protocol.Locator: it asks page by page.
func (l *Link) Locate(ctx context.Context, reader puzzle.Cell) ([]protocol.Located, error) {
	return protocol.LocatePages(ctx, l.run, reader, l.locatePage)
}

func (l *Link) locatePage(ctx context.Context, w protocol.LocateRequest) (protocol.LocateResponse, error) {
	return exchange(ctx, l.nc, locateSubject(l.run, l.key), w.Encode, protocol.DecodeLocateResponse, locateTime)
}

// Drops implements protocol.CoordinatorClient. It passes over messages that are no drop of this run.
func (l *Link) Drops(ctx context.Context, fn func(protocol.Drop)) error {
	back := l.nc.StatusChanged(nats.CONNECTED)
	defer l.nc.RemoveStatusListener(back)
	drops := make(chan protocol.Drop)
	end, err := subscribe(l.nc, dropSubject(l.run), pendingBytes, func(m *nats.Msg) {
		if d, err := protocol.DecodeDrop(m.Data); err == nil && d.Run == l.run {
			select {
			case drops <- d:
			case <-ctx.Done():
			}
		}
	})
	if err != nil {
		return err
	}
	defer end()
	none := protocol.Drop{Run: l.run}
	fn(none) // the server hears of the subscription before it hears of a join
	for {
		select {
		case d := <-drops:
			fn(d)
		case <-back:
			fn(none)
		case <-ctx.Done():
			return nil
		}
	}
}

func exchange[T any](
	ctx context.Context, nc *nats.Conn, subject string, encode func() ([]byte, error), decode func([]byte) (T, error),
	try time.Duration,
) (T, error) {
	var none T
	q, err := encode()
	if err != nil {
		return none, err
	}
	a, err := ask(ctx, nc, subject, q, try)
	if err != nil {
		return none, err
	}
	return decode(a)
}
