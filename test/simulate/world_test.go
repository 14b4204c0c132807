package simulate

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"time"

	"pagoda/internal/puzzle"
)

// world is a fleet at work, and what happens to it.
type world struct {
	sc    *scenario
	shape *shape
	begun time.Time
	ctx   context.Context //nolint:containedctx // of the whole world: its end stops the remaining processes

	// hand is held while processes are started or ended or disks are changed, see after.
	hand sync.Mutex

	mu        sync.Mutex
	procs     map[string]*process // the live process of each name
	blocked   map[[2]string]int   // from, to: nothing gets through
	slow      map[[2]string]time.Duration
	lossy     map[[2]string]*odds
	slower    map[string]float64 // how many times longer a process computes, less one
	draws     map[string]uint64
	lastAt    map[[2]string]time.Time // arrival of the last message of a link
	nicFree   map[string]time.Time
	trace     []event
	messages  int
	broken    []violation
	listeners map[string]*listener
	hands     map[*process]*hand
	running   sync.WaitGroup // processes, dead ones included

	broker   *broker
	bucket   *bucket
	checks   *checks
	stations []*station
	hosts    []*host
	winner   *host         // completed the run
	over     chan struct{} // closed when a coordinator has completed the run
	ended    bool
}

// event is a line of the trace.
type event struct {
	at      time.Duration
	who     string
	what    string
	windows []puzzle.WindowID
}

func (e *event) String() string {
	return fmt.Sprintf("%9.3f s  %-4s %s", e.at.Seconds(), e.who, e.what)
}

// violation is an invariant that does not hold.
type violation struct {
	at      time.Duration
	kind    string // of the invariant, for comparing runs
	text    string
	windows []puzzle.WindowID
}

// odds are the probabilities that a link loses, repeats or delays a message.
type odds struct{ lose, repeat, delay float64 }

func newWorld(ctx context.Context, sc *scenario, sh *shape) *world {
	w := &world{
		sc: sc, shape: sh, begun: time.Now(), ctx: ctx, procs: make(map[string]*process),
		blocked: make(map[[2]string]int), slow: make(map[[2]string]time.Duration), lossy: make(map[[2]string]*odds),
		slower: make(map[string]float64),
		draws:  make(map[string]uint64), lastAt: make(map[[2]string]time.Time), nicFree: make(map[string]time.Time),
		listeners: make(map[string]*listener), hands: make(map[*process]*hand), over: make(chan struct{}),
	}
	w.broker = newBroker(w)
	w.bucket = &bucket{w: w}
	w.checks = newChecks(w)
	return w
}

func (w *world) now() time.Duration { return time.Since(w.begun) }

// note writes a line of the trace.
func (w *world) note(who string, windows []puzzle.WindowID, format string, args ...any) {
	e := event{at: w.now(), who: who, what: fmt.Sprintf(format, args...), windows: windows}
	w.mu.Lock()
	if !w.ended {
		w.trace = append(w.trace, e)
	}
	w.mu.Unlock()
}

// violate notes that an invariant does not hold.
func (w *world) violate(kind string, windows []puzzle.WindowID, format string, args ...any) {
	v := violation{at: w.now(), kind: kind, text: fmt.Sprintf(format, args...), windows: windows}
	w.note("!!", windows, "%s: %s", v.kind, v.text)
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended {
		w.broken = append(w.broken, v)
	}
}

// draw returns a number in [0, 1) that follows from the seed, the label, and how often the label was drawn before.
func (w *world) draw(label string) float64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.drawLocked(label)
}

func (w *world) drawLocked(label string) float64 {
	n := w.draws[label]
	w.draws[label] = n + 1
	return hashed(w.sc.Seed, label, n)
}

// hashed is a number in [0, 1) that follows from its arguments alone.
func hashed(seed uint64, label string, n uint64) float64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(label))
	x := h.Sum64() ^ seed*0x9e3779b97f4a7c15 ^ n*0xbf58476d1ce4e5b9
	// The finaliser of SplitMix64.
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	return float64(x>>11) / (1 << 53)
}

// slowness says how many times longer than usual a process computes.
func (w *world) slowness(name string) float64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return 1 + w.slower[name]
}

// digest is a hash of the trace: equal traces have equal ones.
func (w *world) digest() uint64 {
	h := fnv.New64a()
	for i := range w.trace {
		_, _ = fmt.Fprintf(h, "%d %s %s\n", w.trace[i].at, w.trace[i].who, w.trace[i].what)
	}
	return h.Sum64()
}

// story is the part of the trace that tells of some windows, and of what happened to the fleet.
func (w *world) story(windows []puzzle.WindowID) string {
	var b strings.Builder
	for i := range w.trace {
		e := &w.trace[i]
		about := len(e.windows) == 0 || slices.ContainsFunc(e.windows, func(id puzzle.WindowID) bool {
			return slices.Contains(windows, id)
		})
		if len(windows) == 0 || about {
			b.WriteString(e.String())
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// process is a process of the fleet, from its start to its end. Its goroutines may outlive it, but then have no
// effect on other processes.
type process struct {
	w    *world
	name string
	stop context.CancelFunc
	ctx  context.Context //nolint:containedctx // of the process
	gone chan struct{}   // closed when it is dead
	// asked ends when a worker is asked to leave, and drain asks it.
	asked context.Context //nolint:containedctx // of the process
	drain context.CancelFunc

	station *station // of a worker
	dialect dialect

	// guarded by world.mu
	dead   bool
	frozen time.Time // until when
	conns  map[*conn]bool
	subs   []*subscription
}

// after calls do after a while, unless the run is over by then. do may start and end processes and change disks.
func (w *world) after(d time.Duration, do func()) {
	time.AfterFunc(d, func() {
		w.hand.Lock()
		defer w.hand.Unlock()
		if w.goesOn() {
			do()
		}
	})
}

// spawn makes a process the live one of its name.
func (w *world) spawn(name string) *process {
	p := &process{w: w, name: name, gone: make(chan struct{}), conns: make(map[*conn]bool)}
	p.ctx, p.stop = context.WithCancel(w.ctx)
	p.asked, p.drain = context.WithCancel(context.WithoutCancel(w.ctx))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.procs[name] = p
	return p
}

// kill ends a process without a word.
func (p *process) kill() {
	w := p.w
	w.mu.Lock()
	if p.dead {
		w.mu.Unlock()
		return
	}
	p.dead = true
	close(p.gone)
	if w.procs[p.name] == p {
		delete(w.procs, p.name)
	}
	delete(w.listeners, p.name)
	var conns []*conn
	for c := range p.conns {
		conns = append(conns, c)
	}
	slices.SortFunc(conns, func(a, b *conn) int { return a.serial - b.serial })
	for _, s := range p.subs {
		w.broker.unsubscribe(s)
	}
	w.mu.Unlock()
	p.stop()
	for _, c := range conns {
		c.sever()
	}
}

// freeze stops a process for a while: nothing leaves it and nothing reaches it.
func (p *process) freeze(d time.Duration) {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	p.frozen = time.Now().Add(d)
}

// isDead reports whether the process has ended.
func (p *process) isDead() bool {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	return p.dead
}

// thaws is how long a process is still frozen.
func (p *process) thaws() time.Duration {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	return time.Until(p.frozen)
}

// names lists the places where processes run, but the broker's.
func (w *world) names() []string {
	var out []string
	for _, s := range w.stations {
		out = append(out, s.name)
	}
	for _, h := range w.hosts {
		out = append(out, h.name)
	}
	return out
}

// goesOn reports whether the run has not come to its end.
func (w *world) goesOn() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.ended
}

// jitter is a time around d.
func (w *world) jitter(label string, d time.Duration) time.Duration {
	return time.Duration((0.5 + w.draw(label)) * float64(d))
}
