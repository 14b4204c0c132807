// Package assignment decides which worker computes which window, and keeps the account of the work out with workers:
// tasks to compute windows, copies to be made, and the rates of work. It decides from the plan and from its caller's
// word about the workers, and acts on nothing: the caller makes a task of the chosen windows, and passes it to the
// queue. It knows no queue, no ledger and no clock.
//
//	account := assignment.NewAccount(prefix)
//	round := assignment.Round{Plan: pl, Account: account, Rate: &rate, Workers: workers, Send: send, Divert: divert}
//	round.Assign()                 // calls send for each task, which calls account.Make and account.Track
//	account.Complete(id)           // a window was reported
//
// Its calls run one way: the round reads the account, and the account knows no round.
package assignment
