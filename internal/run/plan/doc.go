// Package plan holds the layers, cells and windows of a run, with the state of each window, the holders of its rows,
// and the merged tallies of committed windows. It decides which windows can be computed next, and it does nothing
// itself: no store, no queue, no clock.
//
//	p, err := plan.New(puzz)                      // the layers that can be told before anything is computed
//	err = p.Load(run, ledger.Load, held)          // what is committed
//	again := p.WantAll(plan.RetainAll)            // queues what is missing
//	ws, work := p.Next(p.AllPartitions(), target, limit)
//	err = p.CommitRecord(&rec)                    // tallies; flows are compared when both ends are complete
//	err = p.AddReplica(rec.ID(), "worker")        // children whose parents are all held become ready
//
// # Doctrine
//
// There is no barrier between layers: a window is ready when all windows of all its parent cells have holders. A window
// whose rows are needed and have no holder, because they were dropped, lost or found corrupt, is computed again, its
// parents first when theirs are gone too. Its record stays, so the second computation must give the digest of the
// first. For every edge between two cells the flow counted by the parent must equal the flow counted by the child.
//
// The life of a window is a state machine, see [State]. One goroutine changes a plan; the methods that say so may be
// called by others meanwhile.
package plan
