//go:build !amd64 || purego

package counting

func doJobs[R, P uint32 | uint64](
	jobs []job, twin bool, run []R, parent []P, pairs *pairTable,
) (sumLo, sumHi uint64) {
	return doJobsPortable(jobs, twin, run, parent, pairs)
}
