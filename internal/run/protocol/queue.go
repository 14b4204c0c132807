package protocol

import (
	"context"
	"errors"
)

// ErrTooLarge is wrapped by WorkQueue.Report when the report exceeds MaxReportBytes or the limit of the queue.
var ErrTooLarge = errors.New("message is too large")

// ErrQueueDown is wrapped by the methods of a TaskQueue when the queue cannot be used for the moment. Submitted tasks
// may be lost; the coordinator goes on and tries again later, for ever.
var ErrQueueDown = errors.New("the queue is away")

// A QueueDownError is an ErrQueueDown that says why.
type QueueDownError struct {
	Why string // for people and for workers, such as "NATS has no quorum"
	Err error
}

func (e *QueueDownError) Error() string { return e.Why + ": " + e.Err.Error() }

// Unwrap returns ErrQueueDown and the cause.
func (e *QueueDownError) Unwrap() []error { return []error{ErrQueueDown, e.Err} }

// WhyDown says why the queue is down by one of its errors, or is "" where err wraps no ErrQueueDown.
func WhyDown(err error) string {
	var e *QueueDownError
	switch {
	case errors.As(err, &e):
		return e.Why
	case errors.Is(err, ErrQueueDown):
		return ErrQueueDown.Error()
	}
	return ""
}

// A TaskQueue is the coordinator's end of a queue. Safe for concurrent use.
//
// A queue may lose tasks, deliver them more than once and in any order: the coordinator sends tasks again that do not
// come back. It is never the record of anything.
type TaskQueue interface {
	// Submit adds tasks.
	Submit(ctx context.Context, tasks []Task) error
	// Serve passes the reports of workers to handle, several at a time, and sends them its answers. When ctx is done, it
	// returns nil after the last handle has returned.
	Serve(ctx context.Context, handle func(ctx context.Context, r Report) Reply) error
	// Pending counts the tasks that were submitted and not yet acknowledged, waiting or in a worker's hands.
	Pending(ctx context.Context) (int, error)
}

// A Purger is a TaskQueue that can remove the tasks that are directed to one worker (Task.To), because it is gone.
type Purger interface {
	Purge(ctx context.Context, worker string) error
}

// A Resetter is a TaskQueue that can remove all tasks, because the workers that took them are to begin again.
type Resetter interface {
	Reset(ctx context.Context) error
}

// A WorkQueue is a worker's end of a queue. Safe for concurrent use by all its slots.
type WorkQueue interface {
	// Next waits for a task. It takes only the one it returns, so that no deadline runs for a task that no slot works on.
	// When ctx is done it returns ctx.Err().
	Next(ctx context.Context) (Delivery, error)
	// Report sends r to the coordinator and waits for its answer. The error wraps ErrTooLarge when the queue cannot carry
	// so much.
	Report(ctx context.Context, r Report) (Reply, error)
}

// A Delivery is a task in a worker's hands.
type Delivery interface {
	Task() *Task
	// Progress postpones the moment at which the queue gives the task to another worker. It is called when work was done,
	// never by a clock alone, may be called very often, and is cheap.
	Progress()
	// Ack says that the task is settled: the coordinator has answered for every window of it.
	Ack() error
	// Nak gives the task back.
	Nak() error
}
