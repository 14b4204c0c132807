package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pagoda/internal/pause"
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
	// OnStatus is called about once a second with what the status file says, and once with the last word; nil is not.
	OnStatus func(Status)
	// OnComplete is called when the run is complete; nil is not.
	OnComplete func(*Plan)
}

// Lead carries out the run of p in folder f with workers that join, and resumes what the ledger holds already. It
// returns when the run is complete or has failed and the workers have been told, or soon after ctx is done; what is
// committed by then stays, and Lead may be called again. The outcome is there in any case but that of a folder that
// cannot be read. Errors are those of Run, and ErrFenced.
func Lead(ctx context.Context, p puzzle.Puzzle, f *Folder, tasks TaskQueue, o LeadOptions) (*Outcome, error) {
	rep := &reporter{folder: f, start: time.Now(), told: o.OnStatus}
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
	complete := o.OnComplete
	o.OnComplete = func(p *Plan) {
		rep.complete.Store(true)
		call(complete, p)
	}
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
	attendCtx, stopAttend := context.WithCancel(context.WithoutCancel(ctx))
	defer stopAttend()
	attended := make(chan error, 1)
	go func() {
		defer stopAttend()
		attended <- o.Attend(attendCtx, coord)
	}()
	coord.summon() // those who worked for the coordinator before this one
	drove := make(chan error, 1)
	go func() {
		defer stopAttend()
		drove <- coord.Run(coordCtx)
	}()
	select {
	case <-coord.Over():
		if coord.finished() {
			o.OnComplete(coord.plan)
			if o.Fleet.Linger {
				select {
				case <-ctx.Done():
				case <-attendCtx.Done():
				}
				coord.leaving.Store(true)
			}
		}
		coord.dismiss(attendCtx, o.Farewell)
	case <-ctx.Done():
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

// lingers reports whether the run is complete and its workers are kept.
func (c *Coordinator) lingers() bool {
	return c.fleet != nil && c.fleet.o.Linger && c.finished() && !c.leaving.Load()
}

// forget notes that silent workers are gone, and what they held with them. Nothing is computed again for it.
func (c *Coordinator) forget(now time.Time) {
	for name, m := range c.fleet.members {
		if now.Sub(m.seen) > c.fleet.o.LostAfter {
			delete(c.fleet.members, name)
			c.plan.withdraw(name, nil)
		}
	}
}

// Rows returns the windows of a committed cell with the live workers that hold them. Safe for concurrent use.
func (c *Coordinator) Rows(id puzzle.Cell) (Located, error) {
	p := c.plan
	p.mu.RLock()
	defer p.mu.RUnlock()
	cell := p.cells[id]
	if cell == nil || cell.done < len(cell.windows) {
		return Located{}, fmt.Errorf("cell %d/%s: %w", id.Layer, id.Key, puzzle.ErrMissing)
	}
	return p.located(c.run, cell), nil
}

// Results returns what is committed, also while the run goes on.
func (c *Coordinator) Results() *Plan { return c.plan }

// maxLook is the longest pause between looks at who has been told.
const maxLook = 20 * time.Millisecond

// summon asks all workers for a beat. They would hear what is new here only with their next one, or with a task.
func (c *Coordinator) summon() {
	if c.fleet.o.Broadcast != nil {
		_ = c.fleet.o.Broadcast(Drop{Run: c.run, Epoch: c.o.Epoch})
	}
}

// dismiss waits until all workers know that the run is over, for a time.
func (c *Coordinator) dismiss(ctx context.Context, most time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	if errors.Is(c.Err(), ErrFenced) {
		return // they belong to somebody else
	}
	c.summon()
	for next := time.Millisecond; !c.allTold(ctx) && pause.For(ctx, next) == nil; next = min(2*next, maxLook) {
	}
}

// loadFleet takes notice of what the ledger of f holds. Whoever is on record as a holder has to come back first.
func loadFleet(p puzzle.Puzzle, f *Folder) (*Plan, error) {
	plan, err := newPlan(p, fleetStrips)
	if err != nil {
		return nil, err
	}
	return plan, plan.loadAwaiting(f.Meta.Run, f.Ledger)
}
