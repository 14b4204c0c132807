// Package verify checks what a run has on disk: every block of every window with its checksums and the window's digest,
// every record, the flow on every edge; it counts again what the puzzle can count in a second way, and computes windows
// again from their parents, a share of them or all.
//
//	rep, err := verify.Run(ctx, p, folder, verify.Options{Repair: true, Recompute: &verify.Draw{share, seed}})
//	fmt.Println(rep.Verdict())
//
// What it finds is in the report; an error means that it could not be carried out. With Repair the next run computes
// again what was found bad.
//
// # Doctrine
//
// A report says what was done, and claims nothing about the rest. A window is read when its rows match the digest of
// its record: they are what its worker wrote, which need not be right. It is recomputed when its rows and its tally
// came out the same from the rows of its parents. What was neither read nor recomputed is taken on trust, and counted
// as such. Of a run that is not complete nothing is said but what holds for the windows that are there.
package verify
