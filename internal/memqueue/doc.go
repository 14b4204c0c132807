// Package memqueue carries the tasks, reports and messages of a run inside one process, by value and without a
// server. It is the counterpart of a queue over a network, behind the same interfaces.
//
//	q, link := memqueue.New(), memqueue.NewLink()
//	c := ...                                      // a coordinator with q as its queue and link.Broadcast
//	link.Connect(c)
//	err := worker.Serve(ctx, ..., q.Worker("w"), link)
//
// What is passed through it is shared, not copied: neither end may change a task or a report that it has handed over.
package memqueue
