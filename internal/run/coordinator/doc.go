// Package coordinator leads a run: it assigns windows to the workers that have joined, writes their reports to the
// ledger, notices silent workers, assigns lost windows again, keeps replicas, and audits. It knows windows, not
// puzzles, and a queue, not its technology. Its parts decide, and the coordinator alone acts; it tells them everything.
// Package membership decides which workers take part, and assignment which of them computes which window. Package
// intake decides which reports count. Package failures decides what becomes of a window that fails: which worker has it
// next, and until when. Package doubt remembers the words of workers that are not believed, and audits that are due.
//
//	c := coordinator.New(run, pl, ledger, queue, coordinator.Options{Epoch: epoch})
//	go func() { err = c.Run(ctx) }()
//	// transports carry the messages of workers to c.Join, c.Heartbeat, c.Locate; reports come through the queue
//	<-c.Over()
//
// Package engine does all that in one call.
//
// # Doctrine
//
// The ledger is the only record of progress: the windows in it are done, and no others are. A worker commits a window
// (blocks, then one synced record) and reports the record; the coordinator writes it to the ledger, synced, before it
// answers. While the ledger syncs, the children that have become ready are assigned already: safe, because a child is
// recorded only after its parents.
//
// Workers join with an inventory of the windows on their disks, which counts as far as digests match the ledger. They
// drop windows that the ledger contradicts or no reader needs. One that falls silent is gone with its rows until it
// joins again. All of that is memory: holders in the ledger are hints for the first seconds after a start.
//
// A coordinator begins an epoch, greater than all before it, and says it with everything. One that hears of a greater
// epoch than its own stops (ErrFenced). So of two coordinators with copies of one ledger only one commits results of
// workers. A window that fails on workers and on the coordinator too is quarantined, and the run goes on without it as
// far as it can (QuarantineError).
//
// A worker's word against another's is decided by the coordinator itself: it computes a window of which two say
// different things (own.go), and reads a window of which one says that another does not serve it (accuse.go).
//
// # Goroutines and locks
//
// One goroutine, the loop of Run, owns everything: plan, membership, the account of tasks and copies, retries. It alone
// changes them and it alone writes the ledger, but for one helper that it starts and waits for, see commitReports.
// Others reach it in two ways, and wait for its answer in both: a report goes into loop.inbox (the loop takes
// all that have arrived at once, so that they share a sync), anything else is a function in loop.calls, see do.
// A timer (tickInterval) makes the loop look for silent workers and for windows that have waited long enough. Another
// (WatchEvery) makes it compare the queue with the tasks that should be in it.
//
// There is one lock, that of the plan: the loop holds it while it changes data that other goroutines read (Locate,
// Rows, Results), for moments and with nothing else held. Callbacks (Events, Options.Fleet.Broadcast) run in the loop:
// they must return quickly and must not call the coordinator.
package coordinator
