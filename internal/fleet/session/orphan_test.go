package session

import (
	"errors"
	"testing"
	"time"

	"pagoda/internal/run/compute"
)

// TestOrphanage ends a session when no coordinator has answered for long enough, not because the process stood still.
func TestOrphanage(t *testing.T) {
	now := time.Unix(0, 0)
	ended := 0
	o := &orphanage{after: time.Minute, end: func() { ended++ }, now: func() time.Time { return now }}
	nothing := compute.Events{
		Joined: func(compute.Joined) {}, Refused: func(error) {}, HeartbeatMissed: func(error) {},
	}
	e := o.watch(nothing)
	miss := errors.New("no answer")
	pass := func(d time.Duration, what func()) {
		now = now.Add(d)
		what()
		if ended > 0 {
			t.Fatalf("it ended after %v", now.Sub(time.Unix(0, 0)))
		}
	}
	missed := func() { e.HeartbeatMissed(miss) }
	pass(0, func() { e.Joined(compute.Joined{}) })
	pass(time.Hour, e.Answered)      // the process was frozen, and the coordinator is there
	pass(time.Hour, missed)          // it was frozen, and one answer is lost
	pass(40*time.Second, missed)     // not long enough
	pass(10*time.Second, e.Answered) // a coordinator has come
	pass(time.Second, func() { e.Refused(miss) })
	pass(30*time.Second, func() { e.Refused(miss) })
	pass(0, func() { e.Joined(compute.Joined{}) })
	pass(time.Second, missed)
	pass(59*time.Second, missed)
	if err := o.verdict("r", nil); err != nil {
		t.Errorf("before its time: %v", err)
	}
	now = now.Add(2 * time.Second)
	missed()
	missed()
	if ended != 1 {
		t.Errorf("it ended %d times", ended)
	}
	if err := o.verdict("r", nil); !errors.Is(err, ErrOrphaned) {
		t.Errorf("got %v", err)
	}
	if err := o.verdict("r", miss); !errors.Is(err, miss) {
		t.Errorf("another error became %v", err)
	}
}
