package natsqueue

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// ownConsumer makes the consumer of the tasks directed to a worker. From then on the worker may ask for them.
func (t *Tasks) ownConsumer(ctx context.Context, worker string) error {
	if err := t.consumer(ctx, consumerOf(worker), toSubject(t.run, worker), maxOwnWaiting); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, there := t.workers[worker]; there {
		t.workers[worker] = true
	}
	return nil
}

// known lists the workers that are to have a consumer of their own.
func (t *Tasks) known() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	names := make([]string, 0, len(t.workers))
	for w := range t.workers {
		names = append(names, w)
	}
	return names
}

// admit gives a worker a consumer of its own.
func (t *Tasks) admit(ctx context.Context, worker string) error {
	if err := checkWorker(worker); err != nil {
		return err
	}
	t.mu.Lock()
	_, there := t.workers[worker]
	full := len(t.workers) >= maxWorkers
	if !there && !full {
		t.workers[worker] = false // so that a rebuild of the queue meanwhile makes it too
	}
	t.mu.Unlock()
	switch {
	case there:
		return nil
	case full:
		return t.crowded()
	}
	if err := t.ownConsumer(ctx, worker); err != nil {
		return t.down(err)
	}
	return nil
}

// room reports whether a worker has a consumer, or can get one.
func (t *Tasks) room(worker string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, there := t.workers[worker]
	return there || len(t.workers) < maxWorkers
}

func (t *Tasks) crowded() error {
	return fmt.Errorf("queue of run %s: it has %d workers, and takes no more", t.run, maxWorkers)
}

// Purge implements protocol.Purger: the tasks directed to a worker, taken or not, leave the queue. Its consumer leaves
// too, until the worker joins again or a task is directed to it.
func (t *Tasks) Purge(ctx context.Context, worker string) error {
	t.mu.Lock()
	_, there := t.workers[worker]
	delete(t.workers, worker)
	delete(t.pullers, worker)
	t.mu.Unlock()
	if !there {
		return nil
	}
	err := t.js.DeleteConsumer(ctx, streamName(t.run), consumerOf(worker))
	if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return t.down(err)
	}
	s, err := t.js.Stream(ctx, streamName(t.run))
	if err == nil {
		err = s.Purge(ctx, jetstream.WithPurgeSubject(toSubject(t.run, worker)))
	}
	if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return t.down(err)
	}
	return nil
}
