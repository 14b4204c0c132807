// Package counting is the kernel with which the puzzles of peg solitaire count jump sequences. The puzzles themselves
// are the rooms below it; they use the kernel and one another's work only in this direction:
//
//	games      all games from a start
//	solutions  the solutions of one problem, or of all pairs of a vacancy and a final peg; uses join
//	ways       the solutions through every position; uses join
//	sweeps     the solutions by their number of sweeps; uses ways
//	chance     the chances of random jumps
//	reserve    the solutions under the old French rule; uses join
//	sequences  all jump sequences, from anywhere to anywhere; uses join
//	join       two enumerations that meet: solutions by complement
//
// A run stores for a symmetry class the number n of ways to play from the start to one position of it. n is constant on
// a class, so a position pulls its count from its predecessors without any orbit weights:
//
//	n(Q) = sum of n(P) over the positions P and jumps that lead from P to Q
//
// The kernel walks the addresses of a window stretch by stretch (positions that share prefix and mid pattern). For a
// stretch and a jump undone, the predecessors are all in one stretch of one parent cell: its place and the symmetry
// that makes its prefix canonical are found once for the stretch. The rest is an inner loop over a list of rank pairs
// (to, from) that depends on the low field only and is shared by all stretches:
//
//	n[to] += parent[from]
//
// No hashing, no search, no write outside the stretches at hand; the pairs stay in the first two cache levels. The
// files, from the outside in:
//
//	enumeration.go  the cells of a start, layer by layer: what a puzzle plans and computes
//	cells.go        which cells are computed, and where a position is
//	merge.go        cells of several vectors; joint.go their windows
//	rows.go         the stored rows, for people
//	kernel.go       a window: its parents, bounds on its counts, its prefixes
//	window.go       a window that is computed or read, and not stored
//	feed.go         counts that do not come by a jump
//	masked.go       a window whose counts matter only where another has rows
//	reader.go       the windows of a parent
//	steps.go        which bundles of jumps a prefix lets be undone, and to which canonical prefix (a table)
//	pull.go         prefixes with the same stretches, together: groups of steps become jobs
//	pairs.go        the lists of rank pairs
//	counts.go       counts of consecutive addresses, in words of 32, 64 or 128 bits
//	dense.go        the counts of a window, with marks (marks.go) of what is not zero
//	jobs*.go        the inner loop, in Go and in assembly; wide.go for counts of 128 bits
//	dot.go          products of counts
//	turned.go       counts of stretches, by address; picked.go those that are not zero, for products
//	fetch_*.go      counts brought nearer before they are used
//	tally.go        what the window reports, from legality tables alone (jumps.go), stretch by stretch (sums*.go);
//	                classes are counted along the lists of representatives.go
//	split.go        counts that are chances, divided among the jumps of a row
//	blocks.go       the finished window, packed into blocks
//
// The kernel is one package of some 2,900 lines. The inner loop, the tables that it walks and the words of its counts
// are made for each other. A wall between them would be a call for every few nanoseconds of work.
//
// Assembly has a portable twin that gives the same counts; the build tag purego chooses it everywhere. A whole English
// board adds 500 million pairs, of which 196 million have a count that is not zero: skipping parent stretches without
// rows leaves so many. The time goes to the loads and stores of a pair (about 0.6 ns while all is in the second-level
// cache). Fetching parent stretches and lists from beyond that cache takes about as long again. So counts are as narrow
// as they can be, and prefixes whose parents have no rows are passed over at once. Stretches that nothing was pulled to
// are not looked at again.
package counting
