package transfer

import (
	"context"
	"errors"
	"time"

	"pagoda/internal/run/protocol"
)

// get returns the entry of a window that is whole and checked, to be released. Of several readers that want a window at
// the same time, one fetches it.
func (f *Fetcher) get(ctx context.Context, lw *protocol.LocatedWindow) (*entry, error) {
	e := f.cached.take(content{lw.Record.ID(), lw.Record.Digest})
	for {
		mine, theirs := f.cached.begin(e)
		var err error
		switch {
		case mine != nil:
			err = f.fill(ctx, e, lw)
			f.cached.finish(e, mine, err)
		case theirs != nil:
			err = e.wait(ctx, theirs)
			if errors.Is(err, errTheirs) {
				continue
			}
		}
		if err != nil {
			f.cached.release(e)
			return nil, err
		}
		return e, nil
	}
}

// fill fetches a window, or the blocks that an earlier try has not fetched. It is the caller's turn.
func (f *Fetcher) fill(ctx context.Context, e *entry, lw *protocol.LocatedWindow) error {
	if e.arrive == nil {
		e.hold.dir = f.o.SpillDir
		if !f.cached.reserve(e, roomFor(&lw.Record)) {
			if err := e.hold.openFile(); err != nil {
				return err
			}
		}
		rec := lw.Record
		e.arrive = newInbound(&rec, &e.hold)
		e.arrive.onBlock = func() { e.blocks.Add(1) }
	}
	err := f.fetch(ctx, lw, e.arrive)
	if err == nil {
		e.arrive = nil
	}
	return err
}

// fetch gets a window from its holders, and tells of it.
func (f *Fetcher) fetch(ctx context.Context, lw *protocol.LocatedWindow, a *inbound) error {
	return f.carryOut(ctx, f.newDownload(lw, a))
}

func (f *Fetcher) carryOut(ctx context.Context, t *download) error {
	err := t.run(ctx)
	f.moved.Add(t.done.Bytes)
	t.done.Err = err
	f.o.OnFetched(t.done)
	return err
}

// errTheirs says that the fetching caller was told to stop.
var errTheirs = errors.New("whoever fetched it gave up")

// wait waits for another's turn to end. While blocks arrive it calls ctx.Err to show progress, as their receiver does.
func (e *entry) wait(ctx context.Context, t *turn) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for seen := e.blocks.Load(); ; {
		select {
		case <-t.done:
			if errors.Is(t.err, context.Canceled) || errors.Is(t.err, context.DeadlineExceeded) {
				return errTheirs
			}
			return t.err
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			if n := e.blocks.Load(); n != seen {
				seen = n
				if err := ctx.Err(); err != nil {
					return err
				}
			}
		}
	}
}
