// Package hostile has workers of a fleet that do what they should not, for tests in memory and over sockets.
package hostile

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/protocol"
)

// A Behaviour is that of a worker that behaves as one of the fleet, except in the functions set here. It has a worker's
// key: it can send any message, and knows all that workers are told.
type Behaviour struct {
	// Rows changes a block of rows that was computed, Tally the tally of the window.
	Rows  func(x *Attacker, w puzzle.Window, b *puzzle.Block)
	Tally func(x *Attacker, w puzzle.Window, t *puzzle.Tally)
	// Reports changes a report, and returns what is sent in its place; the last is answered for.
	Reports func(x *Attacker, r protocol.Report) []protocol.Report
	Beats   func(b *protocol.Heartbeat)
	Joins   func(x *Attacker, j *protocol.Join)
	// Serves returns what a reader of its windows gets.
	Serves func(x *Attacker, reader string) Answer
	// Floods sends further messages, from a goroutine of its own.
	Floods func(x *Attacker)
}

// An Answer is the answer to a reader of a window.
type Answer int

// The answers.
const (
	Rows      Answer = iota // the computed rows
	NotHeld                 // the answer that the window is not held
	FalseRows               // rows that differ from the digest
	Nothing                 // no answer
)

// An Attacker is a hostile worker at work: a WorkQueue and a CoordinatorClient between a worker and the rest.
type Attacker struct {
	*Behaviour
	Ctx       context.Context
	Name, Run string
	Others    []string // the names of two other workers
	Puzzle    puzzle.Puzzle
	Queue     protocol.WorkQueue
	protocol.CoordinatorClient
	// Committed lists windows of the run, as far as workers can know of them.
	Committed func() []protocol.Held

	computed atomic.Int64 // windows
	mu       sync.Mutex
	last     string            // the attempt of another window
	reported int               // reports so far
	old      []protocol.Report // the last of them, raised
}

// Computes returns the puzzle as the attacker computes it.
func (x *Attacker) Computes() puzzle.Puzzle {
	if x.Rows == nil && x.Tally == nil {
		return x.Puzzle
	}
	return &liar{x.Puzzle, x}
}

type liar struct {
	puzzle.Puzzle
	x *Attacker
}

func (p *liar) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (puzzle.Tally, error) {
	if p.x.Rows != nil {
		out = falseSink{out, w, p.x}
	}
	t, err := p.Puzzle.Compute(ctx, w, in, out)
	if err == nil && p.x.Tally != nil {
		p.x.Tally(p.x, w, &t)
	}
	return t, err
}

type falseSink struct {
	puzzle.Sink
	w puzzle.Window
	x *Attacker
}

func (s falseSink) Block(b *puzzle.Block) error {
	s.x.Rows(s.x, s.w, b)
	return s.Sink.Block(b)
}

// Begin sends further messages from now on, until Ctx is done.
func (x *Attacker) Begin() {
	if x.Floods != nil {
		go x.Floods(x)
	}
}

// Next implements protocol.WorkQueue.
func (x *Attacker) Next(ctx context.Context) (protocol.Delivery, error) { return x.Queue.Next(ctx) }

// Report implements protocol.WorkQueue.
func (x *Attacker) Report(ctx context.Context, r protocol.Report) (reply protocol.Reply, err error) {
	all := []protocol.Report{r}
	if x.Reports != nil {
		all = x.Reports(x, r)
	}
	if len(all) == 0 {
		<-ctx.Done()
		return reply, ctx.Err()
	}
	for _, r := range all {
		if reply, err = x.Queue.Report(ctx, r); err != nil {
			return reply, err
		}
	}
	return reply, nil
}

// Join implements protocol.CoordinatorClient.
func (x *Attacker) Join(ctx context.Context, j protocol.Join) (protocol.JoinResponse, error) {
	if x.Joins != nil {
		x.Joins(x, &j)
	}
	return x.CoordinatorClient.Join(ctx, j)
}

// Heartbeat implements protocol.CoordinatorClient.
func (x *Attacker) Heartbeat(ctx context.Context, b protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
	if x.Beats != nil {
		x.Beats(&b)
	}
	return x.CoordinatorClient.Heartbeat(ctx, b)
}

// Mix does one of some behaviours with each report, and all of the rest.
func Mix(rnd *rand.Rand, choices ...*Behaviour) *Behaviour {
	m := &Behaviour{}
	for _, b := range choices {
		if m.Rows == nil && m.Tally == nil {
			m.Rows, m.Tally = b.Rows, b.Tally
		}
		if b.Beats != nil {
			m.Beats = b.Beats
		}
		if b.Joins != nil {
			m.Joins = b.Joins
		}
		if b.Serves != nil {
			m.Serves = b.Serves
		}
		if b.Floods != nil {
			m.Floods = b.Floods
		}
	}
	m.Reports = func(x *Attacker, r protocol.Report) []protocol.Report {
		x.mu.Lock()
		b := choices[rnd.IntN(len(choices))]
		x.mu.Unlock()
		if b.Reports == nil {
			return []protocol.Report{r}
		}
		return b.Reports(x, r)
	}
	return m
}

// every changes every window that is reported as computed.
func every(change func(x *Attacker, d *protocol.Done)) func(*Attacker, protocol.Report) []protocol.Report {
	return func(x *Attacker, r protocol.Report) []protocol.Report {
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
func fails(change func(x *Attacker, f *protocol.Failure)) func(*Attacker, protocol.Report) []protocol.Report {
	return func(x *Attacker, r protocol.Report) []protocol.Report {
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
func (x *Attacker) parent(w puzzle.Window) *puzzle.Window {
	plans, err := x.Puzzle.Layer(w.Layer, nil)
	if err != nil {
		return &w
	}
	for _, c := range plans {
		if c.Cell == w.Cell && len(c.Parents) > 0 {
			above, _ := x.Puzzle.Layer(w.Layer-1, nil)
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

func raiseTally(_ *Attacker, _ puzzle.Window, t *puzzle.Tally) { raise(t) }

func raiseRows(_ *Attacker, _ puzzle.Window, b *puzzle.Block) { b.Columns[0][0]++ }

// FailsFrom reports failures in the place of all windows from a layer on.
func FailsFrom(layer int) *Behaviour {
	fail := fails(func(*Attacker, *protocol.Failure) {})
	return &Behaviour{Reports: func(x *Attacker, r protocol.Report) []protocol.Report {
		if len(r.Done) > 0 && r.Done[0].Record.Layer >= layer { // a task has windows of one layer here
			return fail(x, r)
		}
		return []protocol.Report{r}
	}}
}

// Doubles doubles all counts of some windows, and what leaves these, so that all flows agree. Workers that do so in the
// same windows agree with each other.
func Doubles(lies func(puzzle.Window) bool) *Behaviour {
	return &Behaviour{
		Rows: func(_ *Attacker, w puzzle.Window, b *puzzle.Block) {
			if !lies(w) {
				return
			}
			for _, column := range b.Columns {
				for i := range column {
					column[i] *= 2
				}
			}
		},
		Tally: func(_ *Attacker, w puzzle.Window, t *puzzle.Tally) {
			if !lies(w) {
				return
			}
			for i := range t.Sums {
				if n := t.Sums[i].Name; n == "paths" || n == "games_ended" || n == "goal_paths" {
					t.Sums[i].Value.Lo *= 2
				}
			}
			for i := range t.Out {
				t.Out[i].Amount.Lo *= 2
			}
		},
	}
}

// moreGames raises the number of games that have ended, which is in no flow and follows from no other sum. It is
// a multiple of all symmetries of a board.
func moreGames(lies func(puzzle.Window) bool) func(*Attacker, puzzle.Window, *puzzle.Tally) {
	return func(_ *Attacker, w puzzle.Window, t *puzzle.Tally) {
		for i := range t.Sums {
			if t.Sums[i].Name == "games_ended" && t.Sums[i].Value != (uint128.Uint128{}) && lies(w) {
				t.Sums[i].Value.Lo += 720
			}
		}
	}
}

// half picks half the windows from layer 2 on.
func half(w puzzle.Window) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(w.ID().String()))
	return w.Layer > 1 && h.Sum32()>>7&1 == 0
}

func serves(a Answer) func(*Attacker, string) Answer {
	return func(*Attacker, string) Answer { return a }
}

// claimAll adds to an inventory all windows that are committed.
func claimAll(digest func(*blocks.Digest)) func(x *Attacker, j *protocol.Join) {
	return func(x *Attacker, j *protocol.Join) {
		for _, h := range x.Committed() {
			if len(j.Held) == protocol.MaxHeldPage {
				return
			}
			digest(&h.Digest)
			j.Held = append(j.Held, h)
		}
	}
}

// rejoins joins again and again, every 50 ms.
func rejoins(x *Attacker) {
	for i := 0; x.pause(50 * time.Millisecond); i++ {
		x.join(x.Name, fmt.Sprintf("again%d", i))
	}
}

// turn counts from 1.
func (x *Attacker) turn() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.reported++
	return x.reported
}

// pausing sends every nth report late.
func pausing(n int, late time.Duration) func(*Attacker, protocol.Report) []protocol.Report {
	return func(x *Attacker, r protocol.Report) []protocol.Report {
		if x.turn()%n == 0 {
			x.pause(late)
		}
		return []protocol.Report{r}
	}
}

// pause reports whether the attack goes on.
func (x *Attacker) pause(d time.Duration) bool {
	select {
	case <-x.Ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// join joins under the given name.
func (x *Attacker) join(name, incarnation string) {
	ctx, cancel := context.WithTimeout(x.Ctx, time.Second)
	defer cancel()
	_, _ = x.Join(ctx, protocol.Join{
		Version: protocol.Version, Run: x.Run, Worker: name, Incarnation: incarnation, Concurrency: 2, Address: name + ":1",
	})
}
