package enginetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"pagoda/internal/run/protocol"
)

// Faults are the probabilities of a queue's faults with a task, and with a report.
type Faults struct {
	Lose      float64 // the task vanishes
	Repeat    float64 // the task is delivered and also stays in the queue
	Reorder   float64 // a task other than the oldest is delivered
	LoseReply float64 // the report arrives; the answer does not, and the worker reports again
}

// Queue is both ends of a queue in memory.
type Queue struct {
	mu      sync.Mutex
	rnd     *rand.Rand
	faults  Faults
	waiting []protocol.Task
	inHand  int
	wake    chan struct{} // closed and replaced when something was added
	reports chan request

	// Largest is the size of the largest task so far, in bytes.
	Largest int
	// MaxReport is the largest report that it takes; 0 says protocol.MaxReportBytes.
	MaxReport int

	// What happened, for tests to look at after a run.
	Submitted, Windows, Reports int
}

type request struct {
	report protocol.Report
	answer chan protocol.Reply
}

// NewQueue returns a queue whose faults follow from seed.
func NewQueue(seed uint64, f Faults) *Queue {
	return &Queue{
		rnd: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)), faults: f, wake: make(chan struct{}),
		reports: make(chan request),
	}
}

func (q *Queue) chance(p float64) bool { return p > 0 && q.rnd.Float64() < p }

// Submit adds tasks. Each goes through its encoding, as it would on the wire.
func (q *Queue) Submit(_ context.Context, tasks []protocol.Task) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range tasks {
		b, err := tasks[i].Encode()
		if err != nil {
			return err
		}
		t, err := protocol.DecodeTask(b)
		if err != nil {
			return err
		}
		q.Submitted++
		q.Largest = max(q.Largest, len(b))
		q.Windows += len(t.Windows)
		if !q.chance(q.faults.Lose) {
			q.waiting = append(q.waiting, t)
		}
	}
	q.signal()
	return nil
}

func (q *Queue) signal() {
	close(q.wake)
	q.wake = make(chan struct{})
}

// Pending counts the tasks that wait or are in a worker's hands.
func (q *Queue) Pending(context.Context) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting) + q.inHand, nil
}

// Next waits for a task.
func (q *Queue) Next(ctx context.Context) (protocol.Delivery, error) {
	return q.take(ctx, func(*protocol.Task) int { return 1 }, nil)
}

// take waits for a task with the highest rank above 0, until ctx is done.
func (q *Queue) take(ctx context.Context, rank func(*protocol.Task) int, cut <-chan struct{}) (*delivery, error) {
	for {
		q.mu.Lock()
		var best []int
		top := 1
		for i := range q.waiting {
			if r := rank(&q.waiting[i]); r > top {
				best, top = []int{i}, r
			} else if r == top {
				best = append(best, i)
			}
		}
		if len(best) > 0 && ctx.Err() == nil {
			defer q.mu.Unlock()
			i := best[0]
			if q.chance(q.faults.Reorder) {
				i = best[q.rnd.IntN(len(best))]
			}
			t := q.waiting[i]
			if !q.chance(q.faults.Repeat) {
				q.waiting = append(q.waiting[:i:i], q.waiting[i+1:]...)
			}
			q.inHand++
			return &delivery{q: q, task: t}, nil
		}
		wake := q.wake
		q.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-wake:
		case <-cut:
			<-ctx.Done()
			return nil, ctx.Err()
		}
	}
}

// Report passes a report to Serve, through its encoding.
func (q *Queue) Report(ctx context.Context, r protocol.Report) (protocol.Reply, error) {
	b, err := r.Encode()
	if err != nil {
		return protocol.Reply{}, err
	}
	if len(b) > q.limit() {
		return protocol.Reply{}, fmt.Errorf("%w: %d bytes", protocol.ErrTooLarge, len(b))
	}
	for {
		r, err := protocol.DecodeReport(b)
		if err != nil {
			return protocol.Reply{}, err
		}
		q.mu.Lock()
		q.Reports++
		lost := q.chance(q.faults.LoseReply)
		q.mu.Unlock()
		req := request{r, make(chan protocol.Reply, 1)}
		select {
		case <-ctx.Done():
			return protocol.Reply{}, ctx.Err()
		case q.reports <- req:
		}
		select {
		case <-ctx.Done():
			return protocol.Reply{}, ctx.Err()
		case reply := <-req.answer:
			if !lost {
				return reply, nil
			}
		}
	}
}

func (q *Queue) limit() int {
	if q.MaxReport > 0 {
		return q.MaxReport
	}
	return protocol.MaxReportBytes
}

// Serve answers reports until ctx is done.
func (q *Queue) Serve(
	ctx context.Context, handle func(context.Context, protocol.Report) protocol.Reply,
) error {
	var busy sync.WaitGroup
	defer busy.Wait()
	for {
		select {
		case <-ctx.Done():
			return nil
		case req := <-q.reports:
			busy.Go(func() { req.answer <- handle(ctx, req.report) })
		}
	}
}

type delivery struct {
	q    *Queue
	task protocol.Task
	once sync.Once
}

func (d *delivery) Task() *protocol.Task { return &d.task }

func (d *delivery) Progress() {}

func (d *delivery) Ack() error {
	d.once.Do(func() {
		d.q.mu.Lock()
		defer d.q.mu.Unlock()
		d.q.inHand--
	})
	return nil
}

func (d *delivery) Nak() error {
	d.once.Do(func() {
		d.q.mu.Lock()
		defer d.q.mu.Unlock()
		d.q.inHand--
		d.q.waiting = append(d.q.waiting, d.task)
		d.q.signal()
	})
	return nil
}
