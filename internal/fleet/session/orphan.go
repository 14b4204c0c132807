package session

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"pagoda/internal/run/compute"
)

// ErrOrphaned is wrapped by Serve when no coordinator has answered for Session.Orphan.
var ErrOrphaned = errors.New("no coordinator answers")

// orphanage finds out that no coordinator leads a run any more: the run is over, and its coordinator has gone before
// this worker heard of it, for example because it was frozen then. Time counts from the first question without an
// answer, and so not while the process itself stood still.
type orphanage struct {
	after time.Duration
	end   func()
	now   func() time.Time

	mu     sync.Mutex
	since  time.Time // of the first question without an answer; zero: the last was answered
	ripe   bool
	missed int
}

// watch returns events that end the session in time.
func (o *orphanage) watch(e compute.Events) compute.Events {
	joined, refused, missed := e.Joined, e.Refused, e.HeartbeatMissed
	e.Answered = o.answered
	e.Joined = func(j compute.Joined) { o.answered(); joined(j) }
	e.Refused = func(err error) { o.unanswered(); refused(err) }
	e.HeartbeatMissed = func(err error) { o.unanswered(); missed(err) }
	return e
}

func (o *orphanage) answered() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.since, o.missed = time.Time{}, 0
}

func (o *orphanage) unanswered() {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.now()
	if o.missed++; o.since.IsZero() {
		o.since = now
	}
	// One answer may be lost, and a clock may jump.
	if o.missed > 1 && now.Sub(o.since) >= o.after && !o.ripe {
		o.ripe = true
		o.end()
	}
}

// verdict is the error that a session ends with, err unless it has ended because no coordinator leads the run.
func (o *orphanage) verdict(run string, err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ripe || err != nil {
		return err
	}
	waited := o.now().Sub(o.since).Round(time.Second)
	return fmt.Errorf("run %s: %w for %v: it is over, or nobody leads it", run, ErrOrphaned, waited)
}
