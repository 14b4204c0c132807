// Package failures remembers the failures of a run's windows, and decides what follows from each: which worker has the
// window next and until when, when it is tried again, and when it is set aside. It queues accusations to be checked.
//
//	h := fs.Of(id)
//	h.Fail(worker, err, counts)
//	switch h.Decide(rules) {
//	case failures.Again: // by another worker
//	case failures.Here:  // by the coordinator
//	case failures.Blame: // by another worker; h.ToBlame() are at fault
//	case failures.Later: // fs.Retry(id, now)
//	case failures.Aside: // fs.SetAside(failures.Quarantined{...})
//	}
//
// It is told everything, by the one goroutine that leads the run. It knows no plan, ledger, queue or clock.
package failures
