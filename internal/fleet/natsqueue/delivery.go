package natsqueue

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"pagoda/internal/run/protocol"
)

// delivery is a task in a worker's hands.
type delivery struct {
	nc    *nats.Conn
	run   string
	reply string // where JetStream takes acknowledgements
	task  protocol.Task
	every time.Duration
	last  atomic.Int64 // when the server last heard of it, nanoseconds since the process started
}

// Deadlines outside of these limits are clamped.
const minAckWait, maxAckWait = 100 * time.Millisecond, 24 * time.Hour

func newDelivery(nc *nats.Conn, run string, m *nats.Msg) (*delivery, error) {
	t, err := protocol.DecodeTask(m.Data)
	if err != nil {
		return nil, err
	}
	wait := defaultAckWait
	if ms, err := strconv.ParseInt(m.Header.Get(deadlineHeader), 10, 64); err == nil {
		wait = time.Duration(min(max(ms, minAckWait.Milliseconds()), maxAckWait.Milliseconds())) * time.Millisecond
	}
	d := &delivery{nc: nc, run: run, reply: m.Reply, task: t, every: wait / 4}
	d.last.Store(int64(sinceStart()))
	return d, nil
}

func (d *delivery) Task() *protocol.Task { return &d.task }

// Progress tells the server that the task is being worked on, a few times per deadline at most.
func (d *delivery) Progress() {
	now, last := int64(sinceStart()), d.last.Load()
	if now-last < int64(d.every) || !d.last.CompareAndSwap(last, now) {
		return
	}
	_ = d.say(sayProgress) // if it gets lost the task is done twice, which does no harm
}

func (d *delivery) Ack() error { return d.say(sayDone) }

func (d *delivery) Nak() error { return d.say(sayBack) }

func (d *delivery) say(what string) error { return sendAck(d.nc, d.run, d.reply, what) }
