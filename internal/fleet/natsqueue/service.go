package natsqueue

import (
	"cmp"
	"context"
	"fmt"

	"pagoda/internal/run/protocol"
)

// ServeWorkers answers the workers' joins, heartbeats and questions about parents from the coordinator, until ctx is
// done. A worker that joins gets a consumer of its own before it is answered.
func (t *Tasks) ServeWorkers(ctx context.Context, desk protocol.CoordinatorService) error {
	return serve(ctx, t.nc, []service{
		{joinSubject(t.run, anyKey), pendingBytes, func(ctx context.Context, key string, b []byte) ([]byte, error) {
			w := t.join(ctx, desk, key, b)
			return w.Encode()
		}},
		{joinOfVersion1(t.run), pendingBytes, func(ctx context.Context, _ string, b []byte) ([]byte, error) {
			w := joinAgain(ctx, desk, b)
			return w.Encode()
		}},
		{heartbeatSubject(t.run, anyKey), pendingBytes, func(ctx context.Context, key string, b []byte) ([]byte, error) {
			var r protocol.HeartbeatResponse
			if m, err := protocol.DecodeHeartbeat(b); err != nil {
				r.Error = err.Error()
			} else if err := cmp.Or(t.mine(m.Run), t.speaksFor(key, m.Worker)); err != nil {
				r.Error = err.Error()
			} else {
				r = desk.Heartbeat(ctx, m)
			}
			return r.Encode()
		}},
		{locateSubject(t.run, anyKey), pendingBytes, func(ctx context.Context, _ string, b []byte) ([]byte, error) {
			var p protocol.LocateResponse
			if m, err := protocol.DecodeLocateRequest(b); err != nil {
				p.Error = err.Error()
			} else if err := t.mine(m.Run); err != nil {
				p.Error = err.Error()
			} else {
				p = locate(ctx, desk, m)
			}
			return p.Encode()
		}},
	})
}

// locate answers a question about parents, with as much as fits into one message.
func locate(ctx context.Context, desk protocol.CoordinatorService, m protocol.LocateRequest) protocol.LocateResponse {
	all, err := desk.Locate(ctx, m.Reader)
	if err == nil {
		var p protocol.LocateResponse
		if p, err = protocol.Page(all, m.From); err == nil {
			return p
		}
	}
	return protocol.LocateResponse{Error: protocol.Clip(err.Error())}
}

func (t *Tasks) join(
	ctx context.Context, desk protocol.CoordinatorService, key string, b []byte,
) protocol.JoinResponse {
	m, err := protocol.DecodeJoin(b)
	if err == nil {
		err = cmp.Or(t.mine(m.Run), t.speaksFor(key, m.Worker))
	}
	if err != nil {
		return protocol.JoinResponse{Error: err.Error()}
	}
	if m.Worker == protocol.ArchiveName {
		return protocol.JoinResponse{Stop: true, Error: fmt.Sprintf("the name %s is reserved for the archive", m.Worker)}
	}
	if m.Worker == protocol.OwnWorker {
		return protocol.JoinResponse{Stop: true, Error: fmt.Sprintf(
			"the name %s is reserved for the worker in the coordinator's process", protocol.OwnWorker)}
	}
	if !t.room(m.Worker) {
		return protocol.JoinResponse{Error: t.crowded().Error()}
	}
	w := desk.Join(ctx, m)
	if w.Error == "" && !w.Stop {
		// Should it fail, the worker still takes tasks for everybody, and the next task directed to it tries again.
		_ = t.admit(ctx, m.Worker)
	}
	return w
}

// joinAgain answers a worker that joins as version 1 of the messages did, which knows no keys.
func joinAgain(ctx context.Context, desk protocol.CoordinatorService, b []byte) protocol.JoinResponse {
	m, err := protocol.DecodeJoin(b)
	if err == nil && m.Version == protocol.Version {
		err = fmt.Errorf("%w: worker %s joins without its key", protocol.ErrMessage, m.Worker)
	}
	if err != nil {
		return protocol.JoinResponse{Error: err.Error()}
	}
	return desk.Join(ctx, m)
}

// speaksFor refuses a message for a worker by the user of another key.
func (t *Tasks) speaksFor(key, worker string) error { return speaksFor(key, worker, keyOf(t.nc)) }

// mine refuses a message of another run: the subject names the run that the sender may deal with.
func (t *Tasks) mine(run string) error {
	if run != t.run {
		return fmt.Errorf("%w: a message of run %.70s to the coordinator of run %s", protocol.ErrMessage, run, t.run)
	}
	return nil
}
