// Package membership knows which workers take part in a run, and in which state: the process behind each name, complete
// inventories, the times of last messages, the workers that report their tasks, and the time that each party may still
// cost.
//
//	joined, replaced := members.Name(name, incarnation) // the first page of an inventory
//	m.Turn(incarnation, page, now)                      // each of its pages
//	m.Beat(&heartbeat, now)
//	members.Tick(now, deaf)
//	for _, name := range members.Silent(now) { members.Remove(name) }
//
// It is told everything, by the one goroutine that leads the run, and decides nothing about windows: its caller decides
// about the tasks and rows of a worker. It knows the messages of workers, and no plan, ledger, queue or clock.
package membership
