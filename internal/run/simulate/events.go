package simulate

import "container/heap"

// agenda holds future events by time; events at the same time happen in the order in which they were put in.
type agenda struct {
	now  float64 // seconds
	next uint64
	list eventHeap
}

type event struct {
	at  float64
	seq uint64
	do  func()
}

// at schedules do at a time that is not before now.
func (a *agenda) at(t float64, do func()) {
	a.next++
	heap.Push(&a.list, event{max(t, a.now), a.next, do})
}

// step carries out the next event. It reports whether there was any.
func (a *agenda) step() bool {
	if len(a.list) == 0 {
		return false
	}
	e := heap.Pop(&a.list).(event)
	a.now = e.at
	e.do()
	return true
}

type eventHeap []event

func (h eventHeap) Len() int { return len(h) }
func (h eventHeap) Less(i, j int) bool {
	if h[i].at != h[j].at {
		return h[i].at < h[j].at
	}
	return h[i].seq < h[j].seq
}
func (h eventHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *eventHeap) Push(x any)   { *h = append(*h, x.(event)) }
func (h *eventHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1].do = nil
	*h = old[:len(old)-1]
	return e
}
