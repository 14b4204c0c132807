//go:build !amd64 || purego

package counting

func addJobsFast(jobs []job) (sumLo, sumHi uint64) { return addJobsPortable(jobs) }
