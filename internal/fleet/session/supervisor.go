package session

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"time"

	"pagoda/internal/fleet/ops"
	"pagoda/internal/kv"
	"pagoda/internal/run/compute"
	"pagoda/internal/run/rundir"
)

// A Supervisor works for a run with a store in a folder of its own. Whatever is in the store can be computed again, so
// damage to it ends nothing: a new store with its readable windows replaces it, and the work goes on.
type Supervisor struct {
	Dir, Run string
	Store    kv.Options
	// Work works with the store until the run is over or ctx is done, and at the latest until stop is, as Session.Serve.
	Work func(ctx, stop context.Context, store *kv.Store) error
	Log  *slog.Logger // with run and worker among its attributes

	store *kv.Store
}

// errDamaged ends a session whose store turns out to be damaged.
var errDamaged = errors.New("the store is damaged")

// damageEvery is how often a session looks whether the store has found damage.
const damageEvery = 500 * time.Millisecond

// Serve opens the store and works. Errors are those of Work, and of opening a store that is not merely damaged.
func (h *Supervisor) Serve(ctx, stop context.Context) error {
	for {
		if err := h.open(); err != nil {
			return err
		}
		err := h.session(ctx, stop, h.store)
		if !h.needsRecovery(err) {
			return errors.Join(err, h.store.Close())
		}
		if err := h.recoverStore(stop); err != nil || ctx.Err() != nil {
			return err
		}
	}
}

// needsRecovery reports whether a session that ended with err has a store to be replaced.
func (h *Supervisor) needsRecovery(err error) bool {
	if err == nil || errors.Is(err, compute.ErrDismissed) || errors.Is(err, kv.ErrDiskFull) {
		return h.store.Damaged() != ""
	}
	return errors.Is(err, errDamaged) || errors.Is(err, kv.ErrCorrupt) || h.store.Damaged() != ""
}

// session works with a store until it is found to be damaged. The look for damage stays with this store: it may come to
// an end after the supervisor has opened the next one.
func (h *Supervisor) session(ctx, stop context.Context, store *kv.Store) error {
	stop, end := context.WithCancelCause(stop)
	defer end(nil)
	go func() {
		tick := time.NewTicker(damageEvery)
		defer tick.Stop()
		for store.Damaged() == "" {
			select {
			case <-stop.Done():
				return
			case <-tick.C:
			}
		}
		end(errDamaged)
	}()
	err := h.Work(ctx, stop, store)
	if errors.Is(context.Cause(stop), errDamaged) {
		return errDamaged
	}
	return err
}

func (h *Supervisor) open() error {
	s, damage, err := rundir.OpenStore(h.Dir, h.Run, h.Store)
	if damage != nil {
		h.Log.Warn("the store is too damaged to open and is begun anew", ops.ErrorKey, damage)
	}
	h.store = s
	return err
}

// recoverStore closes the store and leaves in its place a new one with the readable windows, or nothing.
func (h *Supervisor) recoverStore(ctx context.Context) error {
	cause := h.store.Damaged()
	fresh, kept, lost, err := rundir.RecoverStore(ctx, h.Dir, h.Run, h.store, h.Store)
	if err == nil {
		h.Log.Warn("the store was damaged and is replaced", "cause", cause, "windows_kept", kept, "windows_lost", lost)
		return fresh.Close()
	}
	if errors.Is(err, kv.ErrDiskFull) || ctx.Err() != nil {
		return errors.Join(err, h.close())
	}
	h.Log.Warn("the store is damaged beyond repair and is begun anew", ops.ErrorKey, err)
	return errors.Join(h.close(), kv.Remove(filepath.Join(h.Dir, "store"), h.Store))
}

// close closes a store that may be closed already, or so damaged that it cannot be closed in order.
func (h *Supervisor) close() error {
	err := h.store.Close()
	if errors.Is(err, kv.ErrCorrupt) || errors.Is(err, kv.ErrClosed) {
		return nil
	}
	return err
}
