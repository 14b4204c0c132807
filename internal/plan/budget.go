package plan

import "pagoda/internal/puzzle"

// A Budget bounds what the windows that a process computes at a time hold in memory, parents included, by the plan: a
// window waits until there is room for it. It is not modified, so it may be used concurrently.
type Budget struct {
	// Bytes is at least what the largest window holds.
	Bytes uint64
	cells map[puzzle.Cell]uint64
}

// Of is what computing a window of a cell holds, 0 for one that is planned later, or without a budget.
func (b *Budget) Of(c puzzle.Cell) uint64 {
	if b == nil {
		return 0
	}
	return b.cells[c]
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
// cache bytes. For a limit below what the largest window takes, the budget has room for that one, and Predict says
// what it takes.
func (p *Plan) Budget(limit, cache uint64) (*Budget, uint64) {
	b := &Budget{cells: make(map[puzzle.Cell]uint64, len(p.Index))}
	for cell, c := range p.Index {
		b.cells[cell] = c.MemoryBytes
		b.Bytes = max(b.Bytes, c.MemoryBytes)
	}
	room := uint64(0)
	if limit > overheadMemory {
		room = (limit - overheadMemory) / 3 * 2 // see Predict
	}
	if room <= b.Bytes {
		return b, 0
	}
	cache = min(cache, (room-b.Bytes)/2)
	b.Bytes = room - cache
	return b, cache
}
