package main

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"pagoda/internal/app/api"
	"pagoda/internal/app/cli"
	"pagoda/internal/app/explore"
	"pagoda/internal/app/runs"
	"pagoda/internal/fleet/keys"
	"pagoda/internal/fleet/ops"
	"pagoda/internal/fleet/transfer"
	"pagoda/internal/kv"
	"pagoda/internal/output/build"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/status"
	"pagoda/internal/run/trust"
)

// live holds the state that a running coordinator shows to pages and API. Safe for concurrent use.
type live struct {
	told     func(*status.Status) // of every status; nil is not
	registry *prometheus.Registry
	queue    *ops.QueueMetrics
	moves    *ops.TransferMetrics
	work     *ops.WorkerMetrics

	mu     sync.Mutex
	status *status.Status // nil: the run has not begun
	failed error          // why the process would have ended
	result runs.Result    // of the complete run
	lend   *lentRun       // nil: no run can be read
	users  sync.WaitGroup // clients that read lend

	page *explore.Server // nil: there is no API

	export *finalExport // nil: the run has none
	notice *notice      // nil: the run has none

	run string // its ID; "": it is not known yet

	// display shows the progress of a member of a batch; nil: the run has a display of its own.
	display func(*progress) *display
	beside  bool // other runs go on in this process, which bounds the memory of all of them
	// pool has what the run shares with the other members of a batch; nil: the run is alone in its process.
	pool *pool

	// completed is called once, when the run is complete.
	completed func(*plan.Plan)
}

// used returns a function that says what the process has used; nil for a member of a batch.
func (l *live) used() func() status.Used {
	if l.pool != nil {
		return nil
	}
	machine := fmt.Sprintf("%s/%s, %s", runtime.GOOS, runtime.GOARCH, plural.Of(runtime.GOMAXPROCS(0), "processor"))
	return func() status.Used {
		cpu, peak := cli.Used()
		return status.Used{Machine: machine, CPUMillis: cpu.Milliseconds(), PeakBytes: peak}
	}
}

// lentRun is a run that others may read while it goes on.
type lentRun struct {
	*runs.Job
	folder      *rundir.Folder
	coordinator *coordinator.Coordinator // of a fleet; nil: everything is in the folder
	results     *plan.Plan               // where there is no coordinator
	fetcher     *transfer.Fetcher
}

func newLive() *live {
	return &live{
		registry: ops.NewMetrics("coordinator", build.Read(), kv.FormatVersion),
		queue:    ops.NewQueueMetrics(), moves: ops.NewTransferMetrics(),
	}
}

// fleet adds the metrics of a coordinator with workers.
func (l *live) fleet(concurrency int, k *keys.Credentials) (err error) {
	if err := errors.Join(l.registry.Register(l.queue), l.registry.Register(l.moves),
		ops.WatchKeys(l.registry, k)); err != nil {
		return err
	}
	l.work, err = ops.NewWorkerMetrics(l.registry, protocol.OwnWorker, concurrency)
	return err
}

// carries has the page show the run of a job.
func (l *live) carries(j *runs.Job) {
	if l.page != nil {
		l.page.Carry(explore.Live{Job: j, Status: l.report, Run: l.acquire})
	}
}

// took takes notice of a status.
func (l *live) took(s status.Status) {
	if l.told != nil {
		l.told(&s)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.status = &s
}

// latest is the last status, false before the first.
func (l *live) latest() (*status.Status, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.status, l.status != nil
}

// words says on whose word the windows of the complete run are; nil: it cannot be told. The ledger is read only where
// no status has come since the run is complete: reading it takes a twentieth of the time of a short run.
func (l *live) words(f *rundir.Folder) *trust.Words {
	if s, ok := l.latest(); ok && s.State == status.StateComplete && s.Words != nil {
		return s.Words
	}
	words, err := rundir.Words(f.Ledger, f.Ledger.Load)
	if err != nil {
		return nil
	}
	return words
}

// ended takes notice of the error that the process would end with.
func (l *live) ended(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = err
}

// computed takes notice of the results of the complete run.
func (l *live) computed(r runs.Result) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.result = r
}

// lent lets clients read a run, or, with nil, waits until the last reader is done.
func (l *live) lent(r *lentRun) {
	l.mu.Lock()
	l.lend = r
	l.mu.Unlock()
	if r == nil {
		l.users.Wait()
	}
}

// word is the answer of /readyz.
func (l *live) word() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.failed != nil:
		return "failed"
	case l.status == nil:
		return "starting"
	case l.status.QueueDown != "":
		return ops.QueueDown
	}
	return ""
}

// report is the answer of /v1/status.
func (l *live) report() api.Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := api.Status{Status: status.Status{State: stateStarting}, Result: l.result}
	if l.status != nil {
		s.Status = *l.status
	}
	if l.failed != nil {
		s.State, s.Error, s.Hint, s.Code = status.StateFailed, l.failed.Error(), cli.Advice(l.failed), cli.Code(l.failed)
		if s.Code == cli.Stopped {
			s.State = status.StateStopped
		}
	}
	return s
}

// stateStarting is the state of a process whose run has not begun.
const stateStarting = "starting"

// acquire lends the run until done is called.
func (l *live) acquire(bool) (s *runs.Stored, done func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.lend
	if r == nil {
		return nil, nil, cli.Hint(errors.New("there is no run to read at the moment"), "try again when it is complete")
	}
	l.users.Add(1)
	s = &runs.Stored{Job: r.Job, Folder: r.folder, Results: r.results}
	if r.coordinator != nil {
		s.Results = r.coordinator.Results()
		s.Remote = fleetRows(r.coordinator, r.fetcher)
	}
	return s, sync.OnceFunc(l.users.Done), nil
}
