package compute

import (
	"testing"

	"pagoda/internal/puzzle"
)

// TestLent: in every epoch, the cache of decoded windows may use the memory that no window holds.
func TestLent(t *testing.T) {
	w := newWorker(&Options{MemoryBytes: 100, MemoryOf: sized, CacheBytes: 10}, nil)
	takes := func(bytes uint64) bool {
		id := puzzle.WindowID{}
		w.cache.Load().Put(id, nil, bytes)
		return w.cache.Load().Has(id)
	}
	for epoch := range uint64(3) {
		w.beginEpoch(epoch)
		if !takes(110) || takes(111) {
			t.Errorf("epoch %d: the cache does not end at 110 bytes", epoch)
		}
		leave, err := w.room.enter(t.Context(), 70, func() {})
		if err != nil {
			t.Fatal(err)
		}
		w.beginEpoch(epoch + 10)
		if !takes(40) || takes(41) {
			t.Errorf("epoch %d: with a window of 70 bytes the cache does not end at 40", epoch)
		}
		leave()
	}
}
