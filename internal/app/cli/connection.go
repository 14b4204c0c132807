package cli

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"time"

	"pagoda/internal/fleet/natsqueue"
	"pagoda/internal/fleet/ops"
)

// ConnEvents logs and counts the changes of a connection to NATS. changed, which may be nil, is told whether it is up.
func ConnEvents(log *slog.Logger, m *ops.QueueMetrics, changed func(up bool)) natsqueue.ConnEvents {
	tell := func(up bool) {
		if changed != nil {
			changed(up)
		}
	}
	var said repetition
	return natsqueue.ConnEvents{
		Disconnected: func(err error) {
			m.Down()
			tell(false)
			if err == nil {
				err = errors.New("closed by the server")
			}
			log.Warn("connection to NATS lost, trying again", ops.ErrorKey, err)
		},
		Reconnected: func(url string) {
			m.Up()
			tell(true)
			log.Info("connected to NATS again", "nats", url)
		},
		Trouble: func(err error) {
			if said.again(err.Error(), time.Now()) {
				log.Warn("trouble with NATS", ops.ErrorKey, err)
			}
		},
	}
}

// repetition keeps trouble that goes on from filling a log. Several connections may share one.
type repetition struct {
	mu   sync.Mutex
	said map[string]time.Time
}

// again reports whether a text should be said: it has not been said for a while.
func (r *repetition) again(text string, now time.Time) bool {
	const while = time.Minute
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.said, func(_ string, at time.Time) bool { return now.Sub(at) >= while })
	if _, is := r.said[text]; is {
		return false
	}
	if r.said == nil {
		r.said = make(map[string]time.Time)
	}
	r.said[text] = now
	return true
}

// AdviseDial adds the kind of error to the error of a first connection.
func AdviseDial(err error) error {
	var (
		refused *natsqueue.RefusedError
		options *natsqueue.OptionsError
	)
	if errors.As(err, &refused) || errors.As(err, &options) {
		return &UsageError{Err: err}
	}
	return err
}

// Drained returns the error of a process that serves others until it is told to stop. To end then is no error.
func Drained(ctx context.Context, err error) error {
	if ctx.Err() != nil && (err == nil || errors.Is(err, context.Canceled) || errors.Is(err, ctx.Err())) {
		return nil
	}
	return err
}
