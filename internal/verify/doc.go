// Package verify reads everything again that a run has on disk: every block of every window with its checksums and the
// window's digest, every record, the flow on every edge, and it counts again what the puzzle can count in a second way.
//
//	rep, err := verify.Run(ctx, p, folder, verify.Options{Repair: true})
//
// What it finds is in the report; an error means that it could not be carried out. With Repair the next run computes
// again what was found bad.
package verify
