package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/compute"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/engine/memqueue"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/status"
	"pagoda/internal/run/window/cache"
)

// Options say how a run is carried out. None of them can change a result.
type Options struct {
	// Concurrency is how many windows the worker of this process computes at a time. 0 says 1, and with ServeMessages that
	// there is no such worker.
	Concurrency int
	CacheBytes  uint64         // decoded windows kept for later computations; 0 keeps none
	Budget      *plan.Budget   // of the windows that this process computes at a time; nil is unlimited
	Retention   plan.Retention // "" is plan.RetainAll
	Events      coordinator.Events
	// MaxAttempts, TaskTime, WatchEvery, AuditFraction and AuditAlone are those of coordinator.Options.
	MaxAttempts          int
	TaskTime, WatchEvery time.Duration
	AuditFraction        float64
	AuditAlone           bool
	Fleet                coordinator.FleetOptions
	// Ledger is the folder's ledger with what else keeps it; nil is the folder's alone.
	Ledger Ledger
	// MinEpoch is the epoch of another coordinator of the run that was found alive: this one takes over.
	MinEpoch uint64
	// ShutdownTimeout is how long workers are given to hear that the run is over; 0 says 5 s.
	ShutdownTimeout time.Duration
	// Tasks and Work are the ends of the queue; nil is one in memory. Fleet.Broadcast reaches the workers elsewhere; that
	// of this process hears of everything in any case.
	Tasks protocol.TaskQueue
	Work  protocol.WorkQueue
	// Fetcher reads the rows of workers elsewhere where workers contradict each other: for the windows that the
	// coordinator computes itself, and to see which workers can be read. nil reads the store of the folder, and with
	// ServeMessages computes none: the run stops then.
	Fetcher protocol.Fetcher
	// ServeMessages carries messages between the coordinator and workers in other processes until ctx is done. An error of
	// it ends the run. nil: no worker can join from outside.
	ServeMessages func(ctx context.Context, c *coordinator.Coordinator) error
	// Worker works for the run under protocol.OwnWorker, over link, until the run is over or ctx is done; nil computes
	// in the store of the folder. An error of it ends the run.
	Worker func(ctx context.Context, link protocol.CoordinatorClient) error
	// OnStatus is called about once a second with the content of the status file, and once with the last word; nil: it is
	// not.
	OnStatus func(status.Status)
	// Used returns what this process has used, since it began; nil: other runs go on in it.
	Used func() status.Used
	// Export is called when all windows are committed, before the run counts as complete; workers stay meanwhile, to give
	// out their rows. Its error ends the run, which can be resumed, and workers wait for that. nil: it is not.
	Export func(ctx context.Context, c *coordinator.Coordinator) error
	// OnComplete is called when the run is complete; nil: it is not.
	OnComplete func(*plan.Plan)
}

// A Ledger is a coordinator's that begins epochs, too. *kv.Ledger is one. What RaiseEpoch brings into the folder is
// part of the attempt that it begins.
type Ledger interface {
	coordinator.Ledger
	RaiseEpoch(above uint64) (uint64, error)
}

// Outcome holds the results of a run.
type Outcome struct {
	Run     string
	Results *plan.Plan // all of it when the run is complete, otherwise what is committed
}

const (
	defaultShutdownTimeout = 5 * time.Second
	// maxLosses bounds how often one window may be lost where no other worker can compute it: a store that keeps losing a
	// window is faulty.
	maxLosses   = 2
	statusEvery = time.Second
)

// Run carries out the run of p in folder f, and resumes from the windows in f. It returns when the run is complete or
// has failed and the workers have been told, or soon after ctx is done; committed windows stay, and Run may be called
// again. The outcome is there in any case but that of a folder that cannot be read.
//
// Where no other worker can compute, Run replaces a damaged store by a copy of its readable windows, once, and goes on.
//
// Errors: ctx's, *kv.ConflictError, *plan.FlowError, *coordinator.QuarantineError, *coordinator.DamagedError,
// coordinator.ErrFenced, and whatever errors.Is finds among puzzle.ErrOverflow and kv.ErrDiskFull.
func Run(ctx context.Context, p puzzle.Puzzle, f *rundir.Folder, o Options) (*Outcome, error) {
	rep := &reporter{folder: f, start: time.Now(), told: o.OnStatus, used: o.Used}
	if o.Used != nil {
		rep.before = o.Used().CPUMillis
	}
	r := &run{puzzle: p, folder: f, o: o, costs: coordinator.NewCosts(), rep: rep}
	r.rep.counts.forecast = status.NewForecast(r.rep.start)
	r.o.Events = r.rep.counts.watch(o.Events)
	if o.ServeMessages == nil {
		r.o.Fleet.Closed = true
		r.o.Concurrency = max(1, o.Concurrency)
	}
	r.rep.concurrency = r.o.Concurrency
	if r.o.ShutdownTimeout == 0 {
		r.o.ShutdownTimeout = defaultShutdownTimeout
	}
	if r.o.Tasks == nil {
		q := memqueue.New()
		r.o.Tasks, r.o.Work = q, q.Worker(protocol.OwnWorker)
	}
	if f.Damage != nil {
		r.damage = f.Damage.Error()
	}
	for recovered := false; ; {
		out, err := r.attempt(ctx)
		// Wrong results have been removed from the ledger: the next attempt resumes from the others.
		var again *coordinator.RestartError
		if out != nil && errors.As(err, &again) && ctx.Err() == nil {
			r.refused = append(r.refused, again.Refused...)
			if rerr := r.reset(ctx); rerr == nil {
				continue
			}
		}
		var broken *coordinator.DamagedError
		if out != nil && errors.As(err, &broken) && !recovered {
			kept, lost, rerr := f.Recover(ctx)
			if rerr == nil {
				recovered = true
				r.damage = fmt.Sprintf("%v; of the store %d windows were copied, %d could not be read", broken, kept, lost)
				continue
			}
			err = rerr
		}
		if out != nil {
			r.rep.last(err)
		}
		return out, err
	}
}

// run is the state that the attempts at one run share.
type run struct {
	puzzle puzzle.Puzzle
	folder *rundir.Folder
	o      Options
	rep    *reporter
	damage string // why the store had to be replaced
	// refused are the workers that were found to report wrong results, costs the time that workers have cost.
	refused []kv.Refusal
	costs   *coordinator.Costs
}

// recomputer returns the Recomputer of the coordinator itself, nil when it cannot read any window.
func (r *run) recomputer() *compute.Recomputer {
	f := r.o.Fetcher
	switch {
	case f != nil:
	case r.o.ServeMessages != nil:
		return nil
	default:
		f = compute.StoreFetcher{Store: r.folder.Store}
	}
	var kept *cache.Cache
	if r.o.AuditAlone {
		kept = cache.New(r.o.CacheBytes)
	}
	return &compute.Recomputer{
		Cache: kept,
		Run:   r.folder.Meta.Run, Puzzle: r.puzzle, Fetcher: f, MemoryOf: r.o.Budget.Of,
		MemoryBytes: r.o.Budget.Total() / uint64(r.recomputers()),
	}
}

// recomputers returns how many windows the coordinator itself computes at a time. One settles a few cases. To audit all
// windows it uses the processors that the worker of this process leaves free.
func (r *run) recomputers() int {
	if !r.o.AuditAlone {
		return 1
	}
	return max(1, runtime.GOMAXPROCS(0)-r.o.Concurrency)
}

// reset empties the queue for the next attempt.
func (r *run) reset(ctx context.Context) error {
	if q, ok := r.o.Tasks.(protocol.Resetter); ok {
		return q.Reset(ctx)
	}
	return nil
}

// attempt is a run until it is over, or until the store turns out to be damaged.
func (r *run) attempt(ctx context.Context) (*Outcome, error) {
	f, o := r.folder, &r.o
	var ledger Ledger = f.Ledger
	if o.Ledger != nil {
		ledger = o.Ledger
	}
	epoch, err := ledger.RaiseEpoch(o.MinEpoch)
	if err != nil {
		return nil, err
	}
	plan, err := rundir.LoadRun(r.puzzle, f, rundir.LoadOptions{
		Locality: o.Fleet.Locality, Own: o.Concurrency > 0, Await: !o.Fleet.Closed, Suspect: true,
	})
	if err != nil {
		return nil, err
	}
	link, fleet := memqueue.NewLink(), o.Fleet
	fleet.Linger = fleet.Linger || o.Export != nil
	fleet.Broadcast = func(d protocol.Drop) error {
		err := link.Broadcast(d)
		if o.Fleet.Broadcast != nil {
			err = errors.Join(err, o.Fleet.Broadcast(d))
		}
		return err
	}
	c := coordinator.Options{
		Retention:     o.Retention,
		MaxAttempts:   o.MaxAttempts,
		TaskTime:      o.TaskTime,
		WatchEvery:    o.WatchEvery,
		AuditFraction: o.AuditFraction,
		AuditAlone:    o.AuditAlone,
		Recomputers:   r.recomputers(),
		Damage:        r.damage,
		Events:        o.Events,
		Epoch:         epoch,
		Refused:       r.refused,
		Costs:         r.costs,
		Fleet:         fleet,
	}
	if !fleet.Closed {
		if c.LeastAudits, err = f.BeginAudits(c.Audits(), plan.Complete()); err != nil {
			return nil, err
		}
	}
	if own := r.recomputer(); own != nil {
		c.Recompute, c.Check = own.Record, own.Check
	}
	if fleet.Closed {
		c.MaxLosses = maxLosses
	}
	coord := coordinator.New(f.Meta.Run, plan, ledger, o.Tasks, c)
	link.Connect(coord)
	stop := r.rep.begin(plan, coord)
	err = r.lead(ctx, coord, link)
	stop()
	return &Outcome{Run: f.Meta.Run, Results: plan}, err
}
