package counting

import (
	"math/bits"
	"unsafe"
)

// A job adds counts of one parent stretch to a stretch: the pairs of one list. A twin job does so for two stretches,
// each with a parent stretch of its own, to which the same list applies: that saves half of the ranks to be loaded, and
// they are half of all loads. Jobs are listed first and then done at one go, so that the parent stretches can be
// fetched ahead of their use.
//
// Stretches are given by their first addresses, not by pointers: a window has hundreds of thousands of jobs, and
// pointers would have the garbage collector look at every one.
type job struct {
	parent, parent2   uint64 // in the parent window
	stretch, stretch2 uint32 // in the batch
	list              int32  // among the lists of the pairTable, in which pairs are padded to whole quads with (0, 0)
	pairs             int32
}

const (
	pairQuad   = 4 // pairs that an iteration of the assembly handles
	jobsToCome = 2 // how far ahead it fetches; so many idle jobs must follow the last one
)

// addJobs does jobs, all of them single or all of them twin: for every pair of each job it adds parent[from] to
// stretch[to]. It returns the sum of the counts added. The caller guarantees that every count fits a word of its
// stretch, that a job's sum fits 64 bits, and that every rank is inside its stretch. The parent's words are not larger
// than the stretch's, and jobsToCome more jobs, which may be idle, follow in memory.
func addJobs(jobs []job, twin bool, stretch, parent *Counts, pairs *pairTable) (sumLo, sumHi uint64) {
	switch {
	case len(jobs) == 0:
		return 0, 0
	case stretch.short != nil:
		return doJobs(jobs, twin, stretch.short, parent.short, pairs)
	case parent.short != nil:
		return doJobs(jobs, twin, stretch.lo, parent.short, pairs)
	}
	return doJobs(jobs, twin, stretch.lo, parent.lo, pairs)
}

// doJobsPortable is doJobs in Go.
func doJobsPortable[R, P uint32 | uint64](
	jobs []job, twin bool, stretch []R, parent []P, pairs *pairTable,
) (sumLo, sumHi uint64) {
	for i := range jobs {
		j := &jobs[i]
		to, from := pairs.of(j.list, int(j.pairs))
		sum := addPairs(stretch[j.stretch:], parent[j.parent:], to, from)
		if twin {
			sum += addPairs(stretch[j.stretch2:], parent[j.parent2:], to, from)
		}
		var c uint64
		sumLo, c = bits.Add64(sumLo, sum, 0)
		sumHi += c
	}
	return sumLo, sumHi
}

// addPairs adds parent[from] to stretch[to] for every pair.
//
// The ranks come from tables over the same low types as the stretches' lengths, so the bounds hold by construction, and
// checking them would cost a quarter of the loop.
func addPairs[R, P uint32 | uint64](stretch []R, parent []P, to, from []uint16) (sum uint64) {
	d, s := unsafe.Pointer(&stretch[0]), unsafe.Pointer(&parent[0])
	from = from[:len(to)]
	for p, t := range to {
		n := *(*P)(unsafe.Add(s, uintptr(from[p])*unsafe.Sizeof(parent[0])))
		*(*R)(unsafe.Add(d, uintptr(t)*unsafe.Sizeof(stretch[0]))) += R(n)
		sum += uint64(n)
	}
	return sum
}
