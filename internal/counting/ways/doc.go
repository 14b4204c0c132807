// Package ways counts, for every position that is reachable and winnable, the paths from the start to it and the ways
// from it to the goal.
//
//	ways.go       the puzzle: two enumerations, and a pass back over each
//	pass.go       the cells of a pass
//	kernel.go     a window of a pass
//	rows.go       the rows of a pass, for people
//	rowset.go     look-ups of single rows
//	summary.go    solutions, and what is winnable layer by layer
//	recount.go    the second counts that verify makes
//	position.go   what is known of a position
//	walk.go       solutions by number, in order
//	few.go        the same of a small problem, without a run
//	draw.go       solutions of a run, and drawn at random
//	graph.go      the positions of all solutions, and the jumps between them
//	matches.go    solutions that are chosen: counted, and listed
//	often.go      how often jumps are played
//	occupancy.go  where the pegs of solutions are
package ways
