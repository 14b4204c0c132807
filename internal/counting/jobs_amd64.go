//go:build amd64 && !purego

package counting

func addJobsFast(jobs []job) (sumLo, sumHi uint64) {
	if jobs[0].run2 == nil {
		return addSingles(&jobs[0], len(jobs))
	}
	return addTwins(&jobs[0], len(jobs))
}

// addSingles is addJobs for n > 0 single jobs.
//
//go:noescape
func addSingles(jobs *job, n int) (sumLo, sumHi uint64)

// addTwins is addJobs for n > 0 twin jobs.
//
//go:noescape
func addTwins(jobs *job, n int) (sumLo, sumHi uint64)
