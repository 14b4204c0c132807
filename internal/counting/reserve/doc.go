// Package reserve counts solutions under the old French rule: the peg that is removed first is laid aside, and put back
// into its hole once, at any moment when that hole is empty. A solution is a sequence of jumps from the start to the
// goal together with the moment of putting back, which must happen.
//
// Positions are counted before and after the moment:
//
//	before(R)     = sum of before over the predecessors of R            (from the start)
//	after(R + h)  = sum of after over its predecessors, + before(R)     where hole h of the reserve is empty in R
//
// Played backwards, on complements, the rule is the same rule: so two sides, one from the start and one from the
// complement of the goal, meet in the middle. The moment has come when they do, or it has not yet:
//
//	solutions = sum of after(Q) x before'(complement of Q) + sum of before(R) x after'(complement of R)
//
// where the second sum leaves out of after' the games that put the reserve back at the meeting itself. Where the
// complement of the goal is the start, one side serves as both.
//
//	reserve.go  the puzzle: sides, layers, windows
//	side.go     the positions before and after the moment
//	feed.go     how counts come from before to after
//	recount.go  the sums a second time
//	summary.go  the number of solutions, or why there is none
package reserve
