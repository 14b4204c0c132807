package counting

import (
	"math/bits"
	"unsafe"
)

// A job adds counts of one parent run to a run: the pairs of one list. A twin job does so for two runs, each with a
// parent run of its own, to which the same list applies: that saves half of the ranks to be loaded, and they are half
// of all loads. Jobs are listed first and then done at one go, so that the parent runs can be fetched ahead of their
// use.
type job struct {
	run, parent   *uint64 // first slots
	run2, parent2 *uint64 // nil in a single job
	to, from      *uint16 // pairs of them, padded to whole quads with (0, 0)
	pairs         int64
}

const (
	pairQuad   = 4 // pairs that an iteration of the assembly handles
	jobsToCome = 2 // how far ahead it fetches; so many idle jobs must follow the last one
)

// addJobs does jobs, all of them single or all of them twin: for every pair of each job it adds parent[from] to
// run[to]. It returns the sum of what it added. The caller guarantees that no slot and no job's sum leaves 64 bits,
// that every rank is inside its run and that jobsToCome more jobs, which may be idle, follow in memory.
func addJobs(jobs []job) (sumLo, sumHi uint64) {
	if len(jobs) == 0 {
		return 0, 0
	}
	return addJobsFast(jobs)
}

// addJobsPortable is addJobs in Go.
func addJobsPortable(jobs []job) (sumLo, sumHi uint64) {
	for i := range jobs {
		j := &jobs[i]
		to, from := unsafe.Slice(j.to, j.pairs), unsafe.Slice(j.from, j.pairs)
		sum := addPairs(j.run, j.parent, to, from)
		if j.run2 != nil {
			sum += addPairs(j.run2, j.parent2, to, from)
		}
		var c uint64
		sumLo, c = bits.Add64(sumLo, sum, 0)
		sumHi += c
	}
	return sumLo, sumHi
}

// addPairs adds parent[from] to run[to] for every pair.
//
// The ranks come from tables over the same low types as the runs' lengths, so the bounds hold by construction, and
// checking them would cost a quarter of the loop.
func addPairs(run, parent *uint64, to, from []uint16) (sum uint64) {
	d, s := unsafe.Pointer(run), unsafe.Pointer(parent)
	from = from[:len(to)]
	for p, t := range to {
		n := *(*uint64)(unsafe.Add(s, uintptr(from[p])*8))
		*(*uint64)(unsafe.Add(d, uintptr(t)*8)) += n
		sum += n
	}
	return sum
}
