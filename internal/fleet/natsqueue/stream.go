package natsqueue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"pagoda/internal/run/pause"
	"pagoda/internal/run/protocol"
)

// create makes or changes stream and consumers. A stream that cannot be changed is deleted and made anew: nothing in it
// is of value.
func (t *Tasks) create(ctx context.Context) (jetstream.Stream, error) {
	s, err := t.ensure(ctx)
	var api jetstream.JetStreamError
	if err != nil && errors.As(err, &api) && api.APIError() != nil {
		if derr := t.js.DeleteStream(ctx, streamName(t.run)); derr != nil {
			return nil, err
		}
		s, err = t.ensure(ctx)
	}
	if err == nil {
		t.askAgain()
	}
	return s, err
}

func (t *Tasks) ensure(ctx context.Context) (jetstream.Stream, error) {
	s, err := t.stream(ctx, jetstream.StreamConfig{
		Name:        streamName(t.run),
		Description: "tasks of a pagoda run; safe to delete, the coordinator rebuilds it",
		Subjects:    []string{tasksSubject(t.run)},
		Retention:   jetstream.WorkQueuePolicy,
		Storage:     t.o.Storage,
		Replicas:    max(1, t.o.Replicas),
		MaxMsgSize:  protocol.MaxTaskBytes + maxHeader,
		MaxMsgs:     maxTasks,
		MaxBytes:    maxTasksBytes,
		Discard:     jetstream.DiscardNew,
		// One for everybody, and one for each worker.
		MaxConsumers: 1 + maxWorkers,
		// An ID is never used twice on purpose; duplicates come from a publisher that did not see its acknowledgement.
		Duplicates: time.Minute,
	})
	if err != nil {
		return nil, fmt.Errorf("stream: %w", err)
	}
	if err := t.consumer(ctx, consumerAny, anySubject(t.run), maxWaiting); err != nil {
		return nil, err
	}
	for _, w := range t.known() {
		if err := t.ownConsumer(ctx, w); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// A stream that could not be made is tried again storeAttempts times.
const storeAttempts, storePause = 5, 50 * time.Millisecond

// stream makes or changes the stream. When the last stream of a server has been deleted, the server removes the folder
// of all streams after it has answered (stream.stop of nats-server 2.15). So it may take away the folder of a new one,
// and says that its store could not be made.
func (t *Tasks) stream(ctx context.Context, config jetstream.StreamConfig) (jetstream.Stream, error) {
	for n := 0; ; n++ {
		s, err := t.js.CreateOrUpdateStream(ctx, config)
		var api *jetstream.APIError
		failed := errors.As(err, &api) && api.ErrorCode == jetstream.ErrorCode(server.JSStreamCreateErrF)
		if !failed || n == storeAttempts {
			return s, err
		}
		if err := pause.For(ctx, storePause); err != nil {
			return nil, err
		}
	}
}

// maxHeader bounds the headers of a task.
const maxHeader = 1 << 10

func (t *Tasks) consumer(ctx context.Context, name, subject string, waiting int) error {
	_, err := t.js.CreateOrUpdateConsumer(ctx, streamName(t.run), jetstream.ConsumerConfig{
		Durable:       name, // a consumer that is only named vanishes after 5 s without a pull (nats.go#1318)
		FilterSubject: subject,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       t.o.AckWait,
		// Past a limit the server would keep a message and never deliver it (nats-server#5564). Attempts are counted by the
		// coordinator.
		MaxDeliver: -1,
		// Workers ask for as many tasks as they have free slots, which bounds the pending tasks; a limit here would only
		// starve some of them.
		MaxAckPending: -1,
		MaxWaiting:    waiting,
	})
	if err != nil {
		return fmt.Errorf("consumer %s: %w", name, err)
	}
	return nil
}
