package simulate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// runID stands for the run: it is in messages only.
const runID = "simulated"

// Run carries p out on a fleet. It returns ctx's error when that is done, and an error when the plan contradicts itself
// or the coordinator ends the run.
func Run(ctx context.Context, p puzzle.Puzzle, cost Cost, f Fleet) (Outcome, error) {
	if err := f.check(); err != nil {
		return Outcome{}, err
	}
	s := &shape{Puzzle: p}
	pl, err := plan.NewPartitioned(s, plan.DefaultPartitions)
	if err != nil {
		return Outcome{}, err
	}
	r := &run{fleet: f, cost: cost, plan: pl}
	r.out.CriticalPath, r.out.Work = criticalPath(pl, cost)
	r.out.Partial, r.out.Windows = s.partial, pl.WindowCount
	if pl.WindowCount == 0 {
		return r.out, nil
	}
	if err := r.carryOut(ctx); err != nil {
		return Outcome{}, fmt.Errorf("simulation on %d workers: %w", f.Workers, err)
	}
	r.out.Seconds = r.last
	cores := float64(f.Workers) * float64(f.Concurrency)
	r.out.Efficiency = r.out.Work / (cores * r.out.Seconds)
	r.out.CoordinatorBusy = r.busy / r.out.Seconds
	r.out.Idle = max(0, cores*r.out.Seconds-r.out.Work-r.out.Auditing-r.out.Fetching)
	return r.out, nil
}

// run is a simulation under way.
type run struct {
	agenda
	fleet    Fleet
	cost     Cost
	plan     *plan.Plan
	coord    *coordinator.Stepper
	workers  []*worker // the last is the coordinator's own, which has no slots
	byName   map[string]*worker
	common   []*task         // tasks for the first free worker
	pending  int             // tasks submitted and not acknowledged
	heldBy   []int32         // the worker, by window number; -1 without one
	size     []uint64        // bytes, by window number
	fetchers map[int][]int32 // by window number: the workers that have fetched it
	inbox    []arrival       // reports that have reached the coordinator
	serving  bool            // busy with earlier arrivals
	sent     []*task         // tasks of the coordinator's present step
	busy     float64         // seconds
	last     float64         // when a report was last answered
	out      Outcome
}

// arrival is a report on its way.
type arrival struct {
	from   *worker
	report protocol.Report
	tasks  int
}

// start is the beginning of virtual time.
var start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func (r *run) carryOut(ctx context.Context) error {
	const never = 1 << 60 // no worker is lost
	r.coord = coordinator.NewStepper(runID, r.plan, noLedger{r}, (*queue)(r), coordinator.Options{
		Retention: r.fleet.Retention, Epoch: 1, WatchEvery: never, AuditFraction: r.fleet.Audits,
		Now: func() time.Time { return start.Add(time.Duration(r.now * float64(time.Second))) },
		Fleet: coordinator.FleetOptions{
			WorkerTimeout: never, RejoinGrace: never, Locality: true, Broadcast: r.drop,
		},
	})
	r.heldBy, r.fetchers = make([]int32, r.plan.WindowCount), make(map[int][]int32)
	r.size = make([]uint64, r.plan.WindowCount)
	for i := range r.heldBy {
		r.heldBy[i] = nobody
	}
	r.byName = make(map[string]*worker, r.fleet.Workers)
	r.coord.Recompute(r.recompute)
	r.measured(func() { r.coord.Begin(ctx) })
	for i := range r.fleet.Workers {
		w := newWorker(r, i)
		r.workers = append(r.workers, w)
		r.byName[w.name] = w
	}
	r.workers = append(r.workers, &worker{
		r: r, index: int32(r.fleet.Workers), arriving: make(map[int][]func()), fetched: newKept(r.fleet.FetchedBytes),
		shelf: newKept(r.fleet.FetchedDisk),
	})
	var refused error
	for _, w := range r.workers[:r.fleet.Workers] {
		r.measured(func() {
			a := r.coord.Join(ctx, protocol.Join{
				Version: protocol.Version,
				Run:     runID, Worker: w.name, Incarnation: incarnation, Concurrency: r.fleet.Concurrency, Address: w.name + ":1",
			})
			if a.Error != "" {
				refused = errors.New(a.Error)
			}
		})
	}
	if refused != nil {
		return refused
	}
	r.deliver(r.now)
	for n := 0; ; n++ {
		if n%1024 == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if r.fleet.Progress != nil {
				r.fleet.Progress(r.plan.CommittedCount, r.plan.WindowCount)
			}
		}
		over, err := r.coord.Over()
		if err != nil {
			return err
		}
		if over {
			return nil
		}
		if !r.step() {
			return fmt.Errorf("nothing happens any more, and %d of %d windows are committed",
				r.plan.CommittedCount, r.plan.WindowCount)
		}
	}
}

// measured carries out a step of the coordinator, and adds up how long that takes on this machine.
func (r *run) measured(step func()) {
	began := time.Now()
	step()
	r.out.CoordinatorCPU += time.Since(began).Seconds()
}

// recompute lets the coordinator compute a window itself, beside its other work.
func (r *run) recompute(win puzzle.Window) {
	own, c := r.workers[r.fleet.Workers], r.cell(win)
	own.fetch(own.missing(nil, win, false), 1, func() {
		r.at(r.now+r.cost(c.CellPlan, win), func() {
			r.out.Audited++
			r.measured(func() { r.coord.Recomputed(context.Background(), r.record(c.CellPlan, win)) })
			r.deliver(r.now)
			r.last = max(r.last, r.now)
		})
	})
}

// arrive takes a report in at the coordinator.
func (r *run) arrive(a arrival) {
	r.inbox = append(r.inbox, a)
	if !r.serving {
		r.serve()
	}
}

// serve lets the coordinator take all reports that have arrived. The tasks that follow are sent while its ledger syncs,
// the answers afterwards.
func (r *run) serve() {
	all := r.inbox
	r.inbox, r.serving = nil, true
	reports := make([]protocol.Report, len(all))
	windows := 0
	for i := range all {
		reports[i] = all[i].report
		windows += len(all[i].report.Done)
	}
	took := float64(len(all))*r.fleet.PerReport.Seconds() + float64(windows)*r.fleet.PerWindow.Seconds()
	r.busy += took
	r.at(r.now+took, func() {
		r.measured(func() { r.coord.Reports(context.Background(), reports) })
		r.deliver(r.now)
		r.last = r.now + r.fleet.Sync.Seconds()
		r.at(r.last, func() {
			for i := range all {
				r.at(r.now+r.fleet.Latency.Seconds(), func() { all[i].from.answered(all[i].tasks) })
			}
			r.serving = false
			if len(r.inbox) > 0 {
				r.serve()
			}
		})
	})
}

// deliver sends the tasks that the coordinator has submitted.
func (r *run) deliver(t float64) {
	sent := r.sent
	r.sent = nil
	if len(sent) == 0 {
		return
	}
	r.at(t+r.fleet.Latency.Seconds(), func() {
		for _, t := range sent {
			if w := r.byName[t.To]; w != nil {
				w.tasks = append(w.tasks, t)
				w.wake()
				continue
			}
			r.common = append(r.common, t)
		}
		for _, w := range r.workers {
			if len(r.common) == 0 {
				return
			}
			w.wake()
		}
	})
}
