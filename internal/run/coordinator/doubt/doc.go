// Package doubt keeps the workers and windows that a coordinator does not believe: workers that it has refused, windows
// that were computed from wrong ones, and windows about which workers, or the flows of two cells, contradict each
// other.
//
//	d := doubt.New(epoch)
//	d.Load(secret, refused, suspects)
//	d.Claim(id, doubt.Claim{Worker: "w", Record: rec}) // another result than that in the ledger
//	d.Disputed(id)                                     // the coordinator has to compute the window itself
//	v, err := d.Judge(id, entry, own)                  // which of the two results is wrong
//	distrust := d.Refuse(plan, v.Guilty, v.Wrong)      // for the ledger
//
// It is told everything, by the one goroutine that leads the run, and returns decisions. It changes no plan and writes
// no ledger. docs/security.md has the proof that no lie of a refused worker is left in the end.
package doubt
