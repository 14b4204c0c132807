package reach

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"pagoda/internal/puzzle"
)

// noCache has no room for anything.
type noCache struct{}

func (noCache) Get(puzzle.WindowID) (any, bool)  { return nil, false }
func (noCache) Put(puzzle.WindowID, any, uint64) {}

// TestOnce: callers that want a value while it is made get that one, also without a cache. Where it could not be made,
// one of them tries. A caller whose context ends stops waiting.
func TestOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := claims{making: map[puzzle.WindowID]*claim{}}
		calls := 0 // one at a time
		var mu sync.Mutex
		gate, failure := make(chan any), errors.New("no peer has it")
		ask := func(ctx context.Context, got *[]any) {
			v, err := c.once(ctx, noCache{}, puzzle.WindowID{}, func() (any, uint64, error) {
				calls++
				if v := <-gate; v != nil {
					return v, 8, nil
				}
				return nil, 0, failure
			})
			switch {
			case errors.Is(err, context.Canceled):
				v = "cancelled"
			case errors.Is(err, failure):
				v = "failed"
			case err != nil:
				v = err
			}
			mu.Lock()
			defer mu.Unlock()
			*got = append(*got, v)
		}
		var first, others, away []any
		go ask(t.Context(), &first)
		synctest.Wait()
		for range 8 {
			go ask(t.Context(), &others)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go ask(ctx, &away)
		synctest.Wait()
		cancel()
		synctest.Wait()
		if len(away) != 1 || away[0] != "cancelled" || calls != 1 {
			t.Fatalf("who went away got %v; made %d times", away, calls)
		}
		gate <- nil
		synctest.Wait()
		if len(first) != 1 || first[0] != "failed" || len(others) != 0 || calls != 2 {
			t.Fatalf("the first got %v, the others %v; made %d times", first, others, calls)
		}
		gate <- 7
		synctest.Wait()
		if len(others) != 8 || calls != 2 || len(c.making) != 0 {
			t.Fatalf("the others got %v; made %d times; %d claims are left", others, calls, len(c.making))
		}
		for _, v := range others {
			if v != 7 {
				t.Errorf("got %v", v)
			}
		}
	})
}
