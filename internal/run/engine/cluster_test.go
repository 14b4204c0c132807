package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/compute"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/engine/enginetest/hostile"
	"pagoda/internal/run/engine/memqueue"
	"pagoda/internal/run/pause"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
)

// cluster is a fleet in one process: workers with disks of their own, a queue, and coordinators one after the other.
type cluster struct {
	t     *testing.T
	p     puzzle.Puzzle
	run   string
	dir   string
	queue *enginetest.Queue
	opts  engine.Options
	// began is called with every coordinator. seed is put into the ledger of a new folder first. puzzles holds those of
	// workers that compute another way.
	began     func(*coordinator.Coordinator)
	seed      []kv.Entry
	puzzles   map[string]puzzle.Puzzle
	hostile   map[string]*hostile.Behaviour // workers that do what they should not
	successor atomic.Pointer[cluster]       // whose coordinator the workers turn to

	service atomic.Pointer[endpoint] // of the coordinator that lives
	coord   atomic.Pointer[coordinator.Coordinator]
	// asked counts the questions about parents.
	asked atomic.Int64
	// ahead counts the windows that were fetched before a computation read them.
	ahead atomic.Int64

	mu      sync.Mutex
	workers map[string]*workerProcess // by worker
	walls   map[[2]string]bool
	counts  struct{ unreachable, copied, fetched int }
	// answering waits for hostile holders.
	answering sync.WaitGroup

	lead chan error
	stop context.CancelFunc
	out  *engine.Outcome
	f    *rundir.Folder
}

// endpoint is where a coordinator answers.
type endpoint struct {
	*memqueue.Link
	over context.Context // done when it answers no more
}

// workerProcess is a worker process.
type workerProcess struct {
	name  string
	fs    vfs.FS
	store *kv.Store
	queue *enginetest.Hand
	stop  context.CancelFunc
	done  chan error
	cut   atomic.Bool
	// attacker is not nil for a worker that does what it should not.
	attacker *hostile.Attacker
}

func newCluster(t *testing.T, p puzzle.Puzzle, seed uint64, faults enginetest.Faults) *cluster {
	y := &cluster{
		t: t, p: p, dir: t.TempDir(), queue: enginetest.NewQueue(seed, faults), workers: make(map[string]*workerProcess),
		walls: make(map[[2]string]bool), run: rundir.RunID(p.Identity()),
	}
	y.opts = engine.Options{
		TaskTime: 1, WatchEvery: 20 * time.Millisecond, ShutdownTimeout: time.Minute,
		// A killed worker comes back before it counts as lost, see impatient.
		Fleet: coordinator.FleetOptions{WorkerTimeout: time.Minute, RejoinGrace: time.Minute, Locality: true},
	}
	y.opts.Fetcher = &carrier{y: y, h: &workerProcess{name: protocol.OwnWorker}}
	t.Cleanup(func() {
		for _, h := range y.workers {
			y.kill(h.name)
		}
		defer y.answering.Wait()
		if y.lead != nil {
			y.stop()
			if err := <-y.lead; err != nil && t.Failed() {
				t.Logf("the coordinator ended with %v", err)
			}
			closeFolder(t, y.f)
		}
	})
	return y
}

// impatient gives coordinators short timeouts for silent workers, for rejoining and for the shutdown.
func (y *cluster) impatient() {
	f := &y.opts.Fleet
	f.WorkerTimeout, f.RejoinGrace, y.opts.ShutdownTimeout = 400*time.Millisecond, 300*time.Millisecond, 5*time.Second
}

// begin starts a coordinator.
func (y *cluster) begin() {
	y.t.Helper()
	y.f = create(y.t, y.p, y.dir)
	if len(y.seed) > 0 {
		if err := y.f.Ledger.Append(y.seed); err != nil {
			y.t.Fatal(err)
		}
	}
	y.queue.Empty()
	ctx, cancel := context.WithCancel(y.t.Context())
	y.stop, y.lead = cancel, make(chan error, 1)
	o := y.opts
	o.Tasks = y.queue
	o.Fleet.Broadcast = func(d protocol.Drop) error {
		if at := y.service.Load(); at != nil {
			return at.Broadcast(d)
		}
		return nil
	}
	o.ServeMessages = func(ctx context.Context, c *coordinator.Coordinator) error {
		d := &endpoint{memqueue.NewLink(), ctx}
		d.Connect(c)
		y.service.Store(d)
		if y.began != nil {
			y.began(c)
		}
		<-ctx.Done()
		y.service.CompareAndSwap(d, nil)
		return nil
	}
	go func() {
		out, err := engine.Run(ctx, y.p, y.f, o)
		y.out = out
		y.lead <- err
	}()
}

// lastError waits for the coordinator and leaves its folder open.
func (y *cluster) lastError() error {
	err := <-y.lead
	y.stop()
	y.lead = nil
	return err
}

// end waits for the coordinator, and returns its error.
func (y *cluster) end() error {
	y.t.Helper()
	err := y.lastError()
	closeFolder(y.t, y.f)
	return err
}

// worker starts a worker process on its disk.
func (y *cluster) worker(name string, slots int) *workerProcess {
	y.t.Helper()
	h := y.workers[name]
	if h == nil {
		h = &workerProcess{name: name, fs: vfs.NewMem()}
	}
	h = &workerProcess{name: name, fs: h.fs, queue: y.queue.For(name), done: make(chan error, 1)}
	var err error
	o := kv.Options{FS: h.fs, CacheBytes: 1 << 20, MemTableBytes: 1 << 20}
	if h.store, err = kv.Open("store", y.run, o); err != nil {
		y.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(y.t.Context())
	h.stop = cancel
	y.mu.Lock()
	y.workers[name] = h
	y.mu.Unlock()
	p := y.p
	if other := y.puzzles[name]; other != nil {
		p = other
	}
	var queue protocol.WorkQueue = h.queue
	var client protocol.CoordinatorClient = &link{y: y, h: h}
	if b := y.hostile[name]; b != nil {
		if w, ok := p.(*wrapped); ok && (b.Rows != nil || b.Tally != nil) {
			p = w.Puzzle // it takes no time
		}
		x := &hostile.Attacker{
			Behaviour: b, Ctx: ctx, Name: name, Run: y.run, Others: []string{"a", "b"}, Puzzle: p, Queue: queue,
			CoordinatorClient: client, Committed: y.committed,
		}
		x.Begin()
		p, queue, client = x.Computes(), x, x
		h.attacker = x
	}
	go func() {
		h.done <- compute.Serve(ctx, compute.Options{
			Name: name, Run: y.run, Concurrency: slots, Puzzle: p, Store: h.store, Queue: queue,
			Coordinator: client, Fetcher: &carrier{y: y, h: h}, Address: name + ":1", CacheBytes: 1 << 16,
			HeartbeatInterval: 15 * time.Millisecond,
		})
	}()
	return h
}

// kill ends a worker process without a word. Its disk stays.
func (y *cluster) kill(name string) {
	h := y.workers[name]
	if h == nil || h.store == nil {
		return
	}
	h.cut.Store(true)
	h.queue.Kill()
	h.stop()
	if err := <-h.done; err != nil && y.t.Failed() {
		y.t.Logf("worker %s ended with %v", name, err)
	}
	y.mu.Lock()
	store := h.store
	h.store = nil
	y.mu.Unlock()
	if err := store.Close(); err != nil {
		y.t.Error(err)
	}
}

// leave has a worker stop as on SIGTERM.
func (y *cluster) leave(name string) error {
	h := y.workers[name]
	h.stop()
	err := <-h.done
	h.done <- err
	y.kill(name)
	return err
}

// link is a worker's link to whatever coordinator lives.
type link struct {
	y *cluster
	h *workerProcess
}

var errNobody = errors.New("nobody answers")

func (w *link) endpoint() *endpoint {
	if w.h.cut.Load() {
		return nil
	}
	if next := w.y.successor.Load(); next != nil {
		return next.service.Load()
	}
	return w.y.service.Load()
}

func (w *link) Join(ctx context.Context, j protocol.Join) (protocol.JoinResponse, error) {
	d := w.endpoint()
	if d == nil && w.h.cut.Load() {
		return protocol.JoinResponse{}, kv.ErrClosed // the process is dead: it does not try again
	}
	if d == nil {
		return protocol.JoinResponse{}, errNobody
	}
	b, err := j.Encode()
	if err != nil {
		return protocol.JoinResponse{}, err
	}
	if j, err = protocol.DecodeJoin(b); err != nil {
		return protocol.JoinResponse{}, err
	}
	return d.Join(ctx, j)
}

func (w *link) Heartbeat(ctx context.Context, b protocol.Heartbeat) (protocol.HeartbeatResponse, error) {
	if d := w.endpoint(); d != nil {
		return d.Heartbeat(ctx, b)
	}
	return protocol.HeartbeatResponse{}, errNobody
}

func (w *link) Locate(ctx context.Context, reader puzzle.Cell) ([]protocol.Located, error) {
	for {
		if d := w.endpoint(); d != nil {
			all, err := d.Locate(ctx, reader)
			if err != nil {
				return nil, err
			}
			return protocol.LocatePages(
				ctx,
				w.y.run,
				reader,
				func(_ context.Context, q protocol.LocateRequest) (p protocol.LocateResponse, err error) {
					w.y.asked.Add(1)
					if p, err = protocol.Page(all, q.From); err != nil {
						return p, err
					}
					b, err := p.Encode()
					if err != nil {
						return p, err
					}
					return protocol.DecodeLocateResponse(b)
				},
			)
		}
		if err := pause.For(ctx, time.Millisecond); err != nil {
			return nil, err
		}
	}
}

func (w *link) Drops(ctx context.Context, fn func(protocol.Drop)) error {
	for ctx.Err() == nil {
		d := w.endpoint()
		if d == nil {
			_ = pause.For(ctx, time.Millisecond)
			continue
		}
		part, cancel := context.WithCancel(ctx)
		stop := context.AfterFunc(d.over, cancel)
		err := d.Drops(part, func(told protocol.Drop) {
			if w.endpoint() == d {
				fn(told)
			}
		})
		stop()
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// committed lists the windows that the coordinator has in its ledger.
func (y *cluster) committed() (list []protocol.Held) {
	c := y.coord.Load()
	if c == nil {
		return nil
	}
	for n := range c.Results().Layers() {
		for _, cell := range c.Results().Cells(n) {
			l, err := c.Rows(cell.Cell)
			if err != nil {
				return list
			}
			for i := range l.Windows {
				list = append(list, protocol.Held{Window: l.Windows[i].Record.Window, Digest: l.Windows[i].Record.Digest})
			}
		}
	}
	return list
}

// answers are the errors that readers get.
var answers = map[hostile.Answer]error{
	hostile.NotHeld: kv.ErrNotFound, hostile.FalseRows: kv.ErrCorrupt, hostile.Nothing: protocol.ErrUnreachable,
}

// carrier fetches windows from the disks of other workers.
type carrier struct {
	y *cluster
	h *workerProcess
}

func (c *carrier) Blocks(
	ctx context.Context, w protocol.LocatedWindow, first, addresses uint64, fn func(*puzzle.Block) error,
) error {
	return c.each(w, func(s *kv.Store) error { return s.Blocks(ctx, w.Record, first, addresses, fn) })
}

// each tries the worker's own store and then those of the holders.
func (c *carrier) each(w protocol.LocatedWindow, fn func(*kv.Store) error) error {
	if c.h.store == nil { // the coordinator has none
	} else if rec, ok, err := c.h.store.Record(w.Record.ID()); err == nil && ok && rec.Digest == w.Record.Digest {
		return fn(c.h.store)
	}
	last := fmt.Errorf("window %s: %w", w.Record.Window, protocol.ErrUnreachable)
	for _, p := range w.Holders {
		if p.Address != p.Name+":1" {
			return fmt.Errorf("worker %s is said to be at %q", p.Name, p.Address)
		}
		c.y.mu.Lock()
		o := c.y.workers[p.Name]
		var s *kv.Store
		if o != nil && !o.cut.Load() && !c.y.walls[[2]string{c.h.name, p.Name}] {
			s = o.store
		}
		if s == nil {
			c.y.counts.unreachable++
		} else {
			c.y.counts.fetched++
		}
		c.y.mu.Unlock()
		if s == nil {
			continue
		}
		var err error
		if o.attacker != nil && o.attacker.Serves != nil {
			err = c.answer(o.attacker, p)
		}
		if rec, ok, _ := s.Record(w.Record.ID()); ok && rec.Bytes != w.Record.Bytes {
			err = fmt.Errorf("%w: %d bytes, want %d", kv.ErrCorrupt, rec.Bytes, w.Record.Bytes) // see kv.Arrival
		}
		if err == nil {
			err = fn(s)
		}
		if errors.Is(err, kv.ErrClosed) || errors.Is(err, protocol.ErrUnreachable) {
			continue
		}
		if !errors.Is(err, kv.ErrNotFound) && !errors.Is(err, kv.ErrCorrupt) {
			return err
		}
		last = err
	}
	return last
}

// answer returns what a hostile holder answers, as far as it is waited for.
func (c *carrier) answer(x *hostile.Attacker, p protocol.Peer) error {
	answer := make(chan hostile.Answer, 1)
	c.y.answering.Go(func() { answer <- x.Serves(x, c.h.name) })
	select {
	case a := <-answer:
		return answers[a]
	case <-time.After(p.Wait(7 * time.Second)):
		return protocol.ErrUnreachable
	}
}

// Prefetch reads the window and forgets it: a test needs no window to have arrived before it is read.
func (c *carrier) Prefetch(ctx context.Context, w protocol.LocatedWindow) {
	for _, p := range w.Holders {
		if p.Name == c.h.name {
			c.y.t.Errorf("worker %s fetches its own window %s ahead", c.h.name, w.Record.Window)
		}
	}
	c.y.ahead.Add(1)
	_ = c.each(w, func(s *kv.Store) error {
		return s.Blocks(ctx, w.Record, w.Record.First, w.Record.Addresses, func(*puzzle.Block) error { return nil })
	})
}

func (c *carrier) Copy(ctx context.Context, w protocol.LocatedWindow) error {
	return c.each(w, func(s *kv.Store) error {
		out := c.h.store.Begin(w.Record.Window)
		defer out.Abort()
		if err := s.RawBlocks(ctx, w.Record.ID(), 0, out.Raw); err != nil {
			return err
		}
		_, err := out.CommitAs(w.Record)
		c.y.mu.Lock()
		c.y.counts.copied++
		c.y.mu.Unlock()
		return err
	})
}

// undisturbed holds the records of runs in one process, by the ID of the run.
var undisturbed sync.Map

// check compares the ledger with that of a run in one process.
func (y *cluster) check() {
	y.t.Helper()
	want, ok := undisturbed.Load(y.run)
	if !ok {
		whole := y.t.TempDir()
		run(y.t, y.p, whole, faultless(), engine.Options{Concurrency: 2})
		want, _ = content(y.t, y.p, whole)
		undisturbed.Store(y.run, want)
	}
	f, err := rundir.Open(y.dir, readOnly(y.dir))
	if err != nil {
		y.t.Fatal(err)
	}
	defer closeFolder(y.t, f)
	if got, want := entries(y.t, f.Ledger), want.([]string); !slices.Equal(got, want) {
		y.t.Fatalf("the ledger differs: %d windows, want %d", len(got), len(want))
	}
}

func TestFleet(t *testing.T) {
	for _, p := range toys(50) {
		t.Run(name(p), bubble(func(t *testing.T) {
			seed, _ := printedSeed(t)
			w := wrap(p)
			y := newCluster(t, w, seed, enginetest.Faults{Repeat: 0.1, Reorder: 0.2, LoseReply: 0.1})
			y.allJoin(w, 3)
			y.begin()
			hands := []*workerProcess{y.worker("a", 1), y.worker("b", 2), y.worker("c", 1)}
			if err := y.end(); err != nil {
				t.Fatal(err)
			}
			for _, h := range hands {
				if err := <-h.done; err != nil {
					t.Errorf("worker %s: %v", h.name, err)
				}
				h.done <- nil
			}
			if !y.out.Results.Complete() {
				t.Fatal("not complete")
			}
			y.p = p
			y.check()
			checkSummary(t, p, y.dir)
		}))
	}
}

// allJoin lets no window of p be computed before so many workers have joined: a worker that comes when a run is over
// waits for ever.
func (y *cluster) allJoin(p *wrapped, workers int) {
	all, then := make(chan struct{}), p.before
	joined := make(map[string]bool)
	y.opts.Events.WorkerJoined = func(e coordinator.WorkerJoined) {
		if joined[e.Worker] = true; len(joined) == workers {
			workers = -1
			close(all)
		}
	}
	p.before = func(ctx context.Context, w puzzle.Window, n int) error {
		select {
		case <-ctx.Done():
		case <-all:
		}
		if then == nil {
			return ctx.Err()
		}
		return then(ctx, w, n)
	}
}

// TestFaultInjection lets workers vanish, and return with their disks, empty ones or those of others. They lose each
// other and their coordinator, while the queue loses, repeats and reorders. No byte changes.
func TestFaultInjection(t *testing.T) {
	shapes := toys(40)[:3]
	if testing.Short() {
		shapes = shapes[:1]
	}
	for _, p := range shapes {
		t.Run(name(p), bubble(func(t *testing.T) {
			seed, rnd := printedSeed(t)
			slow := wrap(p)
			slow.before = func(ctx context.Context, _ puzzle.Window, _ int) error {
				return pause.For(ctx, 2*time.Millisecond)
			}
			y := newCluster(t, slow, seed, enginetest.Faults{Lose: 0.02, Repeat: 0.05, Reorder: 0.3, LoseReply: 0.05})
			y.impatient()
			y.opts.Retention = []plan.Retention{plan.RetainAll, plan.RetainLast}[rnd.IntN(2)]
			y.opts.AuditFraction = 0.2
			y.opts.Fleet.Replication = 1 + rnd.IntN(2)
			y.begin()
			names := []string{"a", "b", "c", "d"}
			for _, n := range names {
				y.worker(n, 1+rnd.IntN(2))
			}
			faults, restarts := y.injectFaults(rnd, names, 40)
			y.heal(names)
			if err := y.end(); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d faults, %d of them to the coordinator; %d windows were out of reach, %d fetched, %d copied", faults,
				restarts, y.counts.unreachable, y.counts.fetched, y.counts.copied)
			y.p = p
			y.check()
			checkSummary(t, p, y.dir)
		}))
	}
}

// injectFaults does bad things until the run is over or most of them are done.
func (y *cluster) injectFaults(rnd *rand.Rand, names []string, most int) (faults, restarts int) {
	for ; faults < most && len(y.lead) == 0; faults++ {
		time.Sleep(time.Duration(rnd.IntN(40)) * time.Millisecond)
		n := names[rnd.IntN(len(names))]
		switch rnd.IntN(7) {
		case 0, 1: // killed and back
			y.kill(n)
			time.Sleep(time.Duration(rnd.IntN(30)) * time.Millisecond)
			y.worker(n, 1)
		case 2: // killed, and back without its disk
			y.kill(n)
			y.workers[n].fs = vfs.NewMem()
			y.worker(n, 2)
		case 3: // away for longer than it is waited for
			y.kill(n)
			time.Sleep(450 * time.Millisecond)
			y.worker(n, 1)
		case 4: // two cannot talk to each other
			other := names[rnd.IntN(len(names))]
			y.mu.Lock()
			y.walls[[2]string{n, other}] = true
			y.walls[[2]string{other, n}] = true
			y.mu.Unlock()
		case 5:
			y.mu.Lock()
			clear(y.walls)
			y.mu.Unlock()
		case 6:
			y.stop()
			if err := y.end(); err == nil { // it had just ended
				y.begin()
				return faults, restarts
			}
			restarts++
			y.begin()
		}
	}
	return faults, restarts
}

// heal brings all workers back.
func (y *cluster) heal(names []string) {
	y.mu.Lock()
	clear(y.walls)
	y.mu.Unlock()
	for _, n := range names {
		if y.workers[n].store == nil {
			y.worker(n, 2)
		}
	}
}

// gate is a puzzle whose computations from a layer on are held up.
type gate struct {
	*wrapped
	reached chan struct{} // closed when a computation is held up
	open    func()
}

func gated(p puzzle.Puzzle, layer int) *gate {
	shut := make(chan struct{})
	g := &gate{wrapped: wrap(p), reached: make(chan struct{}), open: sync.OnceFunc(func() { close(shut) })}
	reached := sync.OnceFunc(func() { close(g.reached) })
	g.before = func(ctx context.Context, w puzzle.Window, _ int) error {
		if w.Layer >= layer {
			reached()
			select {
			case <-ctx.Done():
			case <-shut:
			}
		}
		return ctx.Err()
	}
	return g
}
