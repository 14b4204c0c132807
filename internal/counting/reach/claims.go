package reach

import (
	"context"
	"sync"

	"pagoda/internal/puzzle"
)

// claims lets one computation at a time make a value that others want too.
type claims struct {
	mu     sync.Mutex
	making map[puzzle.WindowID]*claim
}

// A claim is a value that a computation makes.
type claim struct {
	over  chan struct{} // closed when it is made, or could not be
	value any           // nil when it could not
}

// once returns a value from the cache, from another computation that makes it, or from fn. A value of fn goes into the
// cache with its size in bytes. So slots do not make the same value at the same time, whether the cache has room for it
// or not.
func (c *claims) once(
	ctx context.Context, cache puzzle.Cache, id puzzle.WindowID, fn func() (any, uint64, error),
) (any, error) {
	for {
		if v, ok := cache.Get(id); ok {
			return v, nil
		}
		c.mu.Lock()
		other, ok := c.making[id]
		if !ok {
			mine := &claim{over: make(chan struct{})}
			c.making[id] = mine
			c.mu.Unlock()
			return c.make(mine, cache, id, fn)
		}
		c.mu.Unlock()
		select {
		case <-other.over:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if other.value != nil {
			return other.value, nil
		}
	}
}

func (c *claims) make(
	mine *claim, cache puzzle.Cache, id puzzle.WindowID, fn func() (any, uint64, error),
) (any, error) {
	defer func() { // also when fn panics
		c.mu.Lock()
		delete(c.making, id)
		c.mu.Unlock()
		close(mine.over)
	}()
	if v, ok := cache.Get(id); ok { // since it was looked for
		mine.value = v
		return v, nil
	}
	v, size, err := fn()
	if err != nil {
		return nil, err
	}
	mine.value = v
	cache.Put(id, v, size)
	return v, nil
}
