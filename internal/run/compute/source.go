package compute

import (
	"context"
	"errors"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/window/cache"
)

// source gives one task the windows of its parents. It is used by one goroutine.
type source struct {
	protocol.Source
	ctx      context.Context
	locator  protocol.Locator
	fetcher  protocol.Fetcher
	cache    *cache.Cache
	progress func()
	task     *protocol.Task          // lists the reads of its windows
	reads    []int                   // of the present window: see TaskWindow.Reads
	stale    bool                    // a statement of the task has turned out wrong
	reader   puzzle.Cell             // the cell of the present window
	parents  []protocol.Located      // of the reader
	loss     map[puzzle.WindowID]int // of unreadable windows: their LocatedWindow.Loss
	foreign  error                   // the computation asked for a cell outside its plan
}

func newSource(
	ctx context.Context, l protocol.Locator, f protocol.Fetcher, decoded *cache.Cache, progress func(),
) *source {
	s := &source{
		ctx: ctx, locator: l, fetcher: f, cache: decoded, progress: progress, loss: make(map[puzzle.WindowID]int),
	}
	s.Source = protocol.Source{Locate: s.locate, Read: s.read, Decoded: decoded}
	return s
}

// begin prepares for a window of cell c. The places of its parents are looked up once for all of its windows in a task.
func (s *source) begin(c puzzle.Cell) {
	s.stale = s.stale || len(s.loss) > 0
	if s.reader != c || s.foreign != nil || len(s.loss) > 0 {
		s.reader, s.parents, s.foreign = c, nil, nil
		clear(s.loss)
	}
}

func (s *source) locate(c puzzle.Cell) (protocol.Located, error) {
	if s.parents == nil && len(s.reads) > 0 && !s.stale {
		s.parents = make([]protocol.Located, len(s.reads))
		for i, k := range s.reads {
			s.parents[i] = s.task.Parents[k]
		}
	}
	if s.parents == nil {
		parents, err := s.locator.Locate(s.ctx, s.reader)
		if err != nil {
			return protocol.Located{}, err
		}
		s.parents = parents
	}
	for i := range s.parents {
		if s.parents[i].Cell == c {
			return s.parents[i], nil
		}
	}
	s.foreign = &puzzle.ForeignError{Reader: s.reader, Cell: c}
	return protocol.Located{}, s.foreign
}

func (s *source) read(
	ctx context.Context, w *protocol.LocatedWindow, first, addresses uint64, fn func(*puzzle.Block) error,
) error {
	if len(w.Holders) == 0 {
		// The coordinator knew when it said so: this is no news to it, and by now the window may be back.
		return s.missing(w, w.Loss-1, errors.New("nobody holds it"))
	}
	// An error of fn is the computation's own, whatever it wraps.
	var own error
	err := s.fetcher.Blocks(ctx, *w, first, addresses, func(b *puzzle.Block) error {
		s.progress()
		own = fn(b)
		return own
	})
	if err != nil && own == nil && (errors.Is(err, kv.ErrCorrupt) || errors.Is(err, kv.ErrNotFound) ||
		errors.Is(err, protocol.ErrUnreachable)) {
		return s.missing(w, w.Loss, err)
	}
	return err
}

func (s *source) missing(lw *protocol.LocatedWindow, loss int, cause error) error {
	id := lw.Record.Window.ID()
	s.cache.Evict([]puzzle.WindowID{id})
	s.loss[id] = loss
	return &puzzle.MissingError{Window: id, Cause: cause}
}

// missed completes the failure of a computation that could not read a parent.
func (s *source) missed(m *puzzle.MissingError, f *protocol.Failure) bool {
	for _, l := range s.parents {
		for i := range l.Windows {
			w := &l.Windows[i]
			if w.Record.Window.ID() != m.Window {
				continue
			}
			f.Kind, f.Missing, f.Loss = protocol.FailMissing, &w.Record.Window, s.loss[m.Window]
			for _, p := range w.Holders {
				f.Holders = append(f.Holders, p.Name)
			}
			f.Unreachable = errors.Is(m, protocol.ErrUnreachable) && !errors.Is(m, kv.ErrCorrupt) &&
				!errors.Is(m, kv.ErrNotFound)
			return true
		}
	}
	return false
}

// sink passes a computation's rows to the store's writer.
type sink struct {
	out      puzzle.Sink
	progress func()
}

func (s sink) Block(b *puzzle.Block) error {
	s.progress()
	return s.out.Block(b)
}
