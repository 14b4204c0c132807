//go:build !amd64 || purego

package counting

func doJobs[R, P uint32 | uint64](
	jobs []job, twin bool, stretch []R, parent []P, pairs *pairTable,
) (sumLo, sumHi uint64) {
	return doJobsPortable(jobs, twin, stretch, parent, pairs)
}
