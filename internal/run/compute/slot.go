package compute

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

const (
	// shortTask bounds the task during which a worker takes the next one, to fetch its parents meanwhile. Beside a longer
	// one the next task would wait here while another worker is idle.
	shortTask = time.Second
	// fetchers is how many windows are fetched at a time for one task.
	fetchers = 16
	// prefetchBytes bounds the coded size of a window that is fetched ahead. Fetching a larger one is not most of its
	// cost, and it may not be needed.
	prefetchBytes = 1 << 20
	// declaredBytes is prefetchBytes for windows that the puzzle declares as read.
	declaredBytes = 16 << 20
	// prefetchTime bounds the fetching ahead for a task. The reader deals with a holder that hangs.
	prefetchTime = 2 * time.Second
)

// slots computes tasks until ctx is done, or the queue ends the work with an error; then it calls stop.
func (w *worker) slots(ctx context.Context, stop func()) error {
	var g errgroup.Group
	start := func(n int, do func() error) {
		for range n {
			g.Go(func() error {
				err := do()
				if err != nil {
					stop()
				}
				return err
			})
		}
	}
	p, ok := w.o.Fetcher.(protocol.Prefetcher)
	if !ok {
		start(w.o.Concurrency, func() error { return w.slot(ctx) })
		return g.Wait()
	}
	// Each turn lets a taker take one task. Any slot computes what a taker has brought, so that none waits for a task
	// while another has two.
	turns, tasks := make(chan struct{}, w.o.Concurrency), make(chan protocol.Delivery)
	for range w.o.Concurrency {
		turns <- struct{}{}
	}
	var takers sync.WaitGroup
	takers.Add(w.o.Concurrency)
	start(w.o.Concurrency, func() error {
		defer takers.Done()
		return w.take(ctx, p, turns, tasks)
	})
	start(1, func() error {
		takers.Wait()
		close(tasks)
		return nil
	})
	start(w.o.Concurrency, func() error {
		w.slotPrefetching(ctx, turns, tasks)
		return nil
	})
	return g.Wait()
}

// slot computes one task after the other.
func (w *worker) slot(ctx context.Context) error {
	for {
		d, err := w.next(ctx)
		if d == nil {
			return err
		}
		w.computed <- w.compute(ctx, d)
	}
}

// next takes a task. It returns nil when the slot has to end.
func (w *worker) next(ctx context.Context) (protocol.Delivery, error) {
	select {
	case <-ctx.Done():
		return nil, nil
	case w.tokens <- struct{}{}:
	}
	d, err := w.o.Queue.Next(ctx)
	switch {
	case ctx.Err() != nil && err != nil:
		return nil, nil //nolint:nilerr // told to stop, the worker has nothing to complain about
	case err != nil:
		return nil, fmt.Errorf("worker %s: %w", w.o.Name, err)
	}
	return d, nil
}

// slotPrefetching is slot with a Prefetcher, which fetches the reads of the next tasks while these are computed.
func (w *worker) slotPrefetching(ctx context.Context, turns chan<- struct{}, tasks <-chan protocol.Delivery) {
	took := shortTask
	for d := range tasks {
		early := took < shortTask
		if early {
			turns <- struct{}{}
		}
		start := time.Now()
		w.computed <- w.compute(ctx, d)
		took = time.Since(start)
		if !early {
			turns <- struct{}{}
		}
	}
}

// take takes tasks for the slots, and fetches their reads ahead.
func (w *worker) take(
	ctx context.Context,
	p protocol.Prefetcher,
	turns <-chan struct{},
	tasks chan<- protocol.Delivery,
) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-turns:
		}
		d, err := w.next(ctx)
		if d == nil {
			return err
		}
		d = w.prefetch(ctx, p, d)
		d.Progress()
		if !hand(ctx, tasks, d) {
			<-w.tokens
			_ = d.Nak() // otherwise it comes back after its time
			return nil
		}
	}
}

// hand waits until a slot takes a task. Meanwhile the slots compute others, and the task keeps its time. It returns
// false when ctx is done first.
func hand(ctx context.Context, tasks chan<- protocol.Delivery, d protocol.Delivery) bool {
	tick := time.NewTicker(waitingProgress)
	defer tick.Stop()
	for {
		select {
		case tasks <- d:
			return true
		case <-ctx.Done():
			return false
		case <-tick.C:
			d.Progress()
		}
	}
}

// located is a delivery whose task lists parents that the coordinator could not enclose.
type located struct {
	protocol.Delivery
	task *protocol.Task
}

func (d located) Task() *protocol.Task { return d.task }

// locate asks where the parents are of windows that declare their reads, if they were too many for the task. Otherwise
// the computation would ask.
func (w *worker) locate(ctx context.Context, d protocol.Delivery) protocol.Delivery {
	t := *d.Task()
	t.Windows, t.Parents = slices.Clone(t.Windows), slices.Clone(t.Parents)
	asked := map[puzzle.Cell][]int{}
	for i := range t.Windows {
		tw := &t.Windows[i]
		if tw.Copy != nil || len(tw.Reads) > 0 {
			continue
		}
		if ranges, whole := puzzle.Reads(w.o.Puzzle, tw.Window); whole || len(ranges) == 0 {
			continue
		}
		reads, known := asked[tw.Cell]
		if !known {
			parents, err := w.o.Coordinator.Locate(ctx, tw.Cell)
			if err != nil {
				return d // computing will say what is wrong
			}
			for k := range parents {
				reads = append(reads, len(t.Parents)+k)
			}
			t.Parents = append(t.Parents, parents...)
			asked[tw.Cell] = reads
		}
		tw.Reads = reads
	}
	if len(asked) == 0 {
		return d
	}
	return located{d, &t}
}

// prefetch fetches the reads of a task that this worker has neither on its disk nor decoded. It returns the task, which
// may list more parents now.
func (w *worker) prefetch(ctx context.Context, p protocol.Prefetcher, d protocol.Delivery) protocol.Delivery {
	if d.Task().Run != w.o.Run {
		return d
	}
	ctx, cancel := context.WithTimeout(ctx, prefetchTime)
	defer cancel()
	d = w.locate(ctx, d)
	t := d.Task()
	var g errgroup.Group
	g.SetLimit(fetchers)
	reads := declaredReads(w.o.Puzzle, t)
	for i := range t.Parents {
		windows := t.Parents[i].Windows
		for k := range windows {
			lw := &windows[k]
			most := uint64(prefetchBytes)
			// Of a cell that is cut, a window may need some windows only, and only some puzzles say which.
			if reads(lw.Record.Window) {
				most = declaredBytes
			} else if len(windows) != 1 {
				continue
			}
			if lw.Record.Rows == 0 || lw.Record.Bytes > most || lw.HeldBy(w.o.Name) ||
				w.cache.Load().Has(lw.Record.ID()) {
				continue
			}
			g.Go(func() error {
				p.Prefetch(ctx, *lw)
				return nil
			})
		}
	}
	_ = g.Wait() // no fetch returns an error
	return d
}

// declaredReads returns a function that reports whether the windows of a task are known to read a window.
func declaredReads(p puzzle.Puzzle, t *protocol.Task) func(puzzle.Window) bool {
	var ranges []puzzle.Range
	for i := range t.Windows {
		if t.Windows[i].Copy == nil && len(t.Windows[i].Reads) > 0 {
			r, _ := puzzle.Reads(p, t.Windows[i].Window)
			ranges = append(ranges, r...)
		}
	}
	return func(w puzzle.Window) bool {
		return slices.ContainsFunc(ranges, func(r puzzle.Range) bool { return r.Overlaps(w) })
	}
}
