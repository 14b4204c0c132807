// Package verify checks the data of a run on disk: every block of every window with its checksums and the window's
// digest, every record, the flow on every edge. It repeats the counts that the puzzle can make in a second way, and
// computes windows again from their parents, a share of them or all.
//
//	rep, err := verify.Run(ctx, p, folder, verify.Options{Repair: true, Recompute: &verify.Draw{share, seed}})
//	fmt.Println(rep.Verdict())
//
// The report lists the findings; an error means that the verification could not be carried out. With Repair the next
// run computes the bad windows again.
//
// # Doctrine
//
// A report states the checks that were made, and claims nothing about the rest. A window is read when its rows match
// the digest of its record: its worker wrote these rows, right or wrong. It is recomputed when its rows and its tally
// came out the same from the rows of its parents. A window neither read nor recomputed is taken on trust, and counted
// as such. The report on an incomplete run covers only the windows that are there.
package verify
