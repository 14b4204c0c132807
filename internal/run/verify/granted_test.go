package verify

import (
	"context"
	"math"
	"math/big"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

func TestGranted(t *testing.T) {
	for _, c := range []struct{ memory, least, limit, want uint64 }{
		{100, 10, 100, 0},  // it fits
		{100, 10, 99, 99},  // it does not, and can do with less
		{100, 10, 5, 10},   // its minimum exceeds the limit
		{100, 0, 5, 0},     // it states no minimum
		{100, 100, 5, 100}, // its minimum is all of it
	} {
		if got := granted(c.memory, c.least, c.limit); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// weighed is a chain whose windows say how much memory they were granted.
type weighed struct {
	*chain
	mu      sync.Mutex
	granted []uint64
}

func (w *weighed) Compute(
	ctx context.Context, win puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (puzzle.Tally, error) {
	w.mu.Lock()
	w.granted = append(w.granted, in.MemoryBytes())
	w.mu.Unlock()
	return w.chain.Compute(ctx, win, in, out)
}

// TestMemory: windows are computed again within the memory that there is, also those that would take more.
func TestMemory(t *testing.T) {
	c := newChain()
	for n := range c.Layers {
		c.Layers[n][0].MemoryBytes, c.Layers[n][0].LeastBytes = 100, 10
	}
	f := carriedOut(t, c)
	for limit, want := range map[uint64]uint64{
		0: 0, 1: 10, 50: 50, 99: 99, 100: 0, 1000: 0, math.MaxInt64: 0, math.MaxUint64: 0,
	} {
		w := &weighed{chain: c}
		r, err := Run(t.Context(), w, f, Options{Workers: 2, MemoryBytes: limit, Recompute: &Draw{Share: big.NewRat(1, 1)}})
		if err != nil || r.Recomputed != 5 || len(w.granted) != 5 {
			t.Fatalf("%d bytes: %d windows again, %v", limit, r.Recomputed, err)
		}
		if got := slices.Compact(w.granted); !slices.Equal(got, []uint64{want}) {
			t.Errorf("of %d bytes windows are granted %v, want %d", limit, got, want)
		}
	}
}

// A slow chain works before it computes a window.
type slow struct {
	*chain
	work func()
}

func (s slow) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (puzzle.Tally, error) {
	s.work()
	return s.chain.Compute(ctx, w, in, out)
}

// TestWorkers: no more windows are counted, or computed again, at a time than there are workers. Time is virtual, so
// that all of them are under way at a time where nothing bounds them.
func TestWorkers(t *testing.T) {
	for workers, want := range map[int]int{-1: 1, 0: 1, 1: 1, 2: 2, 9: 2} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			under, most := 0, 0
			work := func() {
				mu.Lock()
				under++
				most = max(most, under)
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				under--
				mu.Unlock()
			}
			r := puzzle.Recount{
				Windows: make([]puzzle.Window, 2),
				Share: func(context.Context, puzzle.Window, puzzle.Source) (n uint128.Uint128, err error) {
					work()
					return n, nil
				},
			}
			if _, err := sumShares(t.Context(), &r, nil, workers); err != nil || most != want {
				t.Errorf("%d workers count %d windows at a time, want %d: %v", workers, most, want, err)
			}
			most = 0
			c := slow{newChain(), work}
			o := Options{Workers: workers, Recompute: &Draw{Share: big.NewRat(1, 1)}}
			_, err := Run(t.Context(), c, carriedOut(t, c.chain), o)
			if most != min(max(1, workers), 5) || err != nil {
				t.Errorf("%d workers compute %d windows at a time: %v", workers, most, err)
			}
		})
	}
}
