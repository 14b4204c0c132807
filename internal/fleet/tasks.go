package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pagoda/internal/pipeline"
)

// TaskOptions tune the queue of a run.
type TaskOptions struct {
	// AckWait is how long a task may show no progress before somebody else gets it; 0 says 30 s.
	AckWait time.Duration
	// Storage of the stream: file, the zero value, or memory. Nothing depends on its survival, so memory is the better
	// choice where the server has some to spare; a coordinator that restarts empties the stream anyway.
	Storage jetstream.StorageType
	// Replicas of the stream in a NATS cluster; 0 says 1.
	Replicas int
}

// Tasks is the coordinator's end of the queue of one run.
type Tasks struct {
	nc  *nats.Conn
	js  jetstream.JetStream
	run string
	o   TaskOptions
}

var _ pipeline.TaskQueue = (*Tasks)(nil)

// handlers bounds the reports that are decoded and waiting for the coordinator at a time.
const handlers = 256

const (
	publishTime = 5 * time.Second // in which the stream must confirm a task
	submitTries = 4
)

// NewTasks creates the stream and the consumer of a run, or takes them over and empties the stream: what a
// predecessor left in it the new coordinator sends itself, if it is still to be done.
func NewTasks(ctx context.Context, nc *nats.Conn, run string, o TaskOptions) (*Tasks, error) {
	if err := checkRun(run); err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncTimeout(publishTime))
	if err != nil {
		return nil, fmt.Errorf("queue of run %s: %w", run, err)
	}
	if o.AckWait == 0 {
		o.AckWait = defaultAckWait
	}
	t := &Tasks{nc: nc, js: js, run: run, o: o}
	s, err := t.create(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.Purge(ctx); err != nil {
		return nil, fmt.Errorf("queue of run %s: empty the stream: %w", run, err)
	}
	return t, nil
}

// create makes stream and consumer what they should be.
func (t *Tasks) create(ctx context.Context) (jetstream.Stream, error) {
	s, err := t.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name:        streamName(t.run),
		Description: "tasks of a pagoda run; safe to delete, the coordinator rebuilds it",
		Subjects:    []string{taskSubject(t.run)},
		Retention:   jetstream.WorkQueuePolicy,
		Storage:     t.o.Storage,
		Replicas:    max(1, t.o.Replicas),
		MaxMsgSize:  pipeline.MaxTaskBytes,
		// An ID is never used twice on purpose; duplicates come from a publisher that did not see its acknowledgement.
		Duplicates: time.Minute,
	})
	if err != nil {
		return nil, fmt.Errorf("queue of run %s: stream: %w", t.run, err)
	}
	_, err = s.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable:   consumerName, // a consumer that is only named vanishes after 5 s without a pull (nats.go#1318)
		AckPolicy: jetstream.AckExplicitPolicy,
		AckWait:   t.o.AckWait,
		// Past a limit the server would keep a message and deliver it to nobody (nats-server#5564). Attempts are
		// counted by the coordinator.
		MaxDeliver: -1,
		// Slots ask for one message each, which bounds what is pending; a limit here would only starve some of them.
		MaxAckPending: -1,
	})
	if err != nil {
		return nil, fmt.Errorf("queue of run %s: consumer: %w", t.run, err)
	}
	return s, nil
}

// Submit publishes tasks and waits until the stream has them. A stream that has vanished is made again.
func (t *Tasks) Submit(ctx context.Context, tasks []pipeline.Task) error {
	err := t.publish(ctx, tasks)
	for try := 1; err != nil && try < submitTries && ctx.Err() == nil; try++ {
		if _, cerr := t.create(ctx); cerr != nil {
			return errors.Join(err, cerr)
		}
		// What arrived the first time is recognised by its ID.
		err = t.publish(ctx, tasks)
	}
	return err
}

func (t *Tasks) publish(ctx context.Context, tasks []pipeline.Task) error {
	futures := make([]jetstream.PubAckFuture, len(tasks))
	for i := range tasks {
		b, err := tasks[i].Encode()
		if err != nil {
			return fmt.Errorf("task %s: %w", tasks[i].ID, err)
		}
		futures[i], err = t.js.PublishAsync(taskSubject(t.run), b, jetstream.WithMsgID(tasks[i].ID))
		if err != nil {
			return fmt.Errorf("task %s: %w", tasks[i].ID, err)
		}
	}
	for i, f := range futures {
		select {
		case <-f.Ok():
		case err := <-f.Err():
			return fmt.Errorf("task %s: %w", tasks[i].ID, err)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Pending counts the tasks in the stream: what is acknowledged is gone from it. A stream that has vanished is made
// again and counts as empty.
func (t *Tasks) Pending(ctx context.Context) (int, error) {
	s, err := t.js.Stream(ctx, streamName(t.run))
	if err == nil {
		_, err = s.Consumer(ctx, consumerName)
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrConsumerNotFound) {
		s, err = t.create(ctx)
	}
	if err != nil {
		return 0, fmt.Errorf("queue of run %s: %w", t.run, err)
	}
	return int(s.CachedInfo().State.Msgs), nil
}

// Serve answers reports until ctx is done.
func (t *Tasks) Serve(
	ctx context.Context, handle func(context.Context, pipeline.Report) pipeline.Reply,
) error {
	var busy sync.WaitGroup
	room := make(chan struct{}, handlers)
	sub, err := t.nc.Subscribe(reportSubject(t.run), func(m *nats.Msg) {
		room <- struct{}{}
		busy.Go(func() {
			defer func() { <-room }()
			t.answer(ctx, m, handle)
		})
	})
	if err != nil {
		return fmt.Errorf("queue of run %s: reports: %w", t.run, err)
	}
	closed := make(chan struct{})
	sub.SetClosedHandler(func(string) { close(closed) })
	<-ctx.Done()
	if err := sub.Unsubscribe(); err == nil {
		<-closed // no callback runs any more
	}
	busy.Wait()
	return nil
}

func (t *Tasks) answer(
	ctx context.Context, m *nats.Msg, handle func(context.Context, pipeline.Report) pipeline.Reply,
) {
	var reply pipeline.Reply
	r, err := pipeline.DecodeReport(m.Data)
	if err != nil {
		reply.Error = err.Error()
	} else {
		reply = handle(ctx, r)
	}
	b, err := reply.Encode()
	if err == nil {
		// Whoever does not get an answer asks again.
		_ = m.Respond(b)
	}
}
