package main

import (
	"errors"
	"fmt"
	"sync"

	"pagoda/internal/app/cli"
	"pagoda/internal/app/estimate"
	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/run/plan"
)

// parts divide the memory of a process among its runs. A run keeps its part until it ends.
type parts struct {
	mu   sync.Mutex
	left uint64 // bytes that no run has
}

// errNoRoom says that the runs that are served leave too little memory for another.
var errNoRoom = errors.New("other runs have the memory of this worker")

// reserve takes a run's part of the memory, until giveBack is called. Where the process serves one run, that gets all.
// Otherwise a run gets the memory that it has a use for, and at most three quarters of the free memory, so that the
// next run finds some. A run that does not fit in these gets the rest.
func (p *process) reserve(run string, pl *plan.Plan) (bytes uint64, giveBack func(), err error) {
	if p.oneRun() {
		return p.memory, func() {}, p.fits(run, pl, p.memory)
	}
	p.parts.mu.Lock()
	defer p.parts.mu.Unlock()
	left := p.parts.left
	bytes = min(estimate.Useful(pl, p.concurrency), left/4*3)
	if p.fits(run, pl, bytes) != nil {
		bytes = left
	}
	if err := p.fits(run, pl, bytes); err != nil {
		if p.fits(run, pl, p.memory) != nil {
			return 0, nil, err
		}
		return 0, nil, cli.Hint(fmt.Errorf("%w: it waits until one of them is over", errNoRoom),
			"give more --memory, or start another worker")
	}
	p.parts.left -= bytes
	return bytes, func() {
		p.parts.mu.Lock()
		defer p.parts.mu.Unlock()
		p.parts.left += bytes
	}, nil
}

// fits returns a refusal when a run cannot be computed with so many bytes.
func (p *process) fits(run string, pl *plan.Plan, bytes uint64) error {
	fetched := min(bytes, estimate.FetchedBytes(bytes))
	memory := bytes - fetched
	_, pred := estimate.Resources(pl, p.concurrency, plan.RetainAll, max(1, memory))
	err := pred.Check(max(1, memory), 0, "")
	if err == nil {
		return nil
	}
	return refuse(
		&cli.UsageError{Err: fmt.Errorf("run %s: %w", run, err)},
		fmt.Sprintf("give more --memory: of its %s, %s keep windows of other workers",
			quantity.Bytes(bytes), quantity.Bytes(fetched)),
	)
}
