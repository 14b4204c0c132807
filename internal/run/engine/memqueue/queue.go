package memqueue

import (
	"context"
	"slices"
	"sync"

	"pagoda/internal/run/protocol"
)

// Queue is a protocol.TaskQueue. Tasks wait in the order in which they were submitted; none is lost, and none is
// delivered twice unless it was given back. Safe for concurrent use.
type Queue struct {
	mu      sync.Mutex
	waiting []protocol.Task
	inHand  int           // tasks delivered and not settled
	changed chan struct{} // closed and replaced when a task or a coordinator may be there
	serving *service
}

var (
	_ protocol.TaskQueue = (*Queue)(nil)
	_ protocol.Purger    = (*Queue)(nil)
)

// service is a call of Serve.
type service struct {
	ctx    context.Context
	handle func(context.Context, protocol.Report) protocol.Reply
	busy   sync.WaitGroup
}

// New returns an empty queue.
func New() *Queue { return &Queue{changed: make(chan struct{})} }

// signal wakes all waiting callers. q.mu is held.
func (q *Queue) signal() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// Submit implements protocol.TaskQueue.
func (q *Queue) Submit(_ context.Context, tasks []protocol.Task) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, tasks...)
	q.signal()
	return nil
}

// Pending implements protocol.TaskQueue.
func (q *Queue) Pending(context.Context) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting) + q.inHand, nil
}

// Purge implements protocol.Purger.
func (q *Queue) Purge(_ context.Context, worker string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = slices.DeleteFunc(q.waiting, func(t protocol.Task) bool { return t.To == worker })
	return nil
}

// Serve implements protocol.TaskQueue. Reports are handled in the goroutines of the reporting workers.
func (q *Queue) Serve(
	ctx context.Context, handle func(context.Context, protocol.Report) protocol.Reply,
) error {
	s := &service{ctx: ctx, handle: handle}
	q.mu.Lock()
	q.serving = s
	q.signal()
	q.mu.Unlock()
	<-ctx.Done()
	q.mu.Lock()
	if q.serving == s {
		q.serving = nil
	}
	q.mu.Unlock()
	s.busy.Wait()
	return nil
}

// Worker returns a worker's end of the queue: it takes the tasks that are directed to the worker or to none.
func (q *Queue) Worker(name string) protocol.WorkQueue { return &work{q, name} }

type work struct {
	q    *Queue
	name string
}

// Next implements protocol.WorkQueue.
func (w *work) Next(ctx context.Context) (protocol.Delivery, error) {
	q := w.q
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		q.mu.Lock()
		i := slices.IndexFunc(q.waiting, func(t protocol.Task) bool { return t.To == "" || t.To == w.name })
		if i >= 0 {
			d := &delivery{q: q, task: q.waiting[i]}
			q.waiting = slices.Delete(q.waiting, i, i+1)
			q.inHand++
			q.mu.Unlock()
			return d, nil
		}
		changed := q.changed
		q.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-changed:
		}
	}
}

// Report implements protocol.WorkQueue.
func (w *work) Report(ctx context.Context, r protocol.Report) (protocol.Reply, error) {
	q := w.q
	for {
		q.mu.Lock()
		s, changed := q.serving, q.changed
		if s != nil {
			s.busy.Add(1)
		}
		q.mu.Unlock()
		if s != nil {
			defer s.busy.Done()
			return s.handle(s.ctx, r), nil
		}
		select {
		case <-ctx.Done():
			return protocol.Reply{}, ctx.Err()
		case <-changed:
		}
	}
}

// delivery is a task in a worker's hands.
type delivery struct {
	q    *Queue
	task protocol.Task
	once sync.Once
}

func (d *delivery) Task() *protocol.Task { return &d.task }

// Progress does nothing: a worker in this process does not vanish without it.
func (d *delivery) Progress() {}

func (d *delivery) Ack() error {
	d.settle(false)
	return nil
}

func (d *delivery) Nak() error {
	d.settle(true)
	return nil
}

func (d *delivery) settle(back bool) {
	d.once.Do(func() {
		d.q.mu.Lock()
		defer d.q.mu.Unlock()
		d.q.inHand--
		if back {
			d.q.waiting = append(d.q.waiting, d.task)
			d.q.signal()
		}
	})
}
