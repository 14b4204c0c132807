package coordinator

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/assignment"
	"pagoda/internal/run/coordinator/attempt"
	"pagoda/internal/run/coordinator/membership"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/trust"
)

// Costs holds the time that workers have cost a run, see membership.Costs.
type Costs = membership.Costs

// NewCosts returns those of a run in which no time has been lost.
func NewCosts() *Costs { return membership.NewCosts() }

// Options tune a coordinator. The zero value is usable.
type Options struct {
	Retention plan.Retention // "" is plan.RetainAll
	// MaxAttempts is how often a window may fail before the run stops; 0 says 3. Windows that fail because a parent is
	// missing do not count.
	MaxAttempts int
	// TaskTime is the computing time that a task should take: small windows are assigned together until their predicted
	// work takes about as long. For 0 it is 20 ms: the price of a task in the queue (about 0.1 ms) is small against that.
	TaskTime time.Duration
	// WatchEvery is how often the queue is compared with the tasks that should be in it; 0 says 5 s.
	WatchEvery time.Duration
	Damage     string // for the Resumed event
	Events     Events
	// Epoch is the epoch that [kv.Ledger.RaiseEpoch] has returned for this coordinator.
	Epoch uint64
	// AuditFraction is the share of windows, 0 to 1, that are computed a second time and compared. When it is not 0, the
	// first windows of every party are too.
	AuditFraction float64
	// AuditAlone makes the coordinator compute all audits itself: then no worker is trusted with any.
	AuditAlone bool
	// LeastAudits are the least shares of audits in the life of the run, for its status; nil: not on record.
	LeastAudits *trust.Shares
	// Recomputers is how many windows Recompute computes at a time; 0 says 1.
	Recomputers int
	// Recompute computes one window and keeps nothing: with it the coordinator decides where workers, or the flows of two
	// cells, contradict each other. nil: the run stops then.
	Recompute func(context.Context, puzzle.Window, protocol.Locator) (kv.Record, *protocol.Failure)
	// Check reads a copy of a window, its only holder's, and compares it with its record; errors are those of
	// protocol.Fetcher. With it the coordinator tests the word of a worker that could not read a parent. nil: that worker
	// is believed.
	Check func(context.Context, protocol.LocatedWindow) error
	// Refused are the workers that coordinators before this one have refused in the life of this process, and Costs the
	// time that workers have cost so far; nil begins anew.
	Refused []kv.Refusal
	Costs   *Costs
	// MaxLosses is how often the rows of one window may be lost before the run stops with a DamagedError; 0 sets no limit.
	// A limit makes sense where one disk holds everything: computing the window elsewhere is then no way out.
	MaxLosses int
	Fleet     FleetOptions
	// Now tells the time; nil is time.Now.
	Now func() time.Time
}

// A Coordinator drives one run: it assigns ready windows, writes reports to the ledger, and answers workers only when
// the ledger is synced.
type Coordinator struct {
	run    string
	plan   *plan.Plan
	ledger Ledger
	queue  protocol.TaskQueue
	o      Options

	// ctx lives as long as the loop. Work that a message starts uses ctx: the sender may stop waiting earlier.
	ctx   context.Context //nolint:containedctx // of the loop and of the goroutines that it starts
	inbox chan pendingReport
	calls chan func()
	ended chan struct{} // closed when the loop has ended
	over  chan struct{} // closed when the run is finished or has failed
	err   error         // why it failed; set before over is closed

	account   *assignment.Account // of tasks
	copies    assignment.Copies   // that further workers should hold
	rate      assignment.Rate
	rates     map[string]*assignment.Rate // by worker
	heldBack  bool                        // the last dispatch has left windows to their owners
	dropping  []*plan.Cell                // cells for the retention policy to look at
	dropBytes uint64                      // about their superfluous bytes
	layers    int                         // layers announced as done

	fleet       FleetOptions
	instance    string // tells this process from others of the run
	members     *membership.Members
	workersLost int       // so far
	idleSince   time.Time // since when a worker has had nothing to do, while others have windows in hand

	failures    map[puzzle.WindowID]*failureHistory
	retries     []retryAt
	quarantine  []Quarantined
	audits      int               // windows that were audited
	auditsDue   []puzzle.WindowID // audits that another coordinator has left, of layers that are not planned yet
	movedBytes  uint64            // predicted, see Committed.Moved
	begun       time.Time
	returned    bool                       // all holders on record at the start have come back
	queueDown   bool                       // the queue was away when it was last used
	marker      *attempt.Marker            // of attempts
	refused     map[string]kv.Refusal      // by party
	suspects    map[puzzle.WindowID]uint64 // see kv.Ledger.Suspects
	recompute   recomputation
	checks      checks
	archive     archive
	waiting     waiting
	lastReport  time.Time // when a window was last committed
	lastWorker  time.Time // when there was a worker that can be given tasks
	lastBarred  time.Time // when a worker that is put out last asked to join
	copiesSince time.Time // since when nothing but copies has been left
	recomputers sync.WaitGroup
	leaving     atomic.Bool // the workers of a complete run are not kept any more
}

// pendingReport is a report that waits for its answer.
type pendingReport struct {
	report protocol.Report
	answer chan<- protocol.Reply
	// refused counts the windows of the report that were passed over, and why is the reason of the first.
	refused int
	why     string
}

// New returns the coordinator of a run whose plan has been loaded from the ledger, see Plan.Load.
func New(run string, p *plan.Plan, l Ledger, q protocol.TaskQueue, o Options) *Coordinator {
	if o.Retention == "" {
		o.Retention = plan.RetainAll
	}
	if o.MaxAttempts == 0 {
		o.MaxAttempts = 3
	}
	if o.TaskTime == 0 {
		o.TaskTime = 20 * time.Millisecond
	}
	o.Recomputers = max(1, o.Recomputers)
	if o.WatchEvery == 0 {
		o.WatchEvery = 5 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &Coordinator{
		run: run, plan: p, ledger: l, queue: q, o: o,
		inbox: make(chan pendingReport), calls: make(chan func()), ended: make(chan struct{}), over: make(chan struct{}),
		rate: assignment.Rate{NsPerWork: guessNsPerWork}, account: assignment.NewAccount(rand.Text()[:8]),
		rates:    map[string]*assignment.Rate{},
		failures: make(map[puzzle.WindowID]*failureHistory), fleet: o.Fleet.withDefaults(), instance: rand.Text(),
		refused: make(map[string]kv.Refusal), recompute: newRecomputation(), marker: attempt.NewMarker(nil),
	}
	if o.Costs == nil {
		o.Costs = NewCosts()
	}
	c.members = membership.New(c.fleet.WorkerTimeout, o.Now(), o.Costs)
	return c
}

// Over is closed when nothing is left to do or the run has failed.
func (c *Coordinator) Over() <-chan struct{} { return c.over }

// Err says why the run failed, and nil while it goes on or when it is finished.
func (c *Coordinator) Err() error {
	select {
	case <-c.over:
		return c.err
	default:
		return nil
	}
}

// Locate implements Locator.
func (c *Coordinator) Locate(_ context.Context, reader puzzle.Cell) ([]protocol.Located, error) {
	return c.plan.Locate(c.run, reader)
}

// Run drives the run until ctx is done. It goes on answering workers after the run is over (see Over), so that they
// can settle what they have in hand; a caller ends its workers first and then ctx. It returns Err, or an error of the
// queue.
func (c *Coordinator) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		if err := c.queue.Serve(ctx, c.handle); err != nil {
			return fmt.Errorf("run %s: %w", c.run, err)
		}
		return nil
	})
	g.Go(func() error {
		c.loop(ctx)
		return nil
	})
	err := g.Wait()
	return errors.Join(c.Err(), err)
}

// handle passes a report to the loop and waits for its answer.
func (c *Coordinator) handle(ctx context.Context, r protocol.Report) protocol.Reply {
	answer := make(chan protocol.Reply, 1)
	select {
	case <-ctx.Done():
	case c.inbox <- pendingReport{report: r, answer: answer}:
		select {
		case <-ctx.Done():
		case reply := <-answer:
			return reply
		}
	}
	return protocol.Reply{Rejoin: true} // a successor will answer the report
}

// loop alone changes the plan and writes the ledger.
func (c *Coordinator) loop(ctx context.Context) {
	defer c.recomputers.Wait()
	defer close(c.ended)
	c.ctx = ctx
	c.begun = c.o.Now()
	c.lastWorker = c.begun
	c.stopOn(c.begin(ctx))
	watch := time.NewTicker(c.o.WatchEvery)
	defer watch.Stop()
	ticker := time.NewTicker(tickInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-watch.C:
			if c.running() {
				c.stopOn(c.watch(ctx))
			}
		case <-ticker.C:
			if c.running() {
				c.stopOn(c.tick(ctx, c.o.Now()))
			} else if c.lingering() {
				c.evictMembers(c.o.Now())
			}
		case fn := <-c.calls:
			fn()
		case l := <-c.inbox:
			c.receive(ctx, c.gather(l))
		}
	}
}

// gather takes the reports that have arrived besides the first, so that one sync of the ledger serves them all.
func (c *Coordinator) gather(first pendingReport) []pendingReport {
	reports := []pendingReport{first}
	for {
		select {
		case l := <-c.inbox:
			reports = append(reports, l)
		default:
			return reports
		}
	}
}

// receive settles reports and answers them.
func (c *Coordinator) receive(ctx context.Context, reports []pendingReport) {
	taken := reports[:0]
	for _, l := range reports {
		if reply, away := c.rejectReport(&l.report); away {
			l.answer <- reply
			continue
		}
		taken = append(taken, l)
	}
	if len(taken) == 0 {
		return
	}
	c.countLate(c.o.Now())
	c.stopOn(c.commitReports(ctx, taken))
	for i := range taken {
		l := &taken[i]
		reply := c.reply(&l.report)
		if l.refused > 0 && reply.Error == "" && !reply.Rejoin {
			reply.Refused = fmt.Sprintf("%d windows, the first: %s", l.refused, l.why)
		}
		l.answer <- reply
	}
	if c.running() {
		c.stopOn(c.finish(ctx))
	}
}

// reply answers a report that was taken.
func (c *Coordinator) reply(r *protocol.Report) protocol.Reply {
	switch {
	case c.succeeded():
		return protocol.Reply{Rejoin: true}
	case c.err != nil:
		_, text := c.outcome(r.Worker)
		return protocol.Reply{Error: text, Stop: true}
	}
	stop, _ := c.outcome(r.Worker)
	return protocol.Reply{Stop: stop}
}

// commitReports brings reports to the ledger and to the plan.
//
// While the ledger syncs, the children that have become ready are assigned already, which halves the time that a
// chain of windows waits for disks. Nothing can come of it that the ledger would have to take back: a child's record
// is written after those of its parents, and if this write fails the run stops before any answer.
func (c *Coordinator) commitReports(ctx context.Context, reports []pendingReport) error {
	s, err := c.sift(reports)
	if err != nil {
		return err
	}
	entries, audits := c.entries(reports, s)
	written := make(chan error, 1)
	go func() { written <- c.write(entries, audits, reports) }()
	news, err := c.apply(reports, s)
	if err == nil && c.running() {
		c.pursueClaims()
		err = c.advance(ctx)
	}
	// The ledger's error about a conflict is clearer than the errors that follow from it.
	if err := errors.Join(<-written, err); err != nil {
		return err
	}
	for _, n := range news {
		call(c.o.Events.Committed, n)
	}
	if len(s.guilty) > 0 {
		return c.refuse(s.guilty, nil)
	}
	return nil
}

func (c *Coordinator) running() bool {
	select {
	case <-c.over:
		return false
	default:
		return true
	}
}

// stopOn ends the run when err is not nil.
func (c *Coordinator) stopOn(err error) {
	if err != nil && c.running() {
		c.err = fmt.Errorf("run %s: %w", c.run, err)
		close(c.over)
	}
}

// begin makes everything pending that is not done and assigns the first tasks.
func (c *Coordinator) begin(ctx context.Context) error {
	p := c.plan
	reused := Resumed{Run: c.run, Windows: p.CommittedCount, Damage: c.o.Damage}
	for _, pr := range p.Progress() {
		reused.Rows += pr.Rows
		reused.Bytes += pr.Bytes
	}
	for _, cell := range p.Index {
		for i := range cell.Parts {
			if w := &cell.Parts[i]; w.Committed && w.Replicas == 0 && w.State != plan.WindowAwaited {
				reused.Absent++
			}
		}
	}
	var err error
	if err = c.loadTrust(); err != nil {
		return err
	}
	if c.auditsDue, err = c.ledger.AuditsDue(); err != nil {
		return err
	}
	for _, e := range p.FlowErrors {
		if !c.suspectEdge(e) {
			return e
		}
	}
	if err := c.resumeAudits(0); err != nil {
		return err
	}
	// A finished run is not begun again because its workers have gone home.
	if !p.Complete() || p.PendingCount > 0 || c.fleet.Closed {
		reused.Again = c.wantLost(reused.Absent + p.AwaitedCount)
	} else {
		p.StopAwaiting()
		c.listArchive() // for readers
	}
	reused.Left = p.PendingCount
	call(c.o.Events.Resumed, reused)
	c.announcePlan()
	for _, cell := range p.Index {
		c.dropping = append(c.dropping, cell)
	}
	if err := c.advance(ctx); err != nil {
		return err
	}
	return c.finish(ctx)
}

// advance plans the layers that have become known and assigns the ready windows.
func (c *Coordinator) advance(ctx context.Context) error {
	p := c.plan
	if known := len(p.PlannedLayers); !p.Decided {
		if err := p.Extend(); err != nil {
			return err
		}
		if err := c.resumeAudits(known); err != nil {
			return err
		}
		for n := known; n < len(p.PlannedLayers); n++ {
			p.WantLayer(c.o.Retention, n)
		}
		if len(p.PlannedLayers) > known || p.Decided {
			c.announcePlan()
		}
		if p.Decided {
			// Only a decided plan shows which cells will have no reader.
			for _, cell := range p.Index {
				c.dropping = append(c.dropping, cell)
			}
		}
	}
	if p.Finished() {
		return nil
	}
	return c.dispatch(ctx)
}

// finish does the work that has to wait for the ledger: it tells of complete layers, drops rows, asks for copies, and
// ends the run.
func (c *Coordinator) finish(ctx context.Context) error {
	c.announceLayers()
	if err := c.drop(); err != nil {
		return err
	}
	if err := c.submitCopies(ctx); err != nil {
		return err
	}
	if c.plan.Finished() && !c.awaitCopies() {
		close(c.over)
	}
	return nil
}

func (c *Coordinator) announcePlan() {
	p := c.plan
	call(c.o.Events.Planned, Planned{
		Layers: len(
			p.PlannedLayers,
		),
		Cells:     p.CellCount,
		Windows:   p.WindowCount,
		Addresses: p.AddressCount,
		Complete:  p.Decided,
	})
}

// announceLayers says which layers have been completed, in order of their numbers.
func (c *Coordinator) announceLayers() {
	for ; c.layers < len(c.plan.PlannedLayers); c.layers++ {
		l := c.plan.PlannedLayers[c.layers]
		if l.Done < l.Windows {
			return
		}
		call(c.o.Events.LayerDone, LayerDone{Layer: c.layers, Windows: l.Windows, Rows: l.Rows, Bytes: l.Bytes})
	}
}

// call calls a callback that may be nil.
func call[T any](fn func(T), v T) {
	if fn != nil {
		fn(v)
	}
}
