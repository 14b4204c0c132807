package pipeline

import (
	"context"
	"errors"
	"time"

	"pagoda/internal/puzzle"
)

// LeadOptions say how a run is carried out by a fleet. None of them can change a result.
type LeadOptions struct {
	Keep   Keep // "" is KeepAll
	Events Events
	// MaxAttempts, TaskTime, WatchEvery and Audit are those of CoordinatorOptions.
	MaxAttempts          int
	TaskTime, WatchEvery time.Duration
	Audit                float64
	Fleet                FleetOptions
	// Above is the epoch of another coordinator of the run that was found alive: this one takes over.
	Above uint64
	// Attend carries messages between the coordinator and its workers until ctx is done; it begins before the coordinator
	// does. Workers in this process run in it too. An error of it ends the run.
	Attend func(ctx context.Context, c *Coordinator) error
	// Farewell is how long workers are given to hear that the run is over; 0 says 5 s.
	Farewell time.Duration
}

// Lead carries out the run of p in folder f with workers that join, and resumes what the ledger holds already. It
// returns when the run is complete or has failed and the workers have been told, or soon after ctx is done; what is
// committed by then stays, and Lead may be called again. The outcome is there in any case but that of a folder that
// cannot be read. Errors are those of Run, and ErrFenced.
func Lead(ctx context.Context, p puzzle.Puzzle, f *Folder, tasks TaskQueue, o LeadOptions) (*Outcome, error) {
	rep := &reporter{folder: f, start: time.Now()}
	o.Events = rep.counts.watch(o.Events)
	plan, err := loadFleet(p, f)
	if err != nil {
		return nil, err
	}
	epoch, err := f.Ledger.RaiseEpoch(o.Above)
	if err != nil {
		return nil, err
	}
	out := &Outcome{Run: f.Meta.Run, Results: plan}
	if o.Farewell == 0 {
		o.Farewell = 5 * time.Second
	}
	coord := NewCoordinator(f.Meta.Run, plan, f.Ledger, tasks, CoordinatorOptions{
		Keep: o.Keep, MaxAttempts: o.MaxAttempts, TaskTime: o.TaskTime, WatchEvery: o.WatchEvery, Audit: o.Audit,
		Events: o.Events, Epoch: epoch, Fleet: &o.Fleet,
	})
	rep.plan = plan
	rep.coord.Store(coord)
	stop := rep.every(time.Second)
	err = lead(ctx, coord, o)
	stop()
	rep.last(err)
	return out, err
}

// lead runs a coordinator and whatever attends it. The coordinator outlives the latter, so that workers in this
// process can settle what they have in hand.
func lead(ctx context.Context, coord *Coordinator, o LeadOptions) error {
	coordCtx, stopCoord := context.WithCancel(context.WithoutCancel(ctx))
	defer stopCoord()
	attendCtx, stopAttend := context.WithCancel(ctx)
	defer stopAttend()
	attended := make(chan error, 1)
	go func() {
		defer stopAttend()
		attended <- o.Attend(attendCtx, coord)
	}()
	drove := make(chan error, 1)
	go func() {
		defer stopAttend()
		drove <- coord.Run(coordCtx)
	}()
	select {
	case <-coord.Over():
		coord.dismiss(attendCtx, o.Farewell)
	case <-attendCtx.Done():
	}
	stopAttend()
	attendErr := <-attended
	stopCoord()
	err := <-drove
	switch {
	case err != nil:
		return err
	case coord.finished():
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case attendErr != nil:
		return attendErr
	}
	return errors.New("whatever carries the messages of the fleet has ended")
}

// dismiss waits until all workers know that the run is over, for a time.
func (c *Coordinator) dismiss(ctx context.Context, most time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	if errors.Is(c.Err(), ErrFenced) {
		return // they belong to somebody else
	}
	for !c.allTold(ctx) && sleep(ctx, 20*time.Millisecond) == nil {
	}
}

// loadFleet takes notice of what the ledger of f holds. Whoever is on record as a holder has to come back first.
func loadFleet(p puzzle.Puzzle, f *Folder) (*Plan, error) {
	plan, err := NewPlan(p)
	if err != nil {
		return nil, err
	}
	return plan, plan.loadAwaiting(f.Meta.Run, f.Ledger)
}
