package compute

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/run/pause"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/turns"
)

// Options configure a worker of a fleet.
type Options struct {
	Name, Run   string
	Program     string // its version, for people
	Concurrency int    // windows computed at a time; at least 1
	Puzzle      puzzle.Puzzle
	Store       *kv.Store
	Queue       protocol.WorkQueue
	Coordinator protocol.CoordinatorClient
	Fetcher     protocol.Fetcher // nil: Store, which then must hold every parent
	// Address is where others fetch windows from this worker, host:port; "" when all share one store.
	Address string
	// CacheBytes bounds the decoded windows kept for later computations; 0 keeps none.
	CacheBytes uint64
	// MemoryBytes bounds the memory of the windows that are computed at a time; 0 is no bound. MemoryOf returns the bytes
	// that computing a window may hold, and those by the plan; both are 0 where they are not known.
	MemoryBytes uint64
	MemoryOf    func(puzzle.WindowID) (bytes, planned uint64)
	// Turns is the run's claim on the processors that it shares with other runs of the process; nil: it shares none.
	Turns *turns.Run
	// Runs returns how many runs the process serves; nil: one.
	Runs func() int
	// HeartbeatInterval is the time between heartbeats; 0: as the coordinator says.
	HeartbeatInterval time.Duration
	// FetchedBytes counts the bytes fetched from other workers; nil says 0.
	FetchedBytes func() uint64
	// Disk tells of the disk of the store, at once; nil: it is not known.
	Disk func() *protocol.Disk
	// Leave says when the worker is to leave the fleet. It then ends when it is ready and others have copied the windows
	// that only it holds, or when ctx is done.
	Leave  Leave
	Events Events
}

// Leave are the moments at which a worker leaves. It stays if Asked is nil.
type Leave struct {
	Asked   <-chan struct{} // closed when it is to leave: the queue gives it no more tasks
	Settled <-chan struct{} // closed after that, when it has nothing in hand any more
	Ready   <-chan struct{} // closed after that, when nothing else keeps it, such as uploads; nil: nothing does
}

// Events are the callbacks of a worker; any may be nil. They must return quickly.
type Events struct {
	Joined          func(Joined)
	Refused         func(error) // a join was refused or not answered; it is tried again
	HeartbeatMissed func(error) // a heartbeat was not answered
	Answered        func()      // a heartbeat was answered
	// QueueDown is told with each answer why the coordinator cannot use the queue; "" when it can.
	QueueDown func(why string)
	// HandsOver is told how many windows others are still to copy before the worker leaves, with each answer.
	HandsOver func(HandsOver)
	Dropped   func(n int) // windows were removed: the coordinator said so
	// Computed is told of a window before it is committed and reported. Calls may overlap.
	Computed func(Computed)
	// Committed is told the windows with rows that this worker has computed and the coordinator has taken.
	Committed func([]protocol.Archived)
	// ReportRefused is told why the coordinator has passed over a part of a report. The windows stay in the store.
	ReportRefused func(reason string)
}

// Computed describes a window that was computed.
type Computed struct {
	Window puzzle.WindowID
	Took   time.Duration
	Audit  bool // a second time, as protocol.TaskWindow.Audit asks
}

// Joined describes a join.
type Joined struct {
	Epoch         uint64
	Held, Dropped int  // windows in the inventory, windows of it that were removed
	Again         bool // not for the first time
}

// HandsOver is how far a worker that leaves has handed over its windows.
type HandsOver struct {
	ToCopy int  // windows
	Alone  bool // no other worker is there to copy any
	Last   bool // the worker ends now
	// Unheard says with the last word that no answer came: the coordinator has not said how many windows are to copy.
	Unheard bool
}

const (
	// leaveBeats is how many heartbeats a worker that leaves sends in the time of one: it ends as soon as it may.
	leaveBeats = 8
	// leaveTime is how long a worker that leaves waits for a coordinator that does not answer.
	leaveTime = 3 * time.Second
	// askTime bounds one attempt at an answer from the coordinator.
	askTime = 10 * time.Second
	// The pause after a refused join grows from retryFirst to retryMost.
	retryFirst, retryMost = 20 * time.Millisecond, 2 * time.Second
	// olderEpochTime is how long only a coordinator of an older epoch has to answer until it is believed. A replaced one
	// hears so from its successor every two seconds, and stops; one that was started with an older copy of its folder has
	// no successor.
	olderEpochTime = 10 * time.Second
)

// Serve works for the coordinator of a run. It joins with all windows of the store, sends a heartbeat every
// HeartbeatInterval, and joins again whenever it has to. It drops windows on the coordinator's order, and computes the
// tasks of the queue. It rides out coordinators that go away and come back. A worker that is to leave ends when the
// coordinator says that no window is left to be copied, or does not answer.
//
// It returns nil when the run is over, complete, or when ctx is done: it then finishes no window, but commits and
// reports those that are computed, and gives back the other tasks. It returns an error that wraps ErrDismissed when
// the run has failed, or another process has taken the worker's name; otherwise that of the queue, the link or the
// store, kv.ErrDiskFull among them.
func Serve(ctx context.Context, o Options) error {
	if !protocol.ValidWorker(o.Name) || !protocol.ValidRun(o.Run) {
		return fmt.Errorf("worker %.40q of run %.40q: not a proper name", o.Name, o.Run)
	}
	o.Concurrency = max(1, o.Concurrency)
	if o.Fetcher == nil {
		o.Fetcher = StoreFetcher{o.Store}
	}
	if o.Runs == nil {
		o.Runs = func() int { return 0 }
	}
	if o.FetchedBytes == nil {
		o.FetchedBytes = func() uint64 { return 0 }
	}
	s := &session{o: o, incarnation: rand.Text(), joining: make(chan struct{}, 1), wake: make(chan struct{}, 1)}
	s.worker = newWorker(&s.o, s)
	err := s.run(ctx)
	switch {
	case errors.Is(err, errOver):
		return nil
	case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return nil
	}
	return err
}

// errOver ends a session whose run is complete.
var errOver = errors.New("the run is over")

// session is a worker's membership in a fleet.
type session struct {
	o           Options
	incarnation string
	worker      *worker

	joining chan struct{} // holds a token during a join
	joins   atomic.Uint64 // completed
	epoch   atomic.Uint64 // of the last completed join
	seen    atomic.Uint64 // the highest epoch that was heard of
	beat    atomic.Int64  // nanoseconds between heartbeats
	older   time.Time     // since when only a coordinator of an older epoch answers; while joining is held
	wake    chan struct{} // holds one token when there is a reason for a heartbeat before its time
}

func (s *session) run(ctx context.Context) error {
	// Drops come in before the first join, so that none is missed between the two.
	listens := make(chan struct{})
	begin := sync.OnceFunc(func() { close(listens) })
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		return s.o.Coordinator.Drops(gctx, func(d protocol.Drop) {
			begin()
			s.dropped(&d)
		})
	})
	g.Go(func() error {
		select {
		case <-listens:
		case <-gctx.Done():
			return gctx.Err()
		}
		if err := s.firstJoin(gctx); err != nil {
			return err
		}
		var inner errgroup.Group
		wctx, stop := context.WithCancel(gctx)
		defer stop()
		var said error
		inner.Go(func() error {
			defer stop()
			said = s.heartbeats(wctx)
			return nil
		})
		inner.Go(func() error {
			defer stop()
			return s.worker.run(wctx)
		})
		err := inner.Wait()
		if all := errors.Join(err, said); !errors.Is(all, errOver) && !errors.Is(all, ErrDismissed) {
			s.leave(ctx) // otherwise the coordinator has ended the session, and may have gone since
		}
		switch {
		case errors.Is(err, errOver) || errors.Is(err, kv.ErrDiskFull):
			return err
		case said != nil: // the worker's error follows from it
			return said
		case err != nil:
			return err
		}
		return errors.Join(ctx.Err(), errOver)
	})
	return g.Wait()
}

// firstJoin joins. A worker that is to leave meanwhile has nothing to hand over: it gives up.
func (s *session) firstJoin(ctx context.Context) error {
	join, end := context.WithCancel(ctx)
	defer end()
	go func() {
		select {
		case <-s.o.Leave.Settled:
			end()
		case <-join.Done():
		}
	}()
	err := s.join(join, 0)
	if err != nil && ctx.Err() == nil && join.Err() != nil {
		return errOver
	}
	return err
}

// heartbeats sends heartbeats, until ctx is done, the coordinator says that the run is over, or the worker may leave.
func (s *session) heartbeats(ctx context.Context) error {
	l := leaving{session: s, Leave: s.o.Leave}
	defer l.end()
	for {
		l.keepPace()
		select {
		case <-ctx.Done():
			return nil
		case <-l.tick.C:
		case <-s.wake:
		case <-l.Asked:
		case <-l.Settled:
		case <-l.Ready:
		}
		l.note()
		since := s.joins.Load()
		reply, err := l.heartbeat(ctx)
		if l.leaves(ctx, &reply, err) {
			return nil
		}
		if err == nil {
			if s.o.Events.Answered != nil {
				s.o.Events.Answered()
			}
			notify(s.o.Events.QueueDown, reply.QueueDown)
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil && reply.Epoch < s.seen.Load() && !reply.Rejoin:
			// A former coordinator, which does not know it yet.
			continue
		case err == nil && reply.Stop:
			l.heard = true // no window is to be copied any more
			return s.ended(reply.Error)
		case err == nil && (reply.Rejoin || reply.Epoch > s.epoch.Load()):
			if err := l.join(ctx, since); err != nil {
				return err
			}
		case err == nil && reply.Error != "":
			err = errors.New(reply.Error)
			fallthrough
		case err != nil:
			notify(s.o.Events.HeartbeatMissed, err)
		}
	}
}

// hurry has a heartbeat sent before its time.
func (s *session) hurry() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// heartbeat sends a heartbeat of a worker that takes no more tasks, of one that has none in hand, or of another.
func (s *session) heartbeat(ctx context.Context, draining, leaving bool) (protocol.HeartbeatResponse, error) {
	return s.o.Coordinator.Heartbeat(ctx, protocol.Heartbeat{
		Run: s.o.Run, Worker: s.o.Name, Incarnation: s.incarnation, Epoch: s.seen.Load(), Busy: int(s.worker.busy.Load()),
		Moved: s.o.FetchedBytes(), Runs: s.o.Runs(), Doing: s.worker.doing.now(), Disk: s.disk(), Draining: draining,
		Leaving: leaving,
	})
}

// disk is the disk of the store, nil where it is not known.
func (s *session) disk() *protocol.Disk {
	if s.o.Disk == nil {
		return nil
	}
	return s.o.Disk()
}

// leave tells the coordinator that the worker has gone, if it can be told quickly.
func (s *session) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_, _ = s.heartbeat(ctx, false, true)
}

// ended says how a run has ended for this worker.
func (s *session) ended(text string) error {
	if text == "" {
		return errOver
	}
	return fmt.Errorf("worker %s: %w: %s", s.o.Name, ErrDismissed, text)
}

// join joins, until the coordinator of the highest epoch has taken it. It does nothing if another call has joined since
// the given number of joins.
func (s *session) join(ctx context.Context, since uint64) error {
	select {
	case s.joining <- struct{}{}:
		defer func() { <-s.joining }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.joins.Load() > since {
		return nil
	}
	for wait := retryFirst; ; wait = min(2*wait, retryMost) {
		j, err := s.sendInventory(ctx)
		switch {
		case err == nil:
			s.worker.beginEpoch(j.Epoch)
			s.epoch.Store(j.Epoch)
			j.Again = s.joins.Add(1) > 1
			notify(s.o.Events.Joined, j)
			return nil
		case errors.Is(err, errOver), errors.Is(err, ErrDismissed), ctx.Err() != nil, errors.Is(err, kv.ErrClosed),
			errors.Is(err, kv.ErrDiskFull):
			return err
		}
		notify(s.o.Events.Refused, err)
		if err := pause.For(ctx, wait); err != nil {
			return err
		}
	}
}

// sendInventory sends the whole inventory once.
func (s *session) sendInventory(ctx context.Context) (j Joined, err error) {
	msg := protocol.Join{
		Version: protocol.Version, Program: s.o.Program,
		Run: s.o.Run, Worker: s.o.Name, Incarnation: s.incarnation, Concurrency: s.o.Concurrency, Address: s.o.Address,
		Disk: s.disk(),
	}
	send := func(more bool) error {
		msg.More, msg.Epoch = more, s.seen.Load()
		w, err := s.ask(ctx, &msg)
		if err != nil {
			return err
		}
		n, err := s.drop(w.Drop, msg.Held)
		j.Epoch = w.Epoch
		j.Held += len(msg.Held)
		j.Dropped += n
		msg.Page++
		msg.Held = msg.Held[:0]
		return err
	}
	err = s.o.Store.Records(func(r kv.Record) error {
		if len(msg.Held) == protocol.MaxHeldPage {
			if err := send(true); err != nil {
				return err
			}
		}
		msg.Held = append(msg.Held, protocol.Held{Window: r.Window, Digest: r.Digest})
		return nil
	})
	// An unreadable record counts as a window that the worker does not have.
	if err != nil && !errors.Is(err, kv.ErrCorrupt) {
		return j, err
	}
	return j, send(false)
}

// ask sends one page.
func (s *session) ask(ctx context.Context, msg *protocol.Join) (protocol.JoinResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	w, err := s.o.Coordinator.Join(ctx, *msg)
	switch {
	case err != nil:
		return w, err
	case w.Epoch < s.seen.Load() && w.Epoch != 0 && !s.believesOlder():
		return w, fmt.Errorf("a coordinator of epoch %d answers, there was one of epoch %d", w.Epoch, s.seen.Load())
	case w.Stop:
		return w, s.ended(w.Error)
	case w.Error != "":
		return w, fmt.Errorf("run %s: %s", s.o.Run, w.Error)
	}
	s.older = time.Time{}
	every := int64(cmp.Or(
		s.o.HeartbeatInterval, time.Duration(w.BeatMillis)*time.Millisecond, protocol.HeartbeatInterval))
	if before := s.beat.Swap(every); before > every {
		s.hurry() // the next one is too late
	}
	if s.noteEpoch(w.Epoch); w.Epoch != 0 && w.Epoch < s.seen.Load() {
		s.seen.Store(w.Epoch)
	}
	return w, nil
}

// believesOlder reports whether a coordinator of an older epoch has been the only one to answer for long enough.
func (s *session) believesOlder() bool {
	if s.older.IsZero() {
		s.older = time.Now()
	}
	return time.Since(s.older) >= olderEpochTime
}

// noteEpoch notes an epoch.
func (s *session) noteEpoch(epoch uint64) {
	for {
		seen := s.seen.Load()
		if epoch <= seen || s.seen.CompareAndSwap(seen, epoch) {
			return
		}
	}
}

// drop removes windows of an inventory that still have the inventory's digests.
func (s *session) drop(ids []puzzle.WindowID, held []protocol.Held) (n int, err error) {
	if len(ids) == 0 {
		return 0, nil
	}
	digests := make(map[puzzle.WindowID]blocks.Digest, len(held))
	for i := range held {
		digests[held[i].Window.ID()] = held[i].Digest
	}
	ids = slices.DeleteFunc(ids, func(id puzzle.WindowID) bool {
		_, ok := digests[id]
		return !ok // it is not in the inventory
	})
	return s.remove(ids, digests)
}

// remove drops the given windows, except those that a slot is working on. If digests are given, it drops only windows
// with these digests. It returns how many it has dropped.
func (s *session) remove(ids []puzzle.WindowID, digests map[puzzle.WindowID]blocks.Digest) (int, error) {
	removed := make([]puzzle.WindowID, 0, len(ids))
	for _, id := range ids {
		release, ok := s.worker.locks.lock(id)
		if !ok {
			continue
		}
		defer release()
		if digests != nil {
			rec, found, err := s.o.Store.Record(id)
			switch {
			case err != nil && !errors.Is(err, kv.ErrCorrupt):
				return 0, err
			case err == nil && (!found || rec.Digest != digests[id]):
				continue
			}
		}
		removed = append(removed, id)
	}
	if len(removed) == 0 {
		return 0, nil
	}
	s.worker.cache.Load().Evict(removed)
	if err := s.o.Store.Drop(removed...); err != nil {
		return 0, err
	}
	return len(removed), nil
}

// dropped carries out a message of the coordinator to all workers.
func (s *session) dropped(d *protocol.Drop) {
	if d.Run != s.o.Run {
		return
	}
	s.noteEpoch(d.Epoch)
	joined := s.epoch.Load()
	if len(d.Windows) == 0 || d.Epoch > joined {
		s.hurry()
	}
	if d.Epoch != joined {
		return
	}
	if f, ok := s.o.Fetcher.(protocol.Forgetter); ok {
		f.Forget(d.Windows)
	}
	if d.Unread {
		s.worker.cache.Load().Evict(d.Windows)
		return
	}
	// The next join repeats a drop that fails now.
	if n, err := s.remove(d.Windows, nil); err == nil && n > 0 {
		notify(s.o.Events.Dropped, n)
	}
}

// notify calls a callback that may be nil.
func notify[T any](fn func(T), v T) {
	if fn != nil {
		fn(v)
	}
}
