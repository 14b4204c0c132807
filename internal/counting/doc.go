// Package counting holds the kernels of peg solitaire and the puzzle that the pipeline runs: counting all games from a
// start.
//
// What is stored of a symmetry class is the number n of ways to play from the start to one position of it. n is constant
// on a class, so a position pulls its count from its predecessors without any orbit weights:
//
//	n(Q) = sum of n(P) over the positions P and jumps that lead from P to Q
//
// The kernel walks the addresses of a window run by run (positions that share lead and mid pattern). For a run and a jump
// undone, the predecessors are all in one run of one parent cell: its place and the symmetry that makes its lead pattern
// canonical are found once for the run. What remains is an inner loop over a list of rank pairs (to, from) that depends
// on the low field only and is shared by all runs:
//
//	n[to] += parent[from]
//
// No hashing, no search, no write outside the run; the pairs stay in the first two cache levels.
package counting
