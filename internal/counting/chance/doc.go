// Package chance computes the chances of games of random jumps: at each position every possible jump is equally
// likely.
//
//	chance.go    the run: positions layer by layer, with the chance that a game meets them
//	interval.go  a chance as an interval that is sure to contain it
//	report.go    the chances by layer, from the tallies of a run
//	exact.go     the same as fractions, from few positions
//	simulate.go  the same from games that are played
//
// Chances are whole numbers of units of 10^-38, added and divided in 128 bits. That was chosen over floating point with
// directed rounding: a sum of whole numbers is exact in any order. So all errors come from one division for each
// position, and the run adds them up: see counting.Enumeration.Split. No bound has to be taken from the number of
// operations, and the chances of all endings, with the errors added, are the chance 1 to the last unit.
package chance
