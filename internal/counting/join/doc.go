// Package join counts the jump sequences between two positions from two enumerations that meet.
//
//	join.go        the formula, and which cells of the two sides belong together
//	cells.go       which cells a join needs
//	complement.go  where the complements of a window's positions are on the other side
//	joiner.go      the products, stretch by stretch or row by row
//	runs.go        the same run by run, where fields do not stay fields
//	halves.go      half of the jumps suffice where a game is its own reverse
//
// Its tests are those of the puzzles that use it: package solutions plays every join after every number of jumps, by
// stretches, by runs and by rows, against a slow reference.
package join
