package compute

import (
	"slices"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// forgetful is a fetcher that notes the windows that it is to forget.
type forgetful struct {
	protocol.Fetcher
	windows []puzzle.WindowID
}

func (f *forgetful) Forget(ids []puzzle.WindowID) { f.windows = append(f.windows, ids...) }

// TestDroppedIsForgotten: a worker keeps no decoded or fetched copy of a window that will not be read any more. It
// ignores such messages of another run or another coordinator.
func TestDroppedIsForgotten(t *testing.T) {
	gone := []puzzle.WindowID{{Cell: puzzle.Cell{Layer: 1, Key: "a"}}, {Cell: puzzle.Cell{Layer: 1, Key: "b"}, Part: 2}}
	f := &forgetful{}
	s := &session{o: Options{Run: "run", Fetcher: f, CacheBytes: 100}, wake: make(chan struct{}, 1)}
	s.worker = newWorker(&s.o, s)
	s.epoch.Store(2)
	for _, id := range gone {
		s.worker.cache.Load().Put(id, "decoded", 1)
	}
	s.dropped(&protocol.Drop{Run: "other", Epoch: 2, Windows: gone, Unread: true})
	s.dropped(&protocol.Drop{Run: "run", Epoch: 1, Windows: gone, Unread: true})
	if len(f.windows) > 0 || !s.worker.cache.Load().Has(gone[0]) {
		t.Errorf("%v are forgotten because somebody else says so", f.windows)
	}
	s.dropped(&protocol.Drop{Run: "run", Epoch: 2, Windows: gone, Unread: true})
	if !slices.Equal(f.windows, gone) || s.worker.cache.Load().Has(gone[0]) || s.worker.cache.Load().Has(gone[1]) {
		t.Errorf("%v are forgotten, want %v", f.windows, gone)
	}
}
