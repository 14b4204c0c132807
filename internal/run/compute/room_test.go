package compute

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/puzzle"
)

// sized is a cell whose windows take as many bytes as its layer says.
func sized(c puzzle.WindowID) (bytes, planned uint64) { return uint64(c.Layer), uint64(c.Layer) }

// enterAs enters a window with the bytes of its plan.
func enterAs(ctx context.Context, r *room, c puzzle.WindowID, progress func()) (leave func(), err error) {
	bytes, _ := r.need(c, func(planned uint64) uint64 { return planned })
	return r.enter(ctx, bytes, progress)
}

// Windows that come at random, of random sizes, never hold more than there is, and all of them get in. All free memory
// is used: the first to wait does not fit, and bytes that no window holds are lent.
func TestRoom(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(seed, 0))
		const most = 100
		var mu sync.Mutex
		held, largest, entered, lent := 0, 0, 0, 0
		room := newRoom(most, sized, func(bytes uint64) {
			mu.Lock()
			defer mu.Unlock()
			if lent = int(bytes); held+lent > most {
				t.Errorf("%d held and %d lent of %d", held, lent, most)
			}
		})
		takesIn := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			if held += n; held+lent > most {
				t.Errorf("%d held and %d lent of %d", held, lent, most)
			}
			if largest = max(largest, held); n >= 0 {
				entered++
			}
		}
		var all sync.WaitGroup
		const windows = 500
		for range windows {
			c := puzzle.WindowID{Cell: puzzle.Cell{Layer: r.IntN(most + 20)}} // larger ones take all
			comes, takes := time.Duration(r.IntN(3000))*time.Millisecond, time.Duration(1+r.IntN(50))*time.Millisecond
			all.Go(func() {
				time.Sleep(comes)
				leave, err := enterAs(t.Context(), room, c, func() {})
				if err != nil {
					t.Error(err)
					return
				}
				takesIn(min(c.Layer, most))
				time.Sleep(takes)
				takesIn(-min(c.Layer, most))
				leave()
			})
		}
		all.Wait()
		if entered < windows || held != 0 || lent != most || largest < most*9/10 {
			t.Errorf("%d windows of %d, %d held and %d lent in the end, %d held at most", entered, windows, held, lent, largest)
		}
	})
}

// A large window that waits is not passed by small ones, its task makes progress, and it gives up with its context.
func TestRoomWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := newRoom(10, sized, nil)
		enter := func(ctx context.Context, n int, progress func()) chan func() {
			in := make(chan func(), 1)
			go func() {
				leave, err := enterAs(ctx, room, puzzle.WindowID{Cell: puzzle.Cell{Layer: n}}, progress)
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				in <- leave
			}()
			synctest.Wait()
			return in
		}
		first := <-enter(t.Context(), 4, nil)
		progress := 0
		large := enter(t.Context(), 8, func() { progress++ })
		small := enter(t.Context(), 1, func() {})
		impatient, cancel := context.WithCancel(t.Context())
		gone := enter(impatient, 1, func() {})
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(large)+len(small)+len(gone) != 0 {
			t.Fatal("windows got in although a larger one was first")
		}
		if progress != int(time.Minute/waitingProgress) {
			t.Errorf("progress was told %d times in a minute", progress)
		}
		cancel()
		if leave := <-gone; leave != nil {
			t.Error("a window got in without a context")
		}
		first()
		(<-large)()
		(<-small)()
		if leave := <-enter(t.Context(), 10, nil); leave == nil {
			t.Error("not all of the memory came back")
		}
	})
}

// Without a budget no window waits.
func TestNoRoom(t *testing.T) {
	for range 3 {
		unlimited := newRoom(0, sized, nil)
		if _, err := enterAs(t.Context(), unlimited, puzzle.WindowID{Cell: puzzle.Cell{Layer: 5}}, nil); err != nil {
			t.Error(err)
		}
	}
}

// TestNeed: a window waits for the bytes that it will hold, and holds fewer only where it would not fit alone.
func TestNeed(t *testing.T) {
	const all = 100
	for _, c := range []struct{ bytes, planned, holds, want, reduced uint64 }{
		{80, 80, 80, 80, 0},
		{80, 80, 30, 30, 0},
		{50, 150, 150, 50, 50},
		{50, 150, 101, 50, 50},
		{50, 150, 100, 100, 0},
		{50, 150, 40, 40, 0},
		{0, 0, 0, 0, 0},
	} {
		r := newRoom(all, func(puzzle.WindowID) (bytes, planned uint64) { return c.bytes, c.planned }, nil)
		got, reduced := r.need(puzzle.WindowID{}, func(planned uint64) uint64 {
			if planned != c.planned {
				t.Errorf("%d bytes are planned, want %d", planned, c.planned)
			}
			return c.holds
		})
		if got != c.want || reduced != c.reduced {
			t.Errorf("%+v: %d bytes, reduced to %d", c, got, reduced)
		}
	}
}
