package coordinator

import (
	"context"
	"crypto/rand"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/assignment"
	"pagoda/internal/run/coordinator/doubt"
	"pagoda/internal/run/coordinator/failures"
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
	loop

	run      string
	instance string // tells this process from others of the run
	o        Options
	fleet    FleetOptions
	ledger   Ledger
	queue    protocol.TaskQueue

	// These parts decide, each about its subject. They are told everything, and change nothing but themselves.
	plan     *plan.Plan          // windows: which are known, ready, held
	members  *membership.Members // workers: which take part
	account  *assignment.Account // tasks and copies that are out, and the rates of work
	doubt    *doubt.Doubt        // words that are not believed
	failures *failures.Failures  // of windows: which worker has each next, and until when

	own       ownWork // windows that the coordinator computes itself
	archive   archive
	dropping  dropping
	waiting   waiting
	disks     disks
	times     times
	counts    counts
	heldBack  bool   // the last dispatch has left windows to their owners
	queueDown string // why the queue could not be used when it was last tried; "" when it could
}

// times are those of the latest events.
type times struct {
	begun  time.Time
	idle   time.Time // since when a worker has had nothing to do, while others have windows in hand
	report time.Time // when a window was last committed
	worker time.Time // when there was a worker that can be given tasks
	barred time.Time // when a worker that is put out last asked to join
	copies time.Time // since when nothing but copies has been left
}

// counts are for the status of the run.
type counts struct {
	layers      int    // announced as done
	workersLost int    // so far
	audits      int    // windows that were audited
	movedBytes  uint64 // predicted, see Committed.Moved
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
	if o.Costs == nil {
		o.Costs = NewCosts()
	}
	fleet := o.Fleet.withDefaults()
	c := &Coordinator{
		loop: newLoop(), run: run, instance: rand.Text(), o: o, fleet: fleet, ledger: l, queue: q,
		plan: p, members: membership.New(fleet.WorkerTimeout, o.Now(), o.Costs),
		account: assignment.NewAccount(rand.Text()[:8]),
		doubt:   doubt.New(o.Epoch), failures: failures.New(), own: newOwnWork(),
	}
	return c
}

// Locate implements Locator.
func (c *Coordinator) Locate(_ context.Context, reader puzzle.Cell) ([]protocol.Located, error) {
	return c.plan.Locate(c.run, reader)
}

// begin makes everything pending that is not done and assigns the first tasks.
func (c *Coordinator) begin(ctx context.Context) error {
	p := c.plan
	c.ctx = ctx
	c.times.begun = c.o.Now()
	c.times.worker = c.times.begun
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
	if err := c.loadDoubt(); err != nil {
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
		c.dropping.add(cell)
	}
	return c.proceed(ctx)
}

// proceed does what a change of the plan calls for.
func (c *Coordinator) proceed(ctx context.Context) error {
	if !c.running() {
		return nil
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
				c.dropping.add(cell)
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
		Layers:    len(p.PlannedLayers),
		Cells:     p.CellCount,
		Windows:   p.WindowCount,
		Addresses: p.AddressCount,
		Complete:  p.Decided,
	})
}

// announceLayers says which layers have been completed, in order of their numbers.
func (c *Coordinator) announceLayers() {
	for ; c.counts.layers < len(c.plan.PlannedLayers); c.counts.layers++ {
		l := c.plan.PlannedLayers[c.counts.layers]
		if l.Done < l.Windows {
			return
		}
		call(c.o.Events.LayerDone, LayerDone{Layer: c.counts.layers, Windows: l.Windows, Rows: l.Rows, Bytes: l.Bytes})
	}
}

// call calls a callback that may be nil.
func call[T any](fn func(T), v T) {
	if fn != nil {
		fn(v)
	}
}
