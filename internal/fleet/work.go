package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pagoda/internal/pipeline"
)

const (
	// pullTime is how long one request for a task stands. Requests are renewed for ever; the limit bounds how long a
	// request that got lost goes unnoticed.
	pullTime = 20 * time.Second
	// replyTime is how long one report waits for its answer before it is sent again.
	replyTime = 30 * time.Second
	// retryFirst and retryMost bound the pause before something is tried again.
	retryFirst, retryMost = 50 * time.Millisecond, 2 * time.Second
	// nakDelay keeps a task that was given back from coming round at once.
	nakDelay = 20 * time.Millisecond
)

// Work is a worker's end of the queue of one run.
type Work struct {
	nc       *nats.Conn
	run      string
	consumer jetstream.Consumer
	ackWait  time.Duration
}

var _ pipeline.WorkQueue = (*Work)(nil)

// NewWork binds to the queue of a run, which its coordinator has made.
func NewWork(ctx context.Context, nc *nats.Conn, run string) (*Work, error) {
	if err := checkRun(run); err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("queue of run %s: %w", run, err)
	}
	c, err := js.Consumer(ctx, streamName(run), consumerName)
	if err != nil {
		return nil, fmt.Errorf("queue of run %s: %w", run, err)
	}
	return &Work{nc: nc, run: run, consumer: c, ackWait: c.CachedInfo().Config.AckWait}, nil
}

// Next waits for a task. It rides out a server that is away; only ctx and a connection that is closed for good end it.
func (w *Work) Next(ctx context.Context) (pipeline.Delivery, error) {
	for pause := retryFirst; ; {
		asked := time.Now()
		m, err := w.pull(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil:
			t, err := pipeline.DecodeTask(m.Data())
			if err != nil {
				// Nobody can do it. The coordinator misses it and sends its windows again.
				_ = m.TermWithReason("malformed task")
				continue
			}
			d := &delivery{m: m, task: t, every: w.ackWait / 4}
			d.last.Store(time.Now().UnixNano())
			return d, nil
		case errors.Is(err, nats.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
			// That is what an empty queue looks like, but also, at once, a consumer that is not there.
			if time.Since(asked) > pullTime/2 {
				pause = retryFirst
				continue
			}
		case errors.Is(err, nats.ErrConnectionClosed):
			return nil, err
		}
		if err := sleep(ctx, &pause); err != nil {
			return nil, err
		}
	}
}

func (w *Work) pull(ctx context.Context) (jetstream.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, pullTime)
	defer cancel()
	return w.consumer.Next(jetstream.FetchContext(ctx))
}

// Report sends a report until it is answered, or ctx is done. A report that arrives twice does no harm.
func (w *Work) Report(ctx context.Context, r pipeline.Report) (pipeline.Reply, error) {
	b, err := r.Encode()
	if err != nil {
		return pipeline.Reply{}, err
	}
	if limit := w.nc.MaxPayload(); int64(len(b)) > limit && w.nc.IsConnected() {
		return pipeline.Reply{}, fmt.Errorf("%w: report of %d bytes, the server takes %d",
			pipeline.ErrTooLarge, len(b), limit)
	}
	for pause := retryFirst; ; {
		m, err := w.request(ctx, b)
		switch {
		case err == nil:
			return pipeline.DecodeReply(m.Data)
		case ctx.Err() != nil, errors.Is(err, nats.ErrConnectionClosed):
			return pipeline.Reply{}, err
		}
		if err := sleep(ctx, &pause); err != nil {
			return pipeline.Reply{}, err
		}
	}
}

func (w *Work) request(ctx context.Context, b []byte) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, replyTime)
	defer cancel()
	return w.nc.RequestWithContext(ctx, reportSubject(w.run), b)
}

// sleep waits for a pause that grows from call to call.
func sleep(ctx context.Context, pause *time.Duration) error {
	t := time.NewTimer(*pause)
	defer t.Stop()
	*pause = min(2**pause, retryMost)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// delivery is a task in a worker's hands.
type delivery struct {
	m     jetstream.Msg
	task  pipeline.Task
	every time.Duration
	last  atomic.Int64 // when the server last heard of it, Unix nanoseconds
}

func (d *delivery) Task() *pipeline.Task { return &d.task }

// Progress tells the server that the task is being worked on, a few times per deadline at most.
func (d *delivery) Progress() {
	now, last := time.Now().UnixNano(), d.last.Load()
	// A clock that jumps back must not silence it for long.
	if gone := now - last; (gone >= 0 && gone < int64(d.every)) || !d.last.CompareAndSwap(last, now) {
		return
	}
	_ = d.m.InProgress() // if it gets lost the task is done twice, which does no harm
}

func (d *delivery) Ack() error { return d.m.Ack() }

func (d *delivery) Nak() error { return d.m.NakWithDelay(nakDelay) }
