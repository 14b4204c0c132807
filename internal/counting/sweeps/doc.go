// Package sweeps counts the solutions of a problem by their number of sweeps. A sweep is a row of consecutive jumps of
// one peg.
//
// Of every position that is reachable and winnable (package ways finds them) and every hole where the last jump can
// have ended, it counts the jump sequences by sweeps, as a polynomial in x: a jump that goes on with the peg of the
// last one costs nothing, any other a factor x. With T the sum over the holes,
//
//	after(Q, h) = sum over the jumps from f to h of x T(P) + (1 - x) after(P, f)
//
// and beside it goes the longest sweep that can have ended there: all positions of a sweep that begins at a reachable
// position and ends at a winnable one are both. Two sides meet in the middle, where a jump joins them: one from the
// start, and one from the goal, on complements, where the jumps are the same and their order is the other one.
//
//	sweeps.go   the puzzle: layers and windows
//	side.go     the positions of one side, and where they are stored
//	poly.go     polynomials
//	states.go   the stored counts of a window
//	window.go   a window of a side
//	join.go     a window of the middle
//	list.go     the solutions with so many sweeps, from the rows of a run
//	longest.go  a solution with the longest sweep
//	summary.go  the distribution, the least number of sweeps, and how many solutions have it up to symmetry
package sweeps
