package coordinator

import (
	"context"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
)

// A Stepper is a coordinator that is driven event by event, on its caller's goroutine and by the caller's clock
// (Options.Now): the same decisions as those of Coordinator.Run, in an order that the caller chooses. It is for
// simulations.
type Stepper struct{ c *Coordinator }

// NewStepper is New for a simulation. q takes the submitted tasks; its Serve is not called.
func NewStepper(run string, p *plan.Plan, l Ledger, q protocol.TaskQueue, o Options) *Stepper {
	return &Stepper{New(run, p, l, q, o)}
}

// Recompute has the coordinator compute windows itself, one at a time, as with Options.Recompute: it calls begin with a
// window, which returns at once, and goes on without the result until Recomputed brings it. It is called before Begin.
func (s *Stepper) Recompute(begin func(puzzle.Window)) {
	s.c.own.begin = begin
	s.c.o.Recompute = func(context.Context, puzzle.Window, protocol.Locator) (kv.Record, *protocol.Failure) {
		panic("a stepper does not compute")
	}
}

// Recomputed takes the record of the window that the coordinator has begun to compute.
func (s *Stepper) Recomputed(ctx context.Context, rec kv.Record) {
	s.c.endOwn(ctx, rec.ID(), &rec, nil)
}

// Begin starts the coordinator, as Run does.
func (s *Stepper) Begin(ctx context.Context) {
	s.c.stopOn(s.c.begin(ctx))
}

// Join takes one page of a worker's inventory.
func (s *Stepper) Join(ctx context.Context, j protocol.Join) protocol.JoinResponse {
	return s.c.join(ctx, &j)
}

// Reports takes reports that have arrived together, and returns the answers in their order.
func (s *Stepper) Reports(ctx context.Context, reports []protocol.Report) []protocol.Reply {
	answers := make([]chan protocol.Reply, len(reports))
	pending := make([]pendingReport, len(reports))
	for i, r := range reports {
		answers[i] = make(chan protocol.Reply, 1)
		pending[i] = pendingReport{report: r, answer: answers[i]}
	}
	s.c.receive(ctx, pending)
	out := make([]protocol.Reply, len(reports))
	for i := range answers {
		out[i] = <-answers[i]
	}
	return out
}

// Over reports whether the run has come to its end, and why if it has failed.
func (s *Stepper) Over() (over bool, err error) { return !s.c.running(), s.c.Err() }
