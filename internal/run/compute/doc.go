// Package compute is a worker's side of a run: it joins the coordinator, takes tasks, computes their windows in the
// worker's store, commits them, and reports the records.
//
//	err := compute.Serve(ctx, compute.Options{Name: name, Run: run, Puzzle: p, Store: store, Queue: q, ...})
//
// A worker is the same whether it runs in the coordinator's process or elsewhere: interfaces of package protocol carry
// its tasks, questions and rows.
//
// # Goroutines and locks
//
// Each of Options.Concurrency slots takes a task, computes its windows one after the other, and hands them to one of
// two committers, which commit, report and acknowledge them in groups: computing does not wait for disks. A slot whose
// rows come from other workers has a second goroutine that fetches the parents of the next task. One goroutine sends
// heartbeats, one listens to the messages for all workers. The locks (locks.go) keep two slots, or a slot and a drop,
// from working on one window; a slot that holds one lock never waits for another.
//
// Commit before report, report before acknowledgement: if a worker dies in between, the next task for the window finds
// it on disk, checks its digest and reports it.
package compute
