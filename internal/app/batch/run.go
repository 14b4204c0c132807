package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"pagoda/internal/app/cli"
	"pagoda/internal/kv"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/status"
)

// Options say how a batch is carried out.
type Options struct {
	// Carry carries out the run of one member. It is called from as many goroutines as members run at a time.
	Carry func(context.Context, *Member) error
	// Retry has members that have failed earlier tried again.
	Retry bool
	// Begun is called once, before the first member is carried out, by the process that has the folder. Its error ends
	// the batch.
	Begun func(Tally) error
	// Ended is called after each member that was carried out, one at a time; err says why it has failed.
	Ended func(m *Member, t Tally, err error)
}

// A Tally is how many members are complete or have failed.
type Tally struct {
	Members, Complete int
	Failed            []string // names
}

// A runner carries a batch out.
type runner struct {
	*Batch
	Options
	end context.CancelCauseFunc

	mu     sync.Mutex
	left   []*Member // in their order
	tally  Tally
	failed map[string]failure
}

// Run carries out the members that are not complete, in their order. A member that fails is set aside, and others go
// on. An error that others would meet too stops the batch: the end of ctx, a full disk, a folder in use.
func (b *Batch) Run(ctx context.Context, o Options) (Tally, error) {
	if err := os.MkdirAll(b.Dir, 0o755); err != nil {
		return Tally{}, cli.AdviseFolder(err, b.Dir)
	}
	lock, err := kv.Lock(b.Dir)
	if err != nil {
		return Tally{}, cli.AdviseFolder(err, b.Dir)
	}
	defer func() { _ = lock.Close() }() // the folders of the members have locks of their own
	r := &runner{Batch: b, Options: o}
	if err := r.sort(ctx); err != nil {
		return r.tally, err
	}
	if err := r.Begun(r.tally); err != nil {
		return r.tally, err
	}
	ctx, r.end = context.WithCancelCause(ctx)
	defer r.end(nil)
	var all sync.WaitGroup
	for range min(b.AtATime, len(r.left)) {
		all.Go(func() { r.work(ctx) })
	}
	all.Wait()
	n := len(r.tally.Failed)
	if err := context.Cause(ctx); err != nil && r.tally.Complete+n < r.tally.Members {
		return r.tally, r.stopped(err)
	}
	if n > 0 {
		return r.tally, cli.Hint(fmt.Errorf("%w: %d of %s: %s", cli.ErrSomeFailed, n, plural.Of(len(b.Members), "member"),
			strings.Join(r.tally.Failed, ", ")), "batch status has the reasons; --retry-failed tries them again")
	}
	return r.tally, nil
}

// sort tells the members that are left from those that are complete or set aside.
func (r *runner) sort(ctx context.Context) error {
	standings, failed, err := r.standings(ctx)
	if err != nil {
		return err
	}
	r.failed = failed
	r.tally.Members = len(r.Members)
	for i, s := range standings {
		switch {
		case s.State == status.StateComplete:
			r.tally.Complete++
		case s.State == status.StateFailed && !r.Retry:
			r.tally.Failed = append(r.tally.Failed, s.Member)
		default:
			r.left = append(r.left, r.Members[i])
		}
	}
	return nil
}

// work carries out one member after the other.
func (r *runner) work(ctx context.Context) {
	for ctx.Err() == nil {
		r.mu.Lock()
		if len(r.left) == 0 {
			r.mu.Unlock()
			return
		}
		m := r.left[0]
		r.left = r.left[1:]
		r.mu.Unlock()
		r.ended(ctx, m, r.Carry(ctx, m))
	}
}

// ended takes notice of the end of a member.
func (r *runner) ended(ctx context.Context, m *Member, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil && err != nil {
		return // it was stopped with the batch
	}
	if stopsAll(err) {
		r.end(fmt.Errorf("member %s: %w", m.Name, err))
		return
	}
	was := len(r.failed)
	if err == nil {
		r.tally.Complete++
		delete(r.failed, m.Name)
	} else {
		r.tally.Failed = append(r.tally.Failed, m.Name)
		r.failed[m.Name] = failure{m.ID, err.Error()}
	}
	if err != nil || was != len(r.failed) {
		if err := r.writeFailures(r.failed); err != nil {
			r.end(fmt.Errorf("list of failures: %w", err))
			return
		}
	}
	t := r.tally
	t.Failed = slices.Clone(t.Failed)
	r.Ended(m, t, err)
}

// A PoolError says that the queue or the archive, which the members share, cannot be used.
type PoolError struct{ Err error }

func (e *PoolError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *PoolError) Unwrap() error { return e.Err }

// stopsAll reports whether an error of one member would be that of every other.
func stopsAll(err error) bool {
	var lack *plan.ResourceError
	var pool *PoolError
	return errors.Is(err, cli.ErrInterrupted) || errors.Is(err, cli.ErrTerminated) || errors.Is(err, kv.ErrLocked) ||
		errors.Is(err, coordinator.ErrFenced) || cli.DiskFull(err) || errors.As(err, &pool) ||
		errors.As(err, &lack) && lack.What == "disk"
}

// stopped adds to the error that has ended the batch how far it is.
func (r *runner) stopped(err error) error {
	hint := cli.Advice(err)
	if errors.Is(err, cli.ErrInterrupted) || errors.Is(err, cli.ErrTerminated) {
		hint = "run the same command again to resume"
	}
	return cli.Hint(fmt.Errorf("%w: %d of %s complete", err, r.tally.Complete, plural.Of(r.tally.Members, "member")), hint)
}
