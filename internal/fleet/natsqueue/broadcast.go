package natsqueue

import (
	"fmt"
	"sync"

	"github.com/nats-io/nats.go"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// unreadPage is how many windows without readers go into one message: a message for each would cost more than the
// memory that it frees is worth.
const unreadPage = 256

// Broadcaster tells all workers of a run which windows to drop. Messages may get lost. Safe for concurrent use.
type Broadcaster struct {
	nc *nats.Conn

	mu     sync.Mutex
	unread protocol.Drop // windows that are still to be told
}

// NewBroadcaster returns a Broadcaster for the runs of a coordinator.
func NewBroadcaster(nc *nats.Conn) *Broadcaster { return &Broadcaster{nc: nc} }

// Broadcast publishes d, at once or, when its windows are unread, together with others in a group.
func (b *Broadcaster) Broadcast(d protocol.Drop) error {
	if !d.Unread {
		return b.publish(d)
	}
	b.mu.Lock()
	if b.unread.Run != d.Run || b.unread.Epoch != d.Epoch {
		b.unread = protocol.Drop{Run: d.Run, Epoch: d.Epoch, Unread: true}
	}
	b.unread.Windows = append(b.unread.Windows, d.Windows...)
	if len(b.unread.Windows) < unreadPage {
		b.mu.Unlock()
		return nil
	}
	group := b.unread
	b.unread.Windows = nil
	b.mu.Unlock()
	return b.publish(group)
}

// publish tells all workers to remove windows, in as many messages as it takes.
func (b *Broadcaster) publish(d protocol.Drop) error {
	if err := checkRun(d.Run); err != nil {
		return err
	}
	page := func(ids []puzzle.WindowID) error {
		m := protocol.Drop{Run: d.Run, Epoch: d.Epoch, Windows: ids, Unread: d.Unread}
		text, err := m.Encode()
		if err != nil {
			return err
		}
		if err := b.nc.Publish(dropSubject(d.Run), text); err != nil {
			return fmt.Errorf("drop windows of run %s: %w", d.Run, err)
		}
		return nil
	}
	for ids := d.Windows; ; {
		n := min(len(ids), protocol.MaxDropPage)
		if err := page(ids[:n]); err != nil || n == len(ids) {
			return err
		}
		ids = ids[n:]
	}
}
