package natsqueue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"pagoda/internal/run/protocol"
)

const (
	announceEvery = 2 * time.Second
	findEvery     = time.Second
)

// Announce publishes a coordinator's announcement, until ctx is done: at once, every 2 s, after the connection was
// lost, in answer to a question, and a last time in the end. onOther gets the announcements of other coordinators of
// the run. what and onOther are called from several goroutines.
func Announce(
	ctx context.Context, nc *nats.Conn, what func() protocol.Announcement, onOther func(protocol.Announcement),
) error {
	self := what()
	run := self.Run
	if err := checkRun(run); err != nil {
		return err
	}
	tellAll := func() error {
		a := what()
		b, err := a.Encode()
		if err != nil {
			return err
		}
		// A connection that is away gets the next one.
		_ = nc.Publish(runSubject(run), b)
		return nil
	}
	answer := func(m *nats.Msg) {
		a := what()
		if b, err := a.Encode(); err == nil {
			respond(m, b)
		}
	}
	other := func(m *nats.Msg) {
		a, err := protocol.DecodeAnnouncement(m.Data)
		if err == nil && a.Run == run && a.Instance != self.Instance {
			onOther(a)
		}
	}
	for subject, fn := range map[string]func(*nats.Msg){
		findAny: answer, findSubject(run): answer, runSubject(run): other,
	} {
		end, err := subscribe(nc, subject, pendingBytes, fn)
		if err != nil {
			return err
		}
		defer end()
	}
	status := nc.StatusChanged(nats.CONNECTED)
	defer nc.RemoveStatusListener(status)
	tick := time.NewTicker(announceEvery)
	defer tick.Stop()
	for {
		if err := tellAll(); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-status:
		case <-ctx.Done():
			err := tellAll()
			if err == nil && nc.IsConnected() {
				_ = nc.FlushTimeout(announceEvery)
			}
			return err
		}
	}
}

// Discover waits for a coordinator, of a run or, when run is "", of any run that is not over. It returns an error only
// when ctx is done or the connection is closed for good.
func Discover(ctx context.Context, nc *nats.Conn, run string) (protocol.Announcement, error) {
	var found protocol.Announcement
	ok := false
	err := listen(ctx, nc, run, always, func(a protocol.Announcement) bool {
		if run == "" && a.Over {
			return true
		}
		found, ok = a, true
		return false
	})
	if ok {
		return found, nil
	}
	return found, err
}

// Coordinators returns the coordinators of a run that answer within wait, the one of the highest epoch first among
// equals of an instance. A caller finds out with it whether another coordinator drives the run; none is a fine answer.
func Coordinators(
	ctx context.Context, nc *nats.Conn, run string, wait time.Duration,
) ([]protocol.Announcement, error) {
	bounded, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	place := make(map[string]int)
	var all []protocol.Announcement
	err := listen(bounded, nc, run, always, func(a protocol.Announcement) bool {
		i, ok := place[a.Instance]
		switch {
		case !ok:
			place[a.Instance] = len(all)
			all = append(all, a)
		case a.Epoch >= all[i].Epoch:
			all[i] = a
		}
		return true
	})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = nil
	}
	return all, err
}

// Hear passes the announcements of a run, or of every run when run is "", to fn, one at a time: of coordinators that
// it asks, and from then on as they come. It asks again while it hears of none. It returns an error when ctx is done or
// the connection is closed for good.
func Hear(ctx context.Context, nc *nats.Conn, run string, fn func(protocol.Announcement)) error {
	var heard time.Time
	quiet := func() bool { return time.Since(heard) > 2*announceEvery }
	return listen(ctx, nc, run, quiet, func(a protocol.Announcement) bool {
		heard = time.Now()
		fn(a)
		return true
	})
}

func always() bool { return true }

// listen asks for coordinators, and every second again if again says so. It passes their announcements to fn, one at a
// time, until fn returns false or ctx is done.
func listen(
	ctx context.Context, nc *nats.Conn, run string, again func() bool, fn func(protocol.Announcement) bool,
) error {
	question, broadcast := findAny, runSubject("*")
	if run != "" {
		if err := checkRun(run); err != nil {
			return err
		}
		question, broadcast = findSubject(run), runSubject(run)
	}
	heard := make(chan *nats.Msg, 64)
	inbox := nc.NewInbox()
	for _, subject := range []string{inbox, broadcast} {
		end, err := subscribe(nc, subject, pendingBytes, func(m *nats.Msg) {
			select {
			case heard <- m:
			default: // they say it again
			}
		})
		if err != nil {
			return err
		}
		defer end()
	}
	tick := time.NewTicker(findEvery)
	defer tick.Stop()
	for asked := false; ; {
		if !asked && nc.IsConnected() {
			if err := nc.PublishRequest(question, inbox, nil); err != nil {
				return fmt.Errorf("look for coordinators: %w", err)
			}
			asked = true
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			asked = !again()
			if nc.IsClosed() {
				return nats.ErrConnectionClosed
			}
		case m := <-heard:
			a, err := protocol.DecodeAnnouncement(m.Data)
			if err != nil || run != "" && a.Run != run || checkRun(a.Run) != nil {
				continue // not a coordinator, or none there to answer
			}
			if !fn(a) {
				return nil
			}
		}
	}
}
