package coordinator

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"pagoda/internal/run/protocol"
)

// loop is the goroutine that leads a run, and the ways to it.
type loop struct {
	// ctx lives as long as the loop. Work that a message starts uses ctx: the sender may stop waiting earlier.
	ctx     context.Context //nolint:containedctx // of the loop and of the goroutines that it starts
	inbox   chan pendingReport
	calls   chan func()
	ended   chan struct{}  // closed when the loop has ended
	over    chan struct{}  // closed when the run is finished or has failed
	err     error          // why it failed; set before over is closed
	helpers sync.WaitGroup // goroutines that bring their findings to calls
	leaving atomic.Bool    // the workers of a complete run are not kept any more
}

// pendingReport is a report that waits for its answer.
type pendingReport struct {
	report protocol.Report
	answer chan<- protocol.Reply
}

func newLoop() loop {
	return loop{
		inbox: make(chan pendingReport), calls: make(chan func()), ended: make(chan struct{}), over: make(chan struct{}),
	}
}

// do has the loop carry out fn and waits for it. ok is false when the coordinator has ended.
func (l *loop) do(ctx context.Context, fn func()) (ok bool) {
	done := make(chan struct{})
	select {
	case <-ctx.Done():
		return false
	case <-l.ended:
		return false
	case l.calls <- func() { fn(); close(done) }:
	}
	select {
	case <-done: // the loop carries out what it has taken
		return true
	case <-l.ended:
	}
	// It may have carried this out last of all: a worker that has been told that the run is over would not hear of it
	// otherwise.
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// handle passes a report to the loop and waits for its answer.
func (l *loop) handle(ctx context.Context, r protocol.Report) protocol.Reply {
	answer := make(chan protocol.Reply, 1)
	select {
	case <-ctx.Done():
	case l.inbox <- pendingReport{report: r, answer: answer}:
		select {
		case <-ctx.Done():
		case reply := <-answer:
			return reply
		}
	}
	return protocol.Reply{Rejoin: true} // a successor will answer the report
}

// gather takes the reports that have arrived besides the first, so that one sync of the ledger serves them all.
func (l *loop) gather(first pendingReport) []pendingReport {
	reports := []pendingReport{first}
	for {
		select {
		case r := <-l.inbox:
			reports = append(reports, r)
		default:
			return reports
		}
	}
}

func (l *loop) running() bool {
	select {
	case <-l.over:
		return false
	default:
		return true
	}
}

// stop ends the run when err is not nil.
func (l *loop) stop(run string, err error) {
	if err != nil && l.running() {
		l.err = fmt.Errorf("run %s: %w", run, err)
		close(l.over)
	}
}

// Over is closed when nothing is left to do or the run has failed.
func (l *loop) Over() <-chan struct{} { return l.over }

// Err says why the run failed, and nil while it goes on or when it is finished.
func (l *loop) Err() error {
	select {
	case <-l.over:
		return l.err
	default:
		return nil
	}
}

// Release ends the lingering of a complete run.
func (l *loop) Release() { l.leaving.Store(true) }

// Finished reports whether the run is over and complete.
func (l *loop) Finished() bool { return !l.running() && l.err == nil }

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
		c.lead(ctx)
		return nil
	})
	err := g.Wait()
	return errors.Join(c.Err(), err)
}

// lead alone changes the plan and writes the ledger.
func (c *Coordinator) lead(ctx context.Context) {
	defer c.helpers.Wait()
	defer close(c.ended)
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
		case r := <-c.inbox:
			c.receive(ctx, c.gather(r))
		}
	}
}

// stopOn ends the run when err is not nil.
func (c *Coordinator) stopOn(err error) { c.stop(c.run, err) }
