//go:build amd64 && !purego

package counting

func addJobsFast(jobs []job) (sumLo, sumHi uint64) { return addJobsAsm(&jobs[0], len(jobs)) }

// addJobsAsm is addJobs for n > 0 jobs.
//
//go:noescape
func addJobsAsm(jobs *job, n int) (sumLo, sumHi uint64)
