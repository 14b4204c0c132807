//go:build amd64 && !purego

package counting

import "unsafe"

// doJobs does n > 0 jobs; jobsToCome more, which may be idle, follow them in memory.
func doJobs[R, P uint32 | uint64](
	jobs []job, twin bool, stretch []R, parent []P, pairs *pairTable,
) (sumLo, sumHi uint64) {
	do := addSingles
	switch {
	case unsafe.Sizeof(stretch[0]) == 4 && twin:
		do = addShortTwins
	case unsafe.Sizeof(stretch[0]) == 4:
		do = addShortSingles
	case unsafe.Sizeof(parent[0]) == 4 && twin:
		do = addWideningTwins
	case unsafe.Sizeof(parent[0]) == 4:
		do = addWideningSingles
	case twin:
		do = addTwins
	}
	return do(
		&jobs[0],
		len(jobs),
		unsafe.Pointer(&stretch[0]),
		unsafe.Pointer(&parent[0]),
		&pairs.all[0],
		pairs.first.Load(),
	)
}

// One for each combination of words: those of the stretch's counts are short in the first two, those of the parent's in
// the first four.

//go:noescape
func addShortSingles(jobs *job, n int, stretch, parent unsafe.Pointer, lists *pairList, ranks *uint16) (lo, hi uint64)

//go:noescape
func addShortTwins(jobs *job, n int, stretch, parent unsafe.Pointer, lists *pairList, ranks *uint16) (lo, hi uint64)

//go:noescape
func addWideningSingles(
	jobs *job,
	n int,
	stretch, parent unsafe.Pointer,
	lists *pairList,
	ranks *uint16,
) (lo, hi uint64)

//go:noescape
func addWideningTwins(jobs *job, n int, stretch, parent unsafe.Pointer, lists *pairList, ranks *uint16) (lo, hi uint64)

//go:noescape
func addSingles(jobs *job, n int, stretch, parent unsafe.Pointer, lists *pairList, ranks *uint16) (lo, hi uint64)

//go:noescape
func addTwins(jobs *job, n int, stretch, parent unsafe.Pointer, lists *pairList, ranks *uint16) (lo, hi uint64)
