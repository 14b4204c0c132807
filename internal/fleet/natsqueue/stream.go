package natsqueue

import (
	"context"
	"errors"
	"fmt"
	"time"

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
	config := jetstream.StreamConfig{
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
	}
	s, err := t.js.CreateOrUpdateStream(ctx, config)
	for range storeAttempts {
		if api := (&jetstream.APIError{}); !errors.As(err, &api) || api.ErrorCode != storeFailed {
			break
		}
		if err := pause.For(ctx, storePause); err != nil {
			return nil, err
		}
		s, err = t.js.CreateOrUpdateStream(ctx, config)
	}
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

// When the last stream of a server has been deleted, the server removes the folder of all streams after it has answered
// (stream.stop of nats-server 2.15). So it may take away the folder of a new stream, and says that there is no store.
const (
	storeFailed   = 10049 // JSStreamStoreFailedErrF of nats-server
	storeAttempts = 5
	storePause    = 50 * time.Millisecond
)

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
