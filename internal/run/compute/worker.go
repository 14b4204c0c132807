package compute

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/window"
	"pagoda/internal/run/window/cache"
)

const (
	// committers is how many groups of windows are being committed or reported at a time, so that one group's sync and
	// round trip to the coordinator hides behind the other's.
	committers = 2
	// A worker has up to heldBase + heldPerSlot*Concurrency tasks in hand, most of them on their way to the disk.
	heldBase, heldPerSlot = 16, 4
	// groupWindows bounds the windows that are committed and reported together.
	groupWindows = 256
	// drainTime is how long a worker that is told to stop goes on trying to report computed windows.
	drainTime = 5 * time.Second
)

// worker takes tasks, computes their windows, commits them, and reports the records. Committing does not hold up
// computing: a slot hands over computed windows and takes the next task.
type worker struct {
	o     *Options
	s     *session
	cache atomic.Pointer[epochCache]
	locks locks
	fresh fresh
	room  *room
	// tokens bounds the tasks in this worker's hands, and so the windows that are computed and not committed.
	tokens   chan struct{}
	computed chan *finished
	busy     atomic.Int64
	doing    doing
	reports  atomic.Uint64 // sent so far
}

func newWorker(o *Options, s *session) *worker {
	inHand := heldBase + heldPerSlot*o.Concurrency
	w := &worker{
		o: o, s: s, tokens: make(chan struct{}, inHand), computed: make(chan *finished, inHand),
	}
	w.cache.Store(&epochCache{Cache: cache.New(o.CacheBytes)})
	w.room = newRoom(o.MemoryBytes, o.MemoryOf, w.lend)
	return w
}

// epochCache holds the windows decoded in one epoch. In the next epoch a window may have other rows, when a report
// about it turns out to be wrong.
type epochCache struct {
	*cache.Cache
	epoch uint64
}

// beginEpoch forgets the windows that were decoded in an earlier epoch. A task that is being computed keeps its own.
func (w *worker) beginEpoch(epoch uint64) {
	if w.cache.Load().epoch != epoch {
		w.cache.Store(&epochCache{cache.New(w.o.CacheBytes), epoch})
		w.room.takes(0) // tells the new cache how much no window holds
	}
}

// lend lets the cache use memory that no window holds.
func (w *worker) lend(bytes uint64) { w.cache.Load().SetLimit(w.o.CacheBytes + bytes) }

// ErrDismissed is wrapped by Serve when the coordinator has answered that the run is over for this worker.
var ErrDismissed = errors.New("the coordinator stopped the run")

// run works until ctx is done. It then finishes no window, but commits and reports those that are computed, gives back
// the other tasks, and returns nil. It returns an error when the queue or the coordinator ends the work.
func (w *worker) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	var commit errgroup.Group
	for range committers {
		commit.Go(func() error { return w.commitLoop(ctx, cancel) })
	}
	err := w.slots(ctx, cancel)
	close(w.computed)
	return errors.Join(commit.Wait(), err)
}

// finished is a task that a slot is done with.
type finished struct {
	d     protocol.Delivery
	items []item
	whole bool      // every window is in items
	ended time.Time // the computing
}

// item is a window of a finished task: computed, found on disk, or failed.
type item struct {
	window  puzzle.Window
	writer  *kv.Writer // of a computed window
	tally   puzzle.Tally
	took    time.Duration
	record  kv.Record // of a window found on disk
	reused  bool
	copied  bool // from another worker
	audit   bool
	attempt string // of the task
	fresh   bool   // a stored copy was not to be used
	failure *protocol.Failure
	unlock  func() // ends the lock on the window
}

// compute computes the windows of a task, until ctx is done.
func (w *worker) compute(ctx context.Context, d protocol.Delivery) *finished {
	f := &finished{d: d}
	defer func() { f.ended = time.Now() }()
	task := d.Task()
	accepted, err := w.accepts(ctx, task)
	if err != nil {
		return f
	}
	decoded := w.cache.Load()
	if !accepted || decoded.epoch != task.Epoch {
		// Not for us: acknowledge and discard. A coordinator that still waits for it sends it again.
		f.whole = true
		return f
	}
	w.busy.Add(1)
	defer w.busy.Add(-1)
	src := newSource(ctx, w.o.Coordinator, w.o.Fetcher, decoded.Cache, d.Progress)
	// A task that went back to the queue for a window in another slot's hands would come again at once, and again.
	if !w.locks.free(ctx, task.Windows, d.Progress) {
		return f
	}
	for i, tw := range task.Windows {
		src.task, src.reads = task, task.Windows[i].Reads
		// Waiting with other windows locked could last for ever. Then the rest of the task goes back to the queue.
		release, ok := w.locks.lock(tw.ID())
		if !ok {
			return f
		}
		end := w.doing.begin(&tw)
		it := w.window(ctx, tw, src)
		end()
		if it.writer != nil {
			notify(w.o.Events.Computed, Computed{tw.ID(), it.took, it.audit})
		}
		it.unlock = release
		if ctx.Err() != nil && it.failure != nil {
			release()
			return f
		}
		f.items = append(f.items, it)
		d.Progress()
	}
	f.whole = true
	return f
}

// accepts reports whether a task is for this worker and of its epoch. An error says that the worker could not join the
// task's coordinator. The session ends for the same reason, and the task goes to another worker.
func (w *worker) accepts(ctx context.Context, task *protocol.Task) (bool, error) {
	if task.Run != w.o.Run || task.To != "" && task.To != w.o.Name {
		return false, nil
	}
	if task.Epoch > w.s.epoch.Load() {
		since := w.s.joins.Load()
		w.s.noteEpoch(task.Epoch)
		if err := w.s.join(ctx, since); err != nil {
			return false, err
		}
	}
	return task.Epoch == w.s.epoch.Load(), nil
}

// replicate brings a window from another worker into the store.
func (w *worker) replicate(ctx context.Context, tw protocol.TaskWindow, progress func()) item {
	it := item{window: tw.Window}
	fail := func(err error) item {
		if it.failure = failure(tw.Window, err, nil); it.failure.Kind == protocol.FailError {
			it.failure.Kind = protocol.FailCopy
		}
		return it
	}
	copier, ok := w.o.Fetcher.(protocol.Replicator)
	if !ok {
		return fail(errors.New("this worker cannot copy windows"))
	}
	progress()
	if rec, found, err := w.o.Store.Record(tw.ID()); err != nil || !found || !rec.SameContent(&tw.Copy.Record) {
		if err := copier.Copy(ctx, *tw.Copy); err != nil {
			return fail(err)
		}
	}
	it.record, it.reused, it.copied = tw.Copy.Record, true, true
	return it
}

// window computes one window, unless it is on disk already.
func (w *worker) window(ctx context.Context, tw protocol.TaskWindow, src *source) item {
	if tw.Copy != nil {
		return w.replicate(ctx, tw, src.progress)
	}
	it := item{window: tw.Window, audit: tw.Audit, attempt: tw.Attempt, fresh: tw.Fresh}
	fail := func(err error) item {
		it.failure = failure(tw.Window, err, src)
		return it
	}
	if rec, ok, err := w.stored(ctx, tw); err != nil {
		return fail(err)
	} else if ok {
		it.record, it.reused = rec, true
		return it
	}
	src.begin(tw.Cell)
	bytes, reduced := w.room.need(tw.ID(), func(planned uint64) uint64 {
		return puzzle.Holds(w.o.Puzzle, tw.Window, planned, src.Tally)
	})
	leave, err := w.room.enter(ctx, bytes, src.progress)
	if err != nil {
		return fail(err)
	}
	defer leave()
	alive := src.progress
	turn, err := w.o.Turns.Take(ctx, alive)
	if err != nil {
		return fail(err)
	}
	defer turn.End()
	src.progress = func() {
		alive()
		turn.Pass(ctx)
	}
	defer func() { src.progress = alive }()
	src.Memory = reduced
	start := time.Now()
	writer := w.o.Store.Begin(tw.Window)
	it.tally, err = window.Compute(
		puzzle.WithProgress(ctx, src.progress), w.o.Puzzle, tw.Window, src, sink{writer, src.progress})
	it.took = time.Since(start)
	if err != nil {
		writer.Abort()
		return fail(err)
	}
	it.writer = writer
	return it
}

// stored looks for the window as it was computed before, by a process that died before it could report it. It counts
// only when its digest matches, and when this worker has computed it: to report a window is to vouch for it.
func (w *worker) stored(ctx context.Context, tw protocol.TaskWindow) (rec kv.Record, ok bool, err error) {
	id := tw.ID()
	discard := tw.Fresh && !w.fresh.has(id, tw.Attempt)
	rec, ok, err = w.o.Store.Record(id)
	again := tw.Audit
	if err == nil && ok && !again {
		again, err = w.o.Store.Copied(id)
	}
	if err == nil && (!ok || again && !discard) {
		return rec, false, nil // the result replaces what is stored
	}
	if err == nil && !discard && rec.Window == tw.Window {
		err = w.o.Store.Verify(ctx, rec)
		if err == nil {
			return rec, true, nil
		}
	}
	if err != nil && !errors.Is(err, kv.ErrCorrupt) && !errors.Is(err, kv.ErrNotFound) {
		return rec, false, err
	}
	return kv.Record{}, false, w.o.Store.Drop(id)
}
