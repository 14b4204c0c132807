package natsqueue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// process is a moment from which this process counts time, whatever becomes of the wall clock.
var process = time.Now()

// sinceStart is a reading of the monotonic clock.
func sinceStart() time.Duration { return time.Since(process) }

// serverClock watches the wall clock of the NATS server. JetStream measures by it how long a task has shown no
// progress: when it goes back by an hour, the tasks of a dead worker are not assigned again for an hour. (When it goes
// forward all tasks in hand are assigned again at once, which costs computing them twice.)
type serverClock struct {
	mu       sync.Mutex
	wall     time.Time // the server's, at the last reading
	answered time.Time // when that arrived
}

// wentBack returns by how much, at least, the server's clock has gone back since the last noted reading, given another
// one that was asked for at this moment.
func (c *serverClock) wentBack(wall, asked time.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wall.IsZero() {
		return 0
	}
	return max(0, asked.Sub(c.answered)-wall.Sub(c.wall))
}

// note keeps a reading for the next comparison.
func (c *serverClock) note(wall, answered time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wall, c.answered = wall, answered
}

// checkClock notes the server's clock in s, which was asked for at this moment, and redelivers tasks in hand when the
// clock has gone back. As long as that fails the next reading is compared with the same one.
func (t *Tasks) checkClock(ctx context.Context, s jetstream.Stream, asked time.Time) error {
	answered, wall := time.Now(), s.CachedInfo().TimeStamp
	if back := t.clock.wentBack(wall, asked); back > t.o.AckWait/4 {
		if err := t.redeliverAll(ctx, back); err != nil {
			return err
		}
	}
	t.clock.note(wall, answered)
	return nil
}

// redeliverAll makes the server forget its assignments. Tasks in hand are then delivered twice, which does no harm.
func (t *Tasks) redeliverAll(ctx context.Context, back time.Duration) error {
	tell(t.o.Trouble, fmt.Errorf("queue of run %s: the clock of the NATS server went back by %s; "+
		"what workers have in hand is handed out again", t.run, back.Round(time.Second)))
	names := []string{consumerAny}
	for _, w := range t.known() {
		names = append(names, consumerOf(w))
	}
	for _, name := range names {
		err := t.js.DeleteConsumer(ctx, streamName(t.run), name)
		if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return err
		}
	}
	_, err := t.create(ctx)
	return err
}
