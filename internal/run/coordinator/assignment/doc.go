// Package assignment decides which worker computes which window, and keeps the account of what is out with workers:
// tasks to compute windows, and copies to be made. It decides from the plan and from what it is told of the workers,
// and does nothing: who leads the run makes a task of what it is handed, and passes it to the queue. It knows no queue,
// no ledger and no clock.
//
//	account := assignment.NewAccount(prefix)
//	round := assignment.Round{Plan: pl, Account: account, Rate: &rate, Workers: workers, Send: send, Divert: divert}
//	round.Assign()                 // calls send for each task, which calls account.Make and account.Track
//	account.Complete(id)           // a window was reported
//
// Its calls run one way: the round reads the account and the rate, and they know neither it nor each other.
package assignment
