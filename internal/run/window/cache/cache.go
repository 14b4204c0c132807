package cache

import (
	"container/list"
	"sync"

	"pagoda/internal/puzzle"
)

// Cache is a puzzle.Cache that forgets what was used least recently once its values exceed a number of bytes.
type Cache struct {
	mu          sync.Mutex
	limit, used uint64
	entries     map[puzzle.WindowID]*list.Element
	recent      list.List // of *cached, most recent first
}

type cached struct {
	id   puzzle.WindowID
	v    any
	size uint64
}

// New makes a cache of at most limit bytes.
func New(limit uint64) *Cache {
	return &Cache{limit: limit, entries: make(map[puzzle.WindowID]*list.Element)}
}

// Get implements puzzle.Cache.
func (c *Cache) Get(id puzzle.WindowID) (any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[id]
	if !ok {
		return nil, false
	}
	c.recent.MoveToFront(e)
	return e.Value.(*cached).v, true
}

// Put offers a value; one that exceeds the limit alone is not taken.
func (c *Cache) Put(id puzzle.WindowID, v any, size uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[id]; ok {
		c.remove(e)
	}
	if size > c.limit {
		return
	}
	c.fit(c.limit - size)
	c.entries[id] = c.recent.PushFront(&cached{id, v, size})
	c.used += size
}

// SetLimit bounds the cache by another number of bytes, and forgets what does not fit.
func (c *Cache) SetLimit(limit uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limit = limit
	c.fit(limit)
}

// fit forgets values until the rest takes at most so many bytes.
func (c *Cache) fit(bytes uint64) {
	for c.used > bytes {
		c.remove(c.recent.Back())
	}
}

// Has reports whether a value is there, and does not count as its use.
func (c *Cache) Has(id puzzle.WindowID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.entries[id]
	return ok
}

// Evict removes values, as far as they are there.
func (c *Cache) Evict(ids []puzzle.WindowID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		if e, ok := c.entries[id]; ok {
			c.remove(e)
		}
	}
}

func (c *Cache) remove(e *list.Element) {
	v := c.recent.Remove(e).(*cached)
	delete(c.entries, v.id)
	c.used -= v.size
}
