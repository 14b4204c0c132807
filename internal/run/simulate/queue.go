package simulate

import (
	"context"

	"pagoda/internal/run/protocol"
)

// queue is the coordinator's end of a queue that loses nothing.
type queue run

// Submit implements protocol.TaskQueue.
func (q *queue) Submit(_ context.Context, tasks []protocol.Task) error {
	for i := range tasks {
		q.sent = append(q.sent, &task{Task: tasks[i]})
	}
	q.pending += len(tasks)
	q.out.Tasks += len(tasks)
	return nil
}

// Serve implements protocol.TaskQueue. Reports come to the Stepper another way.
func (q *queue) Serve(context.Context, func(context.Context, protocol.Report) protocol.Reply) error {
	return nil
}

// Pending implements protocol.TaskQueue.
func (q *queue) Pending(context.Context) (int, error) { return q.pending, nil }
