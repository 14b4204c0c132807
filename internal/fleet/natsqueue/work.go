package natsqueue

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"pagoda/internal/run/protocol"
)

// WorkOptions tune a worker's end of a queue. The zero value is usable.
type WorkOptions struct {
	// Expires is how long one request for tasks stands; requests are renewed for ever. 0 says 30 s.
	Expires time.Duration
	// Heartbeat is how often the server shows, while it has no task, that it has not forgotten the request. After two
	// that are missing it is asked again. 0 says 2 s.
	Heartbeat time.Duration
	// Hold is how long a task without a waiting slot is kept before it is given back. A slot that gets free in a moment
	// finds it. 0 says 200 ms.
	Hold time.Duration
}

// Work is a worker's end of the queue of one run.
//
// It asks two consumers for as many tasks as there are slots that wait: its own, of the tasks directed to it, and the
// one of the tasks for everybody. When one of them has satisfied a slot, the other's request still stands, because
// requests cannot be taken back without losing tasks on their way. So at most as many tasks as there are slots can come
// to a worker that does not wait for them; the next slot takes them, or they go back to the queue after Hold.
type Work struct {
	nc  *nats.Conn
	run string
	o   WorkOptions

	mu        sync.Mutex
	consumers []*consumer // the worker's own before everybody's
	waiting   []chan *delivery
	closed    bool

	stop     chan struct{}
	watching sync.WaitGroup
	subs     []*nats.Subscription
	drained  chan struct{} // one for each subscription that has ended
}

var _ protocol.WorkQueue = (*Work)(nil)

const (
	// reportTime is how long one report waits for its answer before it is sent again for the first time.
	reportTime = 5 * time.Second
	// watchInterval is how often a worker looks after its requests and the tasks that it holds.
	watchInterval = 50 * time.Millisecond
	// drainTime bounds how long Close waits for the server.
	drainTime = 2 * time.Second
)

// NewWork returns a worker's end of the queue of a run. It may be there before the queue, and outlive it. A worker
// without a name takes only tasks for everybody.
func NewWork(nc *nats.Conn, run, worker string, o WorkOptions) (*Work, error) {
	if err := checkRun(run); err != nil {
		return nil, err
	}
	if o.Expires == 0 {
		o.Expires = 30 * time.Second
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = 2 * time.Second
	}
	if o.Hold == 0 {
		o.Hold = 200 * time.Millisecond
	}
	w := &Work{nc: nc, run: run, o: o, stop: make(chan struct{}), drained: make(chan struct{}, 2)}
	if worker != "" {
		if err := checkWorker(worker); err != nil {
			return nil, err
		}
		w.consumers = append(w.consumers, newConsumer(nc, run, worker, true))
	}
	w.consumers = append(w.consumers, newConsumer(nc, run, worker, false))
	for _, l := range w.consumers {
		sub, err := nc.Subscribe(l.inbox, func(m *nats.Msg) { w.receive(l, m) })
		if err != nil {
			w.Close()
			return nil, fmt.Errorf("queue of run %s: %w", run, err)
		}
		sub.SetClosedHandler(func(string) { w.drained <- struct{}{} })
		w.subs = append(w.subs, sub)
	}
	status := nc.StatusChanged(nats.CONNECTED, nats.CLOSED)
	w.watching.Go(func() {
		defer nc.RemoveStatusListener(status)
		w.watch(status)
	})
	return w, nil
}

// Close gives back the tasks that no slot has taken and takes no more. Next returns an error from then on; tasks that
// it has returned can still be settled.
func (w *Work) Close() {
	if !w.end() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	// A server that is away hands the tasks out again when their time is over.
	lost := w.nc.StatusChanged(nats.RECONNECTING, nats.DISCONNECTED)
	defer w.nc.RemoveStatusListener(lost)
	if !w.nc.IsConnected() {
		for _, s := range w.subs {
			_ = s.Unsubscribe()
		}
		return
	}
	for _, s := range w.subs {
		// Tasks that the server sends before it hears of this still arrive, and go back.
		_ = s.Drain()
	}
	for range w.subs {
		select {
		case <-w.drained:
		case <-lost:
			return
		case <-ctx.Done():
			return
		}
	}
	_ = w.nc.FlushWithContext(ctx)
}

// end stops everything but the subscriptions. It returns false when that has been done before.
func (w *Work) end() bool {
	w.mu.Lock()
	first := !w.closed
	w.closed = true
	if first {
		w.giveBack(time.Time{})
		w.cancelWaits()
		close(w.stop)
	}
	w.mu.Unlock()
	w.watching.Wait()
	return first
}

// Next waits for a task, one that is directed to this worker if there is one. It rides out a server that is away; only
// ctx, Close and a connection that is closed for good end it.
func (w *Work) Next(ctx context.Context) (protocol.Delivery, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	w.mu.Lock()
	if w.closed || w.nc.IsClosed() {
		w.mu.Unlock()
		return nil, nats.ErrConnectionClosed
	}
	if d := w.take(); d != nil {
		w.mu.Unlock()
		return d, nil
	}
	turn := make(chan *delivery, 1)
	w.waiting = append(w.waiting, turn)
	w.ask()
	w.mu.Unlock()
	select {
	case d, ok := <-turn:
		if !ok {
			return nil, nats.ErrConnectionClosed
		}
		return d, nil
	case <-ctx.Done():
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.Index(w.waiting, turn); i >= 0 {
		w.waiting = slices.Delete(w.waiting, i, i+1)
	} else if d, ok := <-turn; ok {
		w.pass(w.consumers[len(w.consumers)-1], d) // it came in the same moment
	}
	return nil, ctx.Err()
}

// take returns a task that is at hand.
func (w *Work) take() *delivery {
	for _, l := range w.consumers {
		if len(l.held) > 0 {
			d := l.held[0].d
			l.held = slices.Delete(l.held, 0, 1)
			return d
		}
	}
	return nil
}

// ask requests as many tasks as there are waiting slots.
func (w *Work) ask() {
	for _, l := range w.consumers {
		l.ask(w.nc, len(w.waiting), &w.o)
	}
}

// pass hands a task to a slot that waits, or keeps it.
func (w *Work) pass(l *consumer, d *delivery) {
	switch {
	case w.closed:
		_ = d.Nak()
	case len(w.waiting) > 0:
		w.waiting[0] <- d
		w.waiting = slices.Delete(w.waiting, 0, 1)
	default:
		l.held = append(l.held, held{d, time.Now()})
	}
}

// receive takes a message to a consumer's inbox: a task or a status.
func (w *Work) receive(l *consumer, m *nats.Msg) {
	if code := m.Header.Get("Status"); code != "" {
		w.mu.Lock()
		defer w.mu.Unlock()
		l.status(m, code)
		if !w.closed {
			w.ask()
		}
		return
	}
	if !isDelivery(m) {
		return
	}
	d, err := newDelivery(w.nc, w.run, m)
	w.mu.Lock()
	defer w.mu.Unlock()
	l.heard, l.pause = time.Now(), 0
	l.asked = max(0, l.asked-1)
	if err != nil {
		// No worker can do it. The coordinator misses it and sends its windows again.
		_ = sendAck(w.nc, w.run, m.Reply, sayNever)
		return
	}
	w.pass(l, d)
}

// watch looks after consumers that stall and tasks that no slot takes, until the end.
func (w *Work) watch(status <-chan nats.Status) {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for {
		select {
		case <-w.stop:
			return
		case s := <-status:
			w.mu.Lock()
			if s == nats.CLOSED {
				w.cancelWaits()
			} else {
				for _, l := range w.consumers {
					l.reset()
				}
				w.ask()
			}
			w.mu.Unlock()
		case now := <-tick.C:
			w.mu.Lock()
			w.giveBack(now.Add(-w.o.Hold))
			for _, l := range w.consumers {
				if l.stalled(now, &w.o) {
					l.reset()
				}
			}
			w.ask()
			w.mu.Unlock()
		}
	}
}

// giveBack returns to the queue the tasks held since before a moment; the zero moment stands for all.
func (w *Work) giveBack(before time.Time) {
	for _, l := range w.consumers {
		for len(l.held) > 0 && (before.IsZero() || l.held[0].since.Before(before)) {
			_ = l.held[0].d.Nak()
			l.held = slices.Delete(l.held, 0, 1)
		}
	}
}

// cancelWaits ends the waits of all slots.
func (w *Work) cancelWaits() {
	for _, turn := range w.waiting {
		close(turn)
	}
	w.waiting = nil
}

// Report sends a report until it is answered, or ctx is done. A report that arrives twice does no harm.
func (w *Work) Report(ctx context.Context, r protocol.Report) (protocol.Reply, error) {
	b, err := r.Encode()
	if err != nil {
		return protocol.Reply{}, err
	}
	if limit := w.nc.MaxPayload(); int64(len(b)) > limit && w.nc.IsConnected() {
		return protocol.Reply{}, fmt.Errorf("%w: report of %d bytes, the server takes %d",
			protocol.ErrTooLarge, len(b), limit)
	}
	a, err := ask(ctx, w.nc, reportSubject(w.run, keyOf(w.nc)), b, reportTime)
	if err != nil {
		return protocol.Reply{}, err
	}
	return protocol.DecodeReply(a)
}
