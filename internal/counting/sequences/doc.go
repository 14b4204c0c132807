// Package sequences counts the playable jump sequences of a board: all sequences of at least one jump, from any
// position to any other. Let M have a one for every jump from one position to another. The number is the sum of all
// entries of M + M^2 + M^3 + ...
//
// Every position begins with one and pulls the counts of its predecessors, so that its count is the number of sequences
// of none or more jumps that end there. By complement it is also the number of those that begin at its complement, so
// half of the layers suffice: a sequence ends above the middle, or begins below it, or crosses it. The last are a join
// of the middle layer with itself. On demand the layers below the middle are counted too, which gives the sequences by
// the number of pegs at the end, and by complement at the beginning; their sum must be the same.
//
//	sequences.go  the puzzle: layers, the middle, windows
//	closure.go    on small boards, the number of pairs that a sequence joins
//	summary.go    the totals and the table of layers
//	recount.go    the second count that verify makes
package sequences
