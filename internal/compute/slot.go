package compute

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"pagoda/internal/protocol"
	"pagoda/internal/puzzle"
)

const (
	// shortTask is what tasks take of which a slot takes the next while it computes one, so that what that reads is
	// fetched meanwhile. A long one would wait here while somebody else is idle.
	shortTask = 100 * time.Millisecond
	// fetchers is how many windows are fetched at a time for one task.
	fetchers = 4
	// prefetchBytes bounds the coded size of a window that is fetched ahead: of larger ones the fetching is no longer most
	// of what they cost, and not all of them may be needed.
	prefetchBytes = 1 << 20
	// declaredBytes is prefetchBytes for windows of which the puzzle says that they will be read.
	declaredBytes = 16 << 20
	// prefetchTime bounds the fetching ahead for a task: what a worker that hangs holds is the reader's trouble.
	prefetchTime = 2 * time.Second
)

// slot computes one task after the other.
func (w *worker) slot(ctx context.Context) error {
	if p, ok := w.o.Fetcher.(protocol.Prefetcher); ok {
		return w.slotPrefetching(ctx, p)
	}
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

// slotPrefetching is slot with a Prefetcher, which brings near what the next task reads while this one is computed.
func (w *worker) slotPrefetching(ctx context.Context, p protocol.Prefetcher) error {
	// Each token in turn lets the taker take one task.
	turn, tasks := make(chan struct{}, 1), make(chan protocol.Delivery)
	turn <- struct{}{}
	taken := make(chan error, 1)
	go func() {
		defer close(tasks)
		taken <- w.take(ctx, p, turn, tasks)
	}()
	took := shortTask
	for d := range tasks {
		early := took < shortTask
		if early {
			turn <- struct{}{}
		}
		start := time.Now()
		w.computed <- w.compute(ctx, d)
		took = time.Since(start)
		if !early {
			turn <- struct{}{}
		}
	}
	return <-taken
}

// take takes tasks for a slot, and brings near what they read.
func (w *worker) take(
	ctx context.Context,
	p protocol.Prefetcher,
	turn <-chan struct{},
	tasks chan<- protocol.Delivery,
) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-turn:
		}
		d, err := w.next(ctx)
		if d == nil {
			return err
		}
		w.prefetch(ctx, p, d.Task())
		d.Progress()
		select {
		case tasks <- d:
		case <-ctx.Done():
			<-w.tokens
			_ = d.Nak() // otherwise it comes back after its time
			return nil
		}
	}
}

// prefetch fetches what a task reads and this worker has neither on its disk nor decoded.
func (w *worker) prefetch(ctx context.Context, p protocol.Prefetcher, t *protocol.Task) {
	if t.Run != w.o.Run {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, prefetchTime)
	defer cancel()
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
}

// declaredReads returns what says whether a window is one that the windows of a task are known to read.
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
