package cache

import (
	"slices"
	"testing"

	"pagoda/internal/puzzle"

	"pgregory.net/rapid"
)

// TestCacheForgetsTheLeastRecent compares the cache with a list.
func TestCacheForgetsTheLeastRecent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := uint64(20)
		c := New(limit)
		type entry struct {
			id   puzzle.WindowID
			v    int
			size uint64
		}
		var model []entry // most recent first
		find := func(id puzzle.WindowID) int {
			return slices.IndexFunc(model, func(e entry) bool { return e.id == id })
		}
		for step := range rapid.IntRange(0, 60).Draw(t, "steps") {
			id := puzzle.WindowID{Part: rapid.IntRange(0, 7).Draw(t, "id")}
			i := find(id)
			forget := func() {
				used := uint64(0)
				for j, e := range model {
					if used += e.size; used > limit {
						model = model[:j]
						break
					}
				}
			}
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				v, ok := c.Get(id)
				if ok != (i >= 0) || ok && v != model[i].v {
					t.Fatalf("get %v: %v, %t", id, v, ok)
				}
				if ok {
					e := model[i]
					model = slices.Insert(slices.Delete(model, i, i+1), 0, e)
				}
			case 1:
				size := rapid.Uint64Range(0, limit+3).Draw(t, "size")
				c.Put(id, step, size)
				if i >= 0 {
					model = slices.Delete(model, i, i+1)
				}
				if size <= limit {
					model = slices.Insert(model, 0, entry{id, step, size})
				}
				forget()
			case 2:
				c.Evict([]puzzle.WindowID{id})
				if i >= 0 {
					model = slices.Delete(model, i, i+1)
				}
			case 3:
				limit = rapid.Uint64Range(0, 30).Draw(t, "limit")
				c.SetLimit(limit)
				forget()
			}
			if len(c.entries) != len(model) || c.used > limit {
				t.Fatalf("%d entries with %d bytes, want %d entries", len(c.entries), c.used, len(model))
			}
		}
	})
}
