// Package turns divides the processors of a worker among the runs that it serves.
//
// Every run has a weight, and gets processor time in proportion to it as long as it has work. Other runs use the time
// that it leaves. A window holds a processor while it is computed:
//
//	run := all.Join(weight)
//	turn, err := run.Take(ctx, alive) // waits
//	...
//	turn.Pass(ctx)                    // often, between two pieces of work
//	turn.End()
//
// It is start-time fair queueing (Goyal, Vin and Cheng 1996) with a quantum: the run that waits and has had the least
// time by its weight is next. A run that returns after a pause has no claim to the time that it left, but for a second.
package turns

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// quantum is how far a run of weight 1 gets ahead of a waiting one before it passes a processor on.
	quantum = 20 * time.Millisecond
	// credit is the processor time by which a run of weight 1 may be behind when it takes up work: between two windows it
	// has none for a moment, and must not lose for it what others are ahead.
	credit = time.Second
	// alivePeriod is how often one that waits says that it is alive.
	alivePeriod = 2 * time.Second
)

// Processors are shared by runs. Safe for concurrent use.
type Processors struct {
	now    func() time.Time
	base   time.Time
	queued atomic.Int64 // len(waiting)

	mu      sync.Mutex
	free    int
	waiting []*wait // in the order in which they came
	level   int64   // the most that a run had had when it was given a processor
}

// New returns n processors. now is the clock.
func New(n int, now func() time.Time) *Processors {
	return &Processors{now: now, base: now(), free: n}
}

// A Run is a run's claim on the processors. The nil Run shares with none, and never waits.
type Run struct {
	all    *Processors
	weight int64

	// Guarded by all.mu.
	used    int64 // processor time of ended turns, weighted: nanoseconds / weight
	turns   int64 // that it has now
	since   int64 // sum of their beginnings, nanoseconds after base
	waiting int
}

// wait is a window that waits for a processor.
type wait struct {
	run   *Run
	got   chan struct{}
	since int64 // when it got one
}

// Join adds a run with a weight of at least 1. It ends with its last turn.
func (p *Processors) Join(weight uint64) *Run { return &Run{all: p, weight: int64(weight)} }

// clock is the time in nanoseconds.
func (p *Processors) clock() int64 { return int64(p.now().Sub(p.base)) }

// had is the weighted time that the run has had.
func (r *Run) had(now int64) int64 { return r.used + (r.turns*now-r.since)/r.weight }

// A Turn holds a processor for a run.
type Turn struct {
	run   *Run
	since int64
	held  bool
	alive func()
}

// Take waits for a processor, and calls alive meanwhile. The error is that of ctx.
func (r *Run) Take(ctx context.Context, alive func()) (*Turn, error) {
	t := &Turn{run: r, alive: alive}
	if r == nil {
		return t, nil
	}
	p := r.all
	p.mu.Lock()
	if r.turns == 0 && r.waiting == 0 {
		r.used = max(r.used, p.level-int64(credit))
	}
	w := p.line(r)
	p.grant()
	p.mu.Unlock()
	return t, t.wait(ctx, w)
}

// line puts a run in line.
func (p *Processors) line(r *Run) *wait {
	w := &wait{run: r, got: make(chan struct{})}
	p.waiting = append(p.waiting, w)
	p.queued.Store(int64(len(p.waiting)))
	r.waiting++
	return w
}

// next returns the place in line of the run with the least time, -1 where none waits.
func (p *Processors) next(now int64) (at int) {
	at = -1
	for i, w := range p.waiting {
		if at < 0 || w.run.had(now) < p.waiting[at].run.had(now) {
			at = i
		}
	}
	return at
}

// grant gives free processors to those in line.
func (p *Processors) grant() {
	for p.free > 0 && len(p.waiting) > 0 {
		now := p.clock()
		w := p.waiting[p.next(now)]
		p.leave(w)
		p.level = max(p.level, w.run.had(now))
		w.run.turns++
		w.run.since += now
		w.since = now
		p.free--
		close(w.got)
	}
}

// leave takes a wait out of the line.
func (p *Processors) leave(w *wait) {
	for i := range p.waiting {
		if p.waiting[i] == w {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			break
		}
	}
	p.queued.Store(int64(len(p.waiting)))
	w.run.waiting--
}

// wait waits until a place in line gets its processor.
func (t *Turn) wait(ctx context.Context, w *wait) error {
	t.held = false
	tick := time.NewTicker(alivePeriod)
	defer tick.Stop()
	for {
		select {
		case <-w.got:
			t.since, t.held = w.since, true
			return nil
		case <-tick.C:
			t.alive()
		case <-ctx.Done():
			p := t.run.all
			p.mu.Lock()
			defer p.mu.Unlock()
			select {
			case <-w.got: // in the same moment
				t.since = w.since
				p.end(t)
			default:
				p.leave(w)
			}
			return ctx.Err()
		}
	}
}

// end gives a turn's processor to the next run.
func (p *Processors) end(t *Turn) {
	r, now := t.run, p.clock()
	r.used += (now - t.since) / r.weight
	r.turns--
	r.since -= t.since
	p.free++
	p.grant()
}

// Pass lets another run have the processor when that has a better claim, and waits until it is this one's turn again.
// When ctx ends first, the turn has no processor any more.
func (t *Turn) Pass(ctx context.Context) {
	if !t.held || t.run.all.queued.Load() == 0 {
		return
	}
	p, r := t.run.all, t.run
	p.mu.Lock()
	now := p.clock()
	if i := p.next(now); i < 0 || p.waiting[i].run.had(now)+int64(quantum)/r.weight > r.had(now) {
		p.mu.Unlock()
		return
	}
	p.end(t)
	w := p.line(r)
	p.grant() // it may be the best claim all the same, when several processors are passed on
	p.mu.Unlock()
	_ = t.wait(ctx, w) // the computation hears of it from ctx
}

// End gives the processor back.
func (t *Turn) End() {
	if !t.held {
		return
	}
	t.held = false
	p := t.run.all
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end(t)
}
