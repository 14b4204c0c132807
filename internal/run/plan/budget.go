package plan

import "pagoda/internal/puzzle"

// A Budget bounds what the windows that a process computes at a time hold in memory, parents included, by the plan: a
// window waits until there is room for it, and one that would not find room holds less than the plan says, if it can.
// It is not modified, so it may be used concurrently.
type Budget struct {
	// Bytes is at least what the largest window holds.
	Bytes uint64
	// Reduced counts the cells whose windows hold less than the plan says.
	Reduced int
	cells   map[puzzle.Cell]portion
}

// A portion is what the windows of a cell may hold.
type portion struct {
	bytes uint64 // of a window, at most
	plan  *puzzle.CellPlan
}

// Of is what computing a window may hold, and what it holds by the plan: where that is more, it has to do with less,
// see puzzle.Source. Both are 0 for a window that is planned later, or without a budget.
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

// Total is the budget in bytes, 0 when there is none.
func (b *Budget) Total() uint64 {
	if b == nil {
		return 0
	}
	return b.Bytes
}

// Budget bounds the windows of the plan by what a process may use, in bytes, after it has left room for garbage and the
// databases, and for a cache of decoded windows, which gets half of what the largest window leaves and at most
// cache bytes. A window that takes more than all of that holds an equal part of it with others, concurrency at a time,
// and there is no cache; where it cannot do with so little, the budget has room for it, and Predict says what it takes.
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
