// Package sweeps counts the solutions of a problem by their number of sweeps. A sweep is a row of consecutive jumps of
// one peg, as long as it can be made: the jump after it is one of another peg.
//
// Of every position that is reachable and winnable (package ways finds them) it counts the jump sequences to it by
// sweeps, as a polynomial T in x. With S(k) the sum of T over the positions from which k consecutive jumps of one peg
// lead to Q,
//
//	T(Q) = sum over k of x (1-x)^(k-1) S(k)
//
// for a sweep of n jumps is cut into pieces in all ways, and a piece of k jumps has the weight x (1-x)^(k-1). The
// weights multiply and add up to x (x + (1-x))^(n-1) = x. So the last jump need not be stored. Terms are negative on
// the way, and sums are kept modulo 2^128. The result is a number of sequences, and package ways has counted all of
// them without overflow.
//
// Two sides meet in the middle, where a piece with a jump of the middle joins them: one side from the start, and one
// from the goal, on complements, where the jumps are the same and their order is the other one. The longest sweep is
// found on the way: all positions of a row of jumps that begins at a reachable position and ends at a winnable one are
// both.
//
//	sweeps.go   the puzzle: layers and windows
//	side.go     the positions of one side, where they are stored, and what they are computed from
//	poly.go     polynomials
//	totals.go   the stored totals of a window
//	reader.go   looking up positions
//	chains.go   rows of jumps of one peg that end at a position
//	window.go   a window of a side
//	join.go     a window of the middle
//	states.go   sequences by the hole where the last jump ended, for lists
//	list.go     the solutions with so many sweeps, from the rows of a run
//	longest.go  a solution with the longest sweep
//	summary.go  the distribution, the least number of sweeps, and how many solutions have it up to symmetry
package sweeps
