package counting

import (
	"math/bits"
	"unsafe"
)

// A job adds counts of one parent run to a run: the pairs of one list. A lead is computed by making the jobs of all its
// bundles first and then doing them at one go, so that the parent runs can be fetched ahead of their use: they come from
// the third-level cache or beyond, and waiting for them would take longer than adding.
type job struct {
	run, parent *uint64 // first slots
	to, from    *uint16 // pairs of them, padded to whole quads with (0, 0)
	pairs       int64
}

const (
	pairQuad   = 4 // pairs that an iteration of the assembly handles
	jobsToCome = 2 // how far ahead it fetches; so many idle jobs must follow the last one
)

// addJobs does the jobs of one edge: for every pair of each job it adds parent[from] to run[to]. It returns the sum of
// what it added. The caller guarantees that no slot and no job's sum leaves 64 bits, that every rank is inside its run and
// that jobsToCome more jobs, which may be idle, follow in memory.
func addJobs(jobs []job) (sumLo, sumHi uint64) {
	if len(jobs) == 0 {
		return 0, 0
	}
	return addJobsFast(jobs)
}

// addJobsPortable is addJobs in Go.
//
// The ranks come from tables over the same low types as the runs' lengths, so the bounds hold by construction, and
// checking them would cost a quarter of the loop.
func addJobsPortable(jobs []job) (sumLo, sumHi uint64) {
	for i := range jobs {
		j := &jobs[i]
		to, from := unsafe.Slice(j.to, j.pairs), unsafe.Slice(j.from, j.pairs)
		d, s := unsafe.Pointer(j.run), unsafe.Pointer(j.parent)
		var sum uint64
		for p, t := range to {
			n := *(*uint64)(unsafe.Add(s, uintptr(from[p])*8))
			*(*uint64)(unsafe.Add(d, uintptr(t)*8)) += n
			sum += n
		}
		var c uint64
		sumLo, c = bits.Add64(sumLo, sum, 0)
		sumHi += c
	}
	return sumLo, sumHi
}
