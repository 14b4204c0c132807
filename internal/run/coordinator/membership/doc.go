// Package membership knows which workers take part in a run, and in which state: who has joined under which name, whose
// inventory is complete, who has been heard of when, who has reported what it was given, and who is tried next.
//
//	joined, replaced := members.Name(name, incarnation) // the first page of an inventory
//	m.Turn(incarnation, page, now)                      // each of its pages
//	m.Beat(&heartbeat, now)
//	members.Tick(now, deaf)
//	for _, name := range members.Silent(now) { members.Remove(name) }
//
// It is told everything, by the one goroutine that leads the run, and decides nothing about windows: what becomes of
// the tasks and rows of a worker is for its caller to say. It knows the messages of workers, and no plan, ledger, queue
// or clock.
package membership
