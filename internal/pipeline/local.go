package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"pagoda/internal/puzzle"
)

// RunOptions say how a run is carried out on this machine. None of them can change a result.
type RunOptions struct {
	Concurrency int    // windows computed at a time; at least 1
	CacheBytes  uint64 // decoded windows kept for later computations; 0 keeps none
	Keep        Keep   // "" is KeepAll
	Events      Events
	OnStatus    func(Status) // as in LeadOptions
	// MaxAttempts, TaskTime and WatchEvery are those of CoordinatorOptions.
	MaxAttempts          int
	TaskTime, WatchEvery time.Duration
	Audit                float64 // as in CoordinatorOptions; the same worker computes twice
}

// Outcome is what a run came to.
type Outcome struct {
	Run     string
	Results *Plan // all of it when the run is complete, otherwise what is committed
}

// Run carries out the run of p in folder f with workers in this process, and resumes what f holds already. It returns
// when the run is complete or has failed, or soon after ctx is done; what is committed by then stays, and Run may be
// called again. The outcome is there in any case but that of a folder that cannot be read.
//
// A store that turns out to be damaged is replaced by what can be read of it, once, and the run goes on.
//
// Errors: ctx's, *kv.ConflictError, *FlowError, *QuarantineError, *DamagedError, and whatever errors.Is finds among
// puzzle.ErrOverflow and kv.ErrDiskFull.
func Run(
	ctx context.Context, p puzzle.Puzzle, f *Folder, tasks TaskQueue, work WorkQueue, o RunOptions,
) (*Outcome, error) {
	rep := &reporter{told: o.OnStatus, folder: f, slots: max(1, o.Concurrency), start: time.Now()}
	o.Events = rep.counts.watch(o.Events)
	damage := ""
	if f.Damage != nil {
		damage = f.Damage.Error()
	}
	for salvaged := false; ; salvaged = true {
		plan, err := Load(p, f)
		if err != nil {
			return nil, err
		}
		out := &Outcome{Run: f.Meta.Run, Results: plan}
		rep.plan = plan
		stop := rep.every(time.Second)
		err = attempt(ctx, p, f, plan, tasks, work, o, damage, rep)
		stop()
		var broken *DamagedError
		if errors.As(err, &broken) && !salvaged {
			kept, lost, err := f.salvage(ctx)
			if err != nil {
				rep.last(err)
				return out, err
			}
			damage = fmt.Sprintf("%v; of the store %d windows were copied, %d could not be read", broken, kept, lost)
			continue
		}
		rep.last(err)
		return out, err
	}
}

// attempt is a run until it is over, or until the store turns out to be damaged.
func attempt(
	ctx context.Context, p puzzle.Puzzle, f *Folder, plan *Plan, tasks TaskQueue, work WorkQueue, o RunOptions,
	damage string, rep *reporter,
) error {
	slots := max(1, o.Concurrency)
	epoch, err := f.Ledger.RaiseEpoch(0)
	if err != nil {
		return err
	}
	cache := newCache(o.CacheBytes)
	coord := NewCoordinator(f.Meta.Run, plan, f.Ledger, tasks, CoordinatorOptions{
		Keep: o.Keep, Concurrency: func() int { return slots }, MaxAttempts: o.MaxAttempts, TaskTime: o.TaskTime,
		WatchEvery: o.WatchEvery, Damage: damage, Events: o.Events, Epoch: epoch, Audit: o.Audit,
		Drop: func(ids []puzzle.WindowID) error { return f.Store.Drop(ids...) }, Unread: cache.forget,
	})
	rep.coord.Store(coord)
	worker := NewWorker(WorkerOptions{
		Name: localWorker, Run: f.Meta.Run, Concurrency: slots, Puzzle: p, Store: f.Store, Queue: work, Locator: coord,
		Epoch: epoch, cache: cache,
	})
	return together(ctx, coord, worker)
}

// together runs a coordinator with a worker until the run is over or ctx is done. The coordinator outlives the
// worker, so that the worker can settle what it has in hand.
func together(ctx context.Context, coord *Coordinator, worker *Worker) error {
	coordCtx, stopCoord := context.WithCancel(context.WithoutCancel(ctx))
	defer stopCoord()
	workCtx, stopWork := context.WithCancel(ctx)
	defer stopWork()

	var g errgroup.Group
	g.Go(func() error {
		defer stopWork() // whatever ended it
		return coord.Run(coordCtx)
	})
	g.Go(func() error {
		select {
		case <-coord.Over():
			stopWork()
		case <-workCtx.Done():
		}
		return nil
	})
	workErr := worker.Run(workCtx)
	stopWork()
	stopCoord()
	err := g.Wait()
	switch {
	case err != nil:
		return err // the worker's error, if any, follows from it
	case workErr != nil && !errors.Is(workErr, ErrDismissed):
		return workErr
	case !coord.finished():
		return context.Cause(ctx)
	}
	return nil
}

// finished reports whether the run is over and complete.
func (c *Coordinator) finished() bool { return !c.running() && c.err == nil }
