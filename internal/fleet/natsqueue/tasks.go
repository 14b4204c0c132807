package natsqueue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pagoda/internal/run/protocol"
)

// TaskOptions tune the queue of a run.
type TaskOptions struct {
	// AckWait is how long a task may show no progress before another worker gets it; 0 says 30 s.
	AckWait time.Duration
	// Storage of the stream: file, the zero value, or memory. Nothing depends on its survival, so memory is the better
	// choice where the server has some to spare; a coordinator that restarts empties the stream anyway.
	Storage jetstream.StorageType
	// Replicas of the stream in a NATS cluster; 0 says 1.
	Replicas int
	// AnswerTime is how long the server has to confirm a task or to answer anything else; 0 says 5 s.
	AnswerTime time.Duration
	// Trouble is told why the queue could not be used for a while. nil is silence.
	Trouble func(error)
}

// Tasks is the coordinator's end of the queue of one run.
type Tasks struct {
	nc  *nats.Conn
	js  jetstream.JetStream
	run string
	o   TaskOptions

	clock serverClock

	mu      sync.Mutex
	workers map[string]bool // those that get a consumer of their own; true when it exists
	pullers map[string]*puller
	ends    []func() // of the services that pass workers' messages on to JetStream
}

var (
	_ protocol.TaskQueue = (*Tasks)(nil)
	_ protocol.Purger    = (*Tasks)(nil)
)

const (
	defaultAnswerTime = 5 * time.Second
	submitTries       = 3
	// maxWaiting bounds the requests for tasks that wait at a time for everybody's: one of each worker, as a rule.
	// maxOwnWaiting bounds those for a worker's own: one for each slot, as a rule.
	maxWaiting, maxOwnWaiting = 1 << 14, 1 << 10
	// maxWorkers bounds the consumers that workers can make the coordinator make. In the server each takes 40 KiB.
	maxWorkers = 1 << 11
	// maxTasks and maxTasksBytes bound the stream. The coordinator keeps less than two tasks for each window that a worker
	// computes at a time; past a limit the next has to wait.
	maxTasks, maxTasksBytes = 1 << 17, 64 << 20
	// MaxQueues is how many runs an embedded server has queues for.
	MaxQueues = 64
)

// NewTasks creates the stream and the consumers of a run, or takes them over and empties the stream: the new
// coordinator sends a predecessor's open tasks itself. It waits, until ctx is done, for a server that cannot do it for
// the moment, but not for one that never will.
func NewTasks(ctx context.Context, nc *nats.Conn, run string, o TaskOptions) (*Tasks, error) {
	if err := checkRun(run); err != nil {
		return nil, err
	}
	if o.AckWait == 0 {
		o.AckWait = defaultAckWait
	}
	if o.AnswerTime == 0 {
		o.AnswerTime = defaultAnswerTime
	}
	js, err := jetstream.New(
		nc, jetstream.WithPublishAsyncTimeout(o.AnswerTime), jetstream.WithDefaultTimeout(o.AnswerTime),
	)
	if err != nil {
		return nil, fmt.Errorf("queue of run %s: %w", run, err)
	}
	t := &Tasks{nc: nc, js: js, run: run, o: o, workers: make(map[string]bool), pullers: make(map[string]*puller)}
	for pause := retryFirst; ; {
		err := t.renew(ctx)
		switch {
		case err == nil:
			if err := t.open(); err != nil {
				return nil, fmt.Errorf("queue of run %s: %w", run, err)
			}
			return t, nil
		case ctx.Err() != nil, errors.Is(err, nats.ErrConnectionClosed):
			return nil, fmt.Errorf("queue of run %s: %w", run, err)
		case errors.Is(nc.LastError(), nats.ErrPermissionViolation):
			return nil, fmt.Errorf("queue of run %s: are these the keys of a coordinator? %w", run, nc.LastError())
		case t.missing():
			return nil, fmt.Errorf("queue of run %s: NATS at %s has no JetStream: start it with -js",
				run, nc.ConnectedUrlRedacted())
		}
		_ = t.down(err)
		if err := sleep(ctx, &pause); err != nil {
			return nil, fmt.Errorf("queue of run %s: %w", run, err)
		}
	}
}

// open begins to pass workers' messages on to JetStream, until Close or the end of the connection. Two coordinators of
// a run both do it for a while: a few tasks too many come to the workers then, and are given back.
func (t *Tasks) open() error {
	for subject, fn := range map[string]func(*nats.Msg){
		pullRequests(t.run, anyKey): t.pull, ackSubject(t.run, anyKey): t.ack,
	} {
		end, err := subscribe(t.nc, subject, pendingBytes, fn)
		if err != nil {
			t.Close()
			return err
		}
		t.ends = append(t.ends, end)
	}
	return nil
}

// Close ends the traffic between workers and queue. The queue itself stays.
func (t *Tasks) Close() {
	t.mu.Lock()
	ends := t.ends
	t.ends = nil
	t.mu.Unlock()
	for _, end := range ends {
		end()
	}
}

// renew makes an empty stream.
func (t *Tasks) renew(ctx context.Context) error {
	s, err := t.create(ctx)
	if err != nil {
		return err
	}
	if err := s.Purge(ctx); err != nil {
		return fmt.Errorf("empty the stream: %w", err)
	}
	return nil
}

// missing reports whether the server says of itself that it has no JetStream.
func (t *Tasks) missing() bool {
	has, _ := t.nc.ConnectedServerJetStream()
	return !has && t.nc.IsConnected()
}

// Remove deletes the stream of a run that is over, from a server that outlives it.
func (t *Tasks) Remove(ctx context.Context) error {
	err := t.js.DeleteStream(ctx, streamName(t.run))
	if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return t.down(err)
	}
	return nil
}

// down says that the queue cannot be used for the moment.
func (t *Tasks) down(err error) error {
	err = &protocol.QueueDownError{Why: whyDown(err), Err: fmt.Errorf("queue of run %s: %w", t.run, err)}
	tell(t.o.Trouble, err)
	return err
}

// whyDown says for people why JetStream cannot be used.
func whyDown(err error) string {
	var api *jetstream.APIError
	switch {
	case errors.Is(err, nats.ErrDisconnected), errors.Is(err, nats.ErrConnectionClosed):
		return "there is no connection to NATS"
	case errors.Is(err, errNoQuorum),
		errors.As(err, &api) && api.ErrorCode == jetstream.ErrorCode(server.JSClusterNotAvailErr):
		return "NATS has no quorum: too few servers of its cluster are there"
	case errors.Is(err, nats.ErrTimeout), errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrNoResponders),
		errors.Is(err, jetstream.ErrNoStreamResponse), errors.Is(err, jetstream.ErrAsyncPublishTimeout):
		return "NATS is connected and does not answer for the queue; of a cluster too few servers may be there"
	}
	return protocol.ErrQueueDown.Error()
}

var errNoQuorum = errors.New("too few servers that keep the stream are there")

// lostAfter is how long a server that keeps the stream may be silent: raft sends heartbeats every second.
const lostAfter = 15 * time.Second

// quorum returns errNoQuorum when no majority of the servers that keep a stream is there: the last one of them goes on
// describing the stream, and takes no task. A server alone is no cluster.
func quorum(c *jetstream.ClusterInfo) error {
	if c == nil {
		return nil
	}
	there, all := 0, len(c.Replicas)
	if c.Leader != "" {
		there, all = 1, all+1
	}
	for _, r := range c.Replicas {
		if !r.Offline && r.Active < lostAfter {
			there++
		}
	}
	if all > 0 && 2*there <= all {
		return errNoQuorum
	}
	return nil
}

// Submit publishes tasks and waits until the stream has them. A stream that has vanished is made again.
func (t *Tasks) Submit(ctx context.Context, tasks []protocol.Task) error {
	messages := make([]*nats.Msg, len(tasks))
	for i := range tasks {
		b, err := tasks[i].Encode()
		if err != nil {
			return fmt.Errorf("task %s: %w", tasks[i].ID, err)
		}
		m := nats.NewMsg(anySubject(t.run))
		if to := tasks[i].To; to != "" {
			if err := t.admit(ctx, to); err != nil {
				return err
			}
			m.Subject = toSubject(t.run, to)
		}
		m.Data = b
		m.Header.Set(deadlineHeader, strconv.FormatInt(t.o.AckWait.Milliseconds(), 10))
		m.Header.Set(jetstream.MsgIDHeader, tasks[i].ID)
		messages[i] = m
	}
	if !t.nc.IsConnected() {
		return t.down(nats.ErrDisconnected)
	}
	err := t.publish(ctx, messages)
	for try := 1; err != nil && try < submitTries && ctx.Err() == nil; try++ {
		if _, cerr := t.create(ctx); cerr != nil {
			return t.down(errors.Join(err, cerr))
		}
		// The stream recognises tasks that arrived the first time by their IDs.
		err = t.publish(ctx, messages)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return t.down(err)
	}
	return nil
}

func (t *Tasks) publish(ctx context.Context, messages []*nats.Msg) error {
	futures := make([]jetstream.PubAckFuture, len(messages))
	for i, m := range messages {
		f, err := t.js.PublishMsgAsync(m)
		if err != nil {
			return fmt.Errorf("task %s: %w", m.Header.Get(jetstream.MsgIDHeader), err)
		}
		futures[i] = f
	}
	for i, f := range futures {
		select {
		case <-f.Ok():
		case err := <-f.Err():
			return fmt.Errorf("task %s: %w", messages[i].Header.Get(jetstream.MsgIDHeader), err)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Pending counts the tasks in the stream, which an acknowledged task has left. A stream that has vanished is made again
// and counts as empty; consumers that have vanished are made again. When the server's clock has gone back, all tasks in
// hand are assigned again.
func (t *Tasks) Pending(ctx context.Context) (int, error) {
	if !t.nc.IsConnected() {
		return 0, t.down(nats.ErrDisconnected)
	}
	asked := time.Now()
	s, err := t.js.Stream(ctx, streamName(t.run))
	if err == nil {
		err = t.checkClock(ctx, s, asked)
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) ||
		err == nil && s.CachedInfo().State.Consumers < 1+len(t.known()) {
		s, err = t.create(ctx)
	}
	if err == nil {
		err = quorum(s.CachedInfo().Cluster)
	}
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case err != nil:
		return 0, t.down(err)
	}
	return int(s.CachedInfo().State.Msgs), nil
}

// Serve answers reports until ctx is done.
func (t *Tasks) Serve(
	ctx context.Context, handle func(context.Context, protocol.Report) protocol.Reply,
) error {
	answer := func(ctx context.Context, key string, b []byte) ([]byte, error) {
		var reply protocol.Reply
		if r, err := protocol.DecodeReport(b); err != nil {
			reply.Error = err.Error()
		} else if err := t.speaksFor(key, r.Worker); err != nil {
			reply.Error = err.Error()
		} else {
			reply = handle(ctx, r)
		}
		return reply.Encode()
	}
	return serve(ctx, t.nc, []service{{reportSubject(t.run, anyKey), 2 * pendingBytes, answer}})
}
