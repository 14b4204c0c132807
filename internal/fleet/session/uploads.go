package session

import (
	"context"
	"time"

	"pagoda/internal/fleet/archive"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/kv"
	"pagoda/internal/run/compute"
	"pagoda/internal/run/protocol"
)

// drainTime is how long a session that ends goes on uploading, while that succeeds.
const drainTime = 20 * time.Second

// uploads are the uploads of a session to the archive, in the background.
type uploads struct {
	m     *Session
	store *kv.Store
	up    *archive.Uploader
	run   context.Context //nolint:containedctx // of the uploads, which outlive the session's own by drainTime
	stop  context.CancelFunc
	done  chan struct{}
}

func newUploads(m *Session, store *kv.Store) *uploads {
	u := &uploads{m: m, store: store, done: make(chan struct{})}
	u.run, u.stop = context.WithCancel(context.Background())
	u.up = archive.NewUploader(m.Archive, archive.UploaderOptions{Source: store, Dir: m.Spill, OnUploaded: u.uploaded})
	go func() {
		defer close(u.done)
		u.up.Run(u.run)
	}()
	return u
}

// watch returns events that upload the windows of the store: after the first join those that the archive lacks, and
// from then on those that are committed.
func (u *uploads) watch(ctx context.Context, e compute.Events) compute.Events {
	joined := e.Joined
	e.Joined = func(j compute.Joined) {
		if !j.Again {
			go u.missing(ctx)
		}
		joined(j)
	}
	e.Committed = func(windows []protocol.Archived) { u.up.Add(windows...) }
	return e
}

// missing queues the windows of the store that the archive lacks.
func (u *uploads) missing(ctx context.Context) {
	var held []protocol.Archived
	err := u.store.Records(func(r kv.Record) error {
		if r.Rows > 0 {
			held = append(held, protocol.Archived{Window: r.ID(), Digest: r.Digest})
		}
		return ctx.Err()
	})
	if err != nil {
		u.m.Log.Debug("not all windows of the store can be listed for the archive", ops.ErrorKey, err)
	}
	u.up.AddMissing(ctx, held)
}

// uploaded tells of an attempt: in the log when one fails after some that succeeded, and the other way round.
func (u *uploads) uploaded(e archive.Uploaded) {
	u.m.Moves.Archived(e)
	switch {
	case e.Err != nil && e.First:
		u.m.Log.Warn("windows cannot be uploaded to the archive, trying again", "archive", u.m.Archive.String(),
			"waiting", e.Waiting, ops.ErrorKey, e.Err)
	case e.Err == nil && e.First:
		u.m.Log.Info("windows are uploaded to the archive again", "waiting", e.Waiting)
	}
}

// drain uploads the remaining windows, while that succeeds, until ctx is done.
func (u *uploads) drain(ctx context.Context) { u.up.Drain(ctx) }

// end ends the uploads. The remaining windows are uploaded first, while that succeeds, until stop is done.
func (u *uploads) end(stop context.Context) {
	ctx, cancel := context.WithTimeout(stop, drainTime)
	defer cancel()
	if left := u.up.Drain(ctx); left > 0 {
		u.m.Log.Warn("windows are left that the archive does not have", "windows", left)
	}
	u.stop()
	<-u.done
}
