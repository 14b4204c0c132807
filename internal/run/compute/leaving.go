package compute

import (
	"context"
	"time"

	"pagoda/internal/run/protocol"
)

// leaving is a session's way out. A worker that is to leave says so with its next heartbeat, goes on serving its rows,
// and finishes the windows that it has in hand. It says that too: what it was given beside them goes to others. Then it
// waits until it is ready and others have copied the windows that only it holds. The coordinator counts them: it alone
// knows the holders. An earlier one does not.
type leaving struct {
	*session
	Leave
	tick              *time.Ticker // of heartbeats
	every             time.Duration
	draining, settled bool
	told              HandsOver // last
	heard             bool      // it is an answer of the coordinator
}

// note notes which moments have come.
func (l *leaving) note() {
	select {
	case <-l.Asked:
		l.Asked, l.draining = nil, true
	default:
	}
	select {
	case <-l.Settled:
		l.Settled, l.settled = nil, true
	default:
	}
	select {
	case <-l.Ready:
		l.Ready = nil
	default:
	}
}

// keepPace has heartbeats come as often as they should.
func (l *leaving) keepPace() {
	every := time.Duration(l.beat.Load())
	if l.draining {
		every /= leaveBeats
	}
	switch {
	case l.tick == nil:
		l.tick = time.NewTicker(every)
	case every != l.every:
		l.tick.Reset(every)
	}
	l.every = every
}

// heartbeat sends a heartbeat. One that leaves does not wait long for a coordinator that may have gone.
func (l *leaving) heartbeat(ctx context.Context) (protocol.HeartbeatResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, l.patience())
	defer cancel()
	return l.session.heartbeat(ctx, l.draining, l.draining && l.settled)
}

func (l *leaving) patience() time.Duration {
	if l.draining {
		return leaveTime
	}
	return askTime
}

// ready reports whether only windows to be copied keep the worker.
func (l *leaving) ready() bool { return l.settled && l.Ready == nil }

// leaves reports, by the answer to a heartbeat, whether the worker leaves.
func (l *leaving) leaves(ctx context.Context, reply *protocol.HeartbeatResponse, err error) bool {
	if !l.draining || ctx.Err() != nil {
		return false
	}
	if err == nil && (reply.Rejoin || reply.Stop || reply.Epoch < l.seen.Load()) {
		return false // it is not the answer of a coordinator that this worker has joined
	}
	if err == nil && reply.Error == "" {
		l.tell(HandsOver{ToCopy: reply.ToCopy, Alone: reply.Alone})
	}
	return l.ready() && (err != nil || reply.Error != "" || reply.ToCopy == 0)
}

// join joins again. A worker that leaves says so at once, and does not wait long.
func (l *leaving) join(ctx context.Context, since uint64) error {
	if !l.draining {
		return l.session.join(ctx, since)
	}
	short, cancel := context.WithTimeout(ctx, leaveTime)
	defer cancel()
	err := l.session.join(short, since)
	switch {
	case err == nil:
		l.hurry()
	case ctx.Err() == nil && short.Err() != nil && l.ready():
		return errOver
	case ctx.Err() == nil && short.Err() != nil:
		return nil // the next heartbeat asks again
	}
	return err
}

// end ends the heartbeats, and tells how many windows are left when the worker ends. It may have been asked to leave
// while it waited for an answer that did not come before its time was over.
func (l *leaving) end() {
	l.tick.Stop()
	l.note()
	if l.draining {
		l.told.Last, l.told.Unheard = true, !l.heard
		notify(l.o.Events.HandsOver, l.told)
	}
}

// tell tells how far the worker is.
func (l *leaving) tell(h HandsOver) {
	l.told, l.heard = h, true
	notify(l.o.Events.HandsOver, h)
}
