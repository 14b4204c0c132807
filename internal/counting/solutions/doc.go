// Package solutions counts the solutions of one problem, or of every pair of a vacancy and a final peg.
//
//	solutions.go  the puzzle: problems, enumerations, layers
//	meeting.go    the joins that share a layer of an enumeration
//	cells.go      which cells of the enumerations the joins need
//	summary.go    the number of solutions, or the table of pairs
//	recount.go    the second count that verify makes
package solutions
