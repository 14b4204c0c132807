package compute

import (
	"sync"

	"pagoda/internal/puzzle"
)

// fresh knows which windows were computed because a stored copy was not to be used, and for which attempt. When that
// attempt is delivered again, the copy in the store is the new one: it must not be dropped once more, it may be
// reported already.
type fresh struct {
	mu sync.Mutex
	by map[puzzle.WindowID]string
}

// note records that a window was computed and committed for an attempt.
func (f *fresh) note(id puzzle.WindowID, attempt string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.by == nil {
		f.by = make(map[puzzle.WindowID]string)
	}
	f.by[id] = attempt
}

// has reports whether a window was computed for an attempt. One without a name is always another one.
func (f *fresh) has(id puzzle.WindowID, attempt string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return attempt != "" && f.by[id] == attempt
}
