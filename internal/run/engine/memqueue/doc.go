// Package memqueue carries the tasks, reports and messages of a run inside one process, by value and without a server.
// It is the counterpart of package natsqueue, behind the same interfaces.
//
//	q, link := memqueue.New(), memqueue.NewLink()
//	o.Fleet.Broadcast = link.Broadcast
//	c := coordinator.New(run, pl, ledger, q, o)
//	link.Connect(c)
//	err := compute.Serve(ctx, compute.Options{Queue: q.Worker("w"), Coordinator: link, ...})
//
// What passes through it is shared, not copied: neither end may change a task or a report that it has handed over. No
// task is lost, and none is delivered twice unless it was given back.
package memqueue
