package engine_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/protocol"
)

// hostile is a worker that behaves as one of the fleet, except in the functions set here. It has a worker's key: it can
// send any message, under any name, and knows all that workers are told.
type hostile struct {
	// computes changes its computations.
	computes func(p *wrapped)
	// reports changes a report, and returns what is sent in its place; the last is answered for.
	reports func(x *attacker, r protocol.Report) []protocol.Report
	beats   func(b *protocol.Heartbeat)
	joins   func(x *attacker, j *protocol.Join)
	// serves returns the error that a reader of its windows gets.
	serves func(reader string, w protocol.LocatedWindow) error
	// floods sends further messages, from a goroutine of its own.
	floods func(x *attacker)
}

// attacker is a hostile worker at work.
type attacker struct {
	*hostile
	ctx    context.Context
	y      *cluster
	name   string
	queue  protocol.WorkQueue
	client protocol.CoordinatorClient

	mu       sync.Mutex
	last     string // the attempt of another window
	reported int    // reports so far
}

// attack puts the attacker between a worker and the rest.
func (x *hostile) attack(
	ctx context.Context, y *cluster, name string, p puzzle.Puzzle, q protocol.WorkQueue, c protocol.CoordinatorClient,
) (puzzle.Puzzle, protocol.WorkQueue, protocol.CoordinatorClient) {
	a := &attacker{
		hostile: x, ctx: ctx, y: y, name: name, queue: q, client: c,
	}
	if x.computes != nil {
		if w, ok := p.(*wrapped); ok {
			p = w.Puzzle // it takes no time
		}
		w := wrap(p)
		x.computes(w)
		p = w
	}
	if x.floods != nil {
		go x.floods(a)
	}
	return p, attackedQueue{a}, attackedClient{c, a}
}

type attackedQueue struct{ x *attacker }

func (q attackedQueue) Next(ctx context.Context) (protocol.Delivery, error) {
	return q.x.queue.Next(ctx)
}

func (q attackedQueue) Report(ctx context.Context, r protocol.Report) (reply protocol.Reply, err error) {
	all := []protocol.Report{r}
	if q.x.reports != nil {
		all = q.x.reports(q.x, r)
	}
	if len(all) == 0 {
		<-ctx.Done()
		return reply, ctx.Err()
	}
	for _, r := range all {
		if reply, err = q.x.queue.Report(ctx, r); err != nil {
			return reply, err
		}
	}
	return reply, nil
}

type attackedClient struct {
	protocol.CoordinatorClient
	x *attacker
}

func (c attackedClient) Join(ctx context.Context, j protocol.Join) (protocol.JoinResponse, error) {
	if c.x.joins != nil {
		c.x.joins(c.x, &j)
	}
	return c.CoordinatorClient.Join(ctx, j)
}

func (c attackedClient) Heartbeat(ctx context.Context, b protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
	if c.x.beats != nil {
		c.x.beats(&b)
	}
	return c.CoordinatorClient.Heartbeat(ctx, b)
}

// every changes every window that is reported as computed.
func every(change func(x *attacker, d *protocol.Done)) func(*attacker, protocol.Report) []protocol.Report {
	return func(x *attacker, r protocol.Report) []protocol.Report {
		done := make([]protocol.Done, len(r.Done))
		for i := range r.Done {
			done[i] = r.Done[i]
			done[i].Record.Tally = copyTally(r.Done[i].Record.Tally)
			change(x, &done[i])
		}
		r.Done = done
		return []protocol.Report{r}
	}
}

// fails reports a failure in the place of every window.
func fails(change func(x *attacker, f *protocol.Failure)) func(*attacker, protocol.Report) []protocol.Report {
	return func(x *attacker, r protocol.Report) []protocol.Report {
		for _, d := range r.Done {
			f := protocol.Failure{Window: d.Record.Window, Kind: protocol.FailError, Text: "so it says", Attempt: d.Attempt}
			change(x, &f)
			r.Failures = append(r.Failures, f)
		}
		r.Done = nil
		return []protocol.Report{r}
	}
}

// parent names a parent of a window.
func (x *attacker) parent(w puzzle.Window) *puzzle.Window {
	plans, err := x.y.p.Layer(w.Layer, nil)
	if err != nil {
		return &w
	}
	for _, c := range plans {
		if c.Cell == w.Cell && len(c.Parents) > 0 {
			above, _ := x.y.p.Layer(w.Layer-1, nil)
			for i := range above {
				if above[i].Cell == c.Parents[0] {
					p := above[i].Window(0)
					return &p
				}
			}
		}
	}
	return &w
}

func copyTally(t puzzle.Tally) puzzle.Tally {
	return puzzle.Tally{
		Sums: append([]puzzle.Scalar(nil), t.Sums...), Maxima: append([]puzzle.Scalar(nil), t.Maxima...),
		In: append([]puzzle.Flow(nil), t.In...), Out: append([]puzzle.Flow(nil), t.Out...),
	}
}

func raise(t *puzzle.Tally) {
	if len(t.Sums) > 0 {
		t.Sums[0].Value.Lo++
	} else {
		_ = t.AddSum("more", uint128.From(1))
	}
}

func raiseRows(_ puzzle.Window, _ int, b *puzzle.Block) { b.Columns[0][0]++ }

// claimAll adds to an inventory all windows that are committed.
func claimAll(digest func(*blocks.Digest)) func(x *attacker, j *protocol.Join) {
	return func(x *attacker, j *protocol.Join) {
		c := x.y.coord.Load()
		if c == nil {
			return
		}
		for n := range c.Results().Layers() {
			for _, cell := range c.Results().Cells(n) {
				l, err := c.Rows(cell.Cell)
				for i := range l.Windows {
					if err != nil || len(j.Held) == protocol.MaxHeldPage {
						return
					}
					h := protocol.Held{Window: l.Windows[i].Record.Window, Digest: l.Windows[i].Record.Digest}
					digest(&h.Digest)
					j.Held = append(j.Held, h)
				}
			}
		}
	}
}

// rejoins joins again and again, every 50 ms.
func rejoins(x *attacker) {
	for i := 0; x.pause(50 * time.Millisecond); i++ {
		x.join(x.name, fmt.Sprintf("again%d", i))
	}
}

// pause reports whether the attack goes on.
func (x *attacker) pause(d time.Duration) bool {
	select {
	case <-x.ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// join joins under the given name.
func (x *attacker) join(name, incarnation string) {
	endpoint := x.y.service.Load()
	if endpoint == nil {
		return
	}
	j := protocol.Join{
		Version: protocol.Version, Run: x.y.run, Worker: name, Incarnation: incarnation, Concurrency: 2, Address: name + ":1",
	}
	if x.joins != nil {
		x.joins(x, &j)
	}
	ctx, cancel := context.WithTimeout(x.ctx, time.Second)
	defer cancel()
	_, _ = endpoint.Join(ctx, j)
}
