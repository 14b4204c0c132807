package plan

import "pagoda/internal/puzzle"

// A Budget bounds the memory of the windows that a process computes at a time, parents included, by the plan: a window
// waits until there is room for it, and one that would not find room holds less than the plan says, if it can. It is
// not modified, so it may be used concurrently.
type Budget struct {
	// Bytes is at least the memory of the largest window.
	Bytes uint64
	// Reduced counts the cells whose windows hold less than the plan says.
	Reduced int
	cells   map[puzzle.Cell]portion
}

// A portion bounds the memory of the windows of a cell.
type portion struct {
	bytes uint64 // of a window, at most
	plan  *puzzle.CellPlan
}

// Of returns how many bytes computing a window may hold, and how many it holds by the plan: where these are more, it
// has to do with less, see puzzle.Source. Both are 0 for a window that is planned later, or without a budget.
func (b *Budget) Of(w puzzle.WindowID) (bytes, planned uint64) {
	if b == nil {
		return 0, 0
	}
	s, ok := b.cells[w.Cell]
	if !ok {
		return 0, 0
	}
	planned = s.plan.Memory(w.Part)
	return min(s.bytes, planned), planned
}

// Total returns the budget in bytes, 0 when there is none.
func (b *Budget) Total() uint64 {
	if b == nil {
		return 0
	}
	return b.Bytes
}

// Budget bounds the memory of the plan's windows in a process that may use limit bytes. It leaves room for garbage and
// the databases, and for a cache of decoded windows: half of the room beside the largest window, at most cache bytes. A
// window that takes more than the room holds an equal part of it with others, concurrency at a time, and there is no
// cache. Where it needs more than its part, the budget has room for it, and Predict tells how much.
func (p *Plan) Budget(limit, cache uint64, concurrency int) (*Budget, uint64) {
	b := &Budget{cells: make(map[puzzle.Cell]portion, len(p.Index))}
	room := uint64(0)
	if limit > overheadMemory {
		room = (limit - overheadMemory) / 3 * 2 // see Predict
	}
	for cell, c := range p.Index {
		s := portion{bytes: c.MemoryBytes, plan: c.CellPlan}
		if least := c.LeastBytes; s.bytes > room && least > 0 && least < s.bytes {
			s.bytes = max(least, room/uint64(max(1, concurrency)))
			b.Reduced++
		}
		b.cells[cell] = s
		b.Bytes = max(b.Bytes, s.bytes)
	}
	if room <= b.Bytes {
		return b, 0
	}
	if b.Reduced > 0 {
		b.Bytes = room
		return b, 0
	}
	cache = min(cache, (room-b.Bytes)/2)
	b.Bytes = room - cache
	return b, cache
}
