package compute

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/run/protocol"
)

// TestLeave asks a worker of one slot after a second to leave, and compares what it has done with a transcript. It has
// nothing in hand from the given time on.
func TestLeave(t *testing.T) {
	// told answers heartbeats with the numbers of windows that others are to copy, one after the other.
	told := func(numbers ...int) func(protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
		return func(h protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
			reply := protocol.HeartbeatResponse{Epoch: 1}
			if h.Draining {
				reply.ToCopy, numbers = numbers[0], numbers[1:]
			}
			return reply, nil
		}
	}
	const joined = "0 join: 0 held, more false, page 0, epoch 0\n"
	for _, test := range []struct {
		name    string
		settled time.Duration
		fleet   func(f *fleet)
		want    string
		uploads time.Duration // after it has nothing in hand
	}{
		{"with a window in hand", 1600 * time.Millisecond, func(f *fleet) { f.beats = told(1, 2, 2, 2, 1, 0) },
			joined + "1 heartbeat: busy 0, doing 0, epoch 1, leaving false, draining\n1 1 to copy\n" +
				"1.25 heartbeat: busy 0, doing 0, epoch 1, leaving false, draining\n1.25 2 to copy\n" +
				"1.5 heartbeat: busy 0, doing 0, epoch 1, leaving false, draining\n1.5 2 to copy\n" +
				"1.6 heartbeat: busy 0, doing 0, epoch 1, leaving true, draining\n1.6 2 to copy\n" +
				"1.75 heartbeat: busy 0, doing 0, epoch 1, leaving true, draining\n1.75 1 to copy\n" +
				"2 heartbeat: busy 0, doing 0, epoch 1, leaving true, draining\n2 0 to copy\n2 0 to copy, last\n" +
				"2 heartbeat: busy 0, doing 0, epoch 1, leaving true\n", 0},
		{"with nothing to hand over", 1400 * time.Millisecond, func(f *fleet) { f.beats = told(0, 0, 0, 0) },
			joined + "1 heartbeat: busy 0, doing 0, epoch 1, leaving false, draining\n1 0 to copy\n" +
				"1.25 heartbeat: busy 0, doing 0, epoch 1, leaving false, draining\n1.25 0 to copy\n" +
				"1.4 heartbeat: busy 0, doing 0, epoch 1, leaving true, draining\n1.4 0 to copy\n1.4 0 to copy, last\n" +
				"1.4 heartbeat: busy 0, doing 0, epoch 1, leaving true\n", 0},
		// What it was given besides must not wait for its uploads.
		{"with uploads", 1400 * time.Millisecond, func(f *fleet) { f.beats = told(0, 0, 0, 0, 0) },
			joined + "1 heartbeat: busy 0, doing 0, epoch 1, leaving false, draining\n1 0 to copy\n" +
				"1.25 heartbeat: busy 0, doing 0, epoch 1, leaving false, draining\n1.25 0 to copy\n" +
				"1.4 heartbeat: busy 0, doing 0, epoch 1, leaving true, draining\n1.4 0 to copy\n" +
				"1.5 heartbeat: busy 0, doing 0, epoch 1, leaving true, draining\n1.5 0 to copy\n" +
				"1.7 heartbeat: busy 0, doing 0, epoch 1, leaving true, draining\n1.7 0 to copy\n1.7 0 to copy, last\n" +
				"1.7 heartbeat: busy 0, doing 0, epoch 1, leaving true\n", 300 * time.Millisecond},
		{"without an answer", 1100 * time.Millisecond, func(f *fleet) {
			f.beats = func(h protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
				if h.Draining {
					time.Sleep(leaveTime)
				}
				return protocol.HeartbeatResponse{}, errors.New("no link")
			}
		}, joined + "1 heartbeat: busy 0, doing 0, epoch 1, leaving false, draining\n" +
			"4 heartbeat: busy 0, doing 0, epoch 1, leaving true, draining\n7 0 to copy, last, unheard\n" +
			"7 heartbeat: busy 0, doing 0, epoch 1, leaving true\n", 0},
		{"with another coordinator meanwhile", 1100 * time.Millisecond, func(f *fleet) {
			f.joins = func(j protocol.Join) (protocol.JoinResponse, error) {
				return protocol.JoinResponse{Epoch: j.Epoch + 1}, nil
			}
			f.beats = func(h protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
				return protocol.HeartbeatResponse{Epoch: 2, Rejoin: h.Epoch == 1}, nil
			}
		}, joined + "1 heartbeat: busy 0, doing 0, epoch 1, leaving false, draining\n" +
			"1 join: 0 held, more false, page 0, epoch 1\n" +
			"1 heartbeat: busy 0, doing 0, epoch 2, leaving false, draining\n1 0 to copy\n" +
			"1.1 heartbeat: busy 0, doing 0, epoch 2, leaving true, draining\n1.1 0 to copy\n1.1 0 to copy, last\n" +
			"1.1 heartbeat: busy 0, doing 0, epoch 2, leaving true\n", 0},
		{"as the run ends", 1100 * time.Millisecond, func(f *fleet) {
			f.beats = func(protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
				return protocol.HeartbeatResponse{Epoch: 1, Stop: true}, nil
			}
		}, joined + "1 heartbeat: busy 0, doing 0, epoch 1, leaving false, draining\n1 0 to copy, last\n", 0},
		{"before it has joined", 1500 * time.Millisecond, func(f *fleet) {
			f.joins = func(protocol.Join) (protocol.JoinResponse, error) {
				time.Sleep(1400 * time.Millisecond)
				return protocol.JoinResponse{Error: "not yet"}, nil
			}
		}, joined + "1.42 join: 0 held, more false, page 0, epoch 0\n", 0},
		{"until its time is over", 1100 * time.Millisecond, func(f *fleet) {
			f.beats = func(protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
				return protocol.HeartbeatResponse{Epoch: 1, ToCopy: 7}, nil
			}
		}, joined + "1 heartbeat: busy 0, doing 0, epoch 1, leaving false, draining\n1 7 to copy\n" +
			"1.1 heartbeat: busy 0, doing 0, epoch 1, leaving true, draining\n1.1 7 to copy\n" +
			"1.25 heartbeat: busy 0, doing 0, epoch 1, leaving true, draining\n1.25 7 to copy\n1.3 7 to copy, last\n" +
			"1.3 heartbeat: busy 0, doing 0, epoch 1, leaving true\n", 0},
		{"while it waits for an answer", 1100 * time.Millisecond, func(f *fleet) {
			f.joins = func(protocol.Join) (protocol.JoinResponse, error) {
				return protocol.JoinResponse{Epoch: 1, BeatMillis: 800}, nil
			}
			f.beats = func(h protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
				if !h.Leaving {
					time.Sleep(600 * time.Millisecond)
				}
				return protocol.HeartbeatResponse{}, errors.New("no link")
			}
		}, joined + "0.8 heartbeat: busy 0, doing 0, epoch 1, leaving false\n1.4 0 to copy, last, unheard\n" +
			"1.4 heartbeat: busy 0, doing 0, epoch 1, leaving true\n", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fleet{begin: time.Now(), idle: make(chan struct{}, 9)}
				test.fleet(f)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if test.name == "until its time is over" || test.name == "while it waits for an answer" {
					time.AfterFunc(1300*time.Millisecond, cancel)
				}
				asked, settled := make(chan struct{}), make(chan struct{})
				var ready chan struct{}
				if test.uploads > 0 {
					ready = make(chan struct{})
					time.AfterFunc(test.settled+test.uploads, func() { close(ready) })
				}
				time.AfterFunc(time.Second, func() { close(asked) })
				time.AfterFunc(test.settled, func() { close(settled) })
				err := Serve(ctx, Options{
					Name: "w", Run: "r1", Puzzle: keyed{}, Store: newStore(t), Queue: f, Coordinator: f,
					Leave: Leave{Asked: asked, Settled: settled, Ready: ready},
					Events: Events{HandsOver: func(h HandsOver) {
						last := ""
						if h.Last {
							last = ", last"
						}
						if h.Unheard {
							last += ", unheard"
						}
						f.say("%d to copy%s", h.ToCopy, last)
					}},
				})
				if err != nil {
					t.Error(err)
				}
				if got := f.log.String(); got != test.want {
					t.Errorf("got\n%swant\n%s", got, test.want)
				}
			})
		})
	}
}
