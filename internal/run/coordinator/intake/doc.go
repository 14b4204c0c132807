// Package intake checks reports: each window of a report as a record, as an attempt, and as a content, in this order
// and once each.
//
//   - The record is of the run, and names a window of the plan. Otherwise the window is passed over.
//   - The attempt is due: the coordinator has given the window to the worker, and not taken it back since. A content
//     that no computation can give makes the worker guilty if its attempt is due, and proves nothing if it is not.
//   - The content agrees with the ledger, and its sums can be added to those of the run. Otherwise the window is in
//     dispute, and the coordinator computes it itself.
//
// A window that is passed over proves nothing: neither that it is computed nor that an attempt has failed.
//
//	s, err := desk.Sift(reports)
//	entries, audits := s.Entries(plan) // for the ledger
//
// It is told everything, by the one goroutine that leads the run, and returns decisions: it changes no plan, writes no
// ledger, and asks no worker.
package intake
