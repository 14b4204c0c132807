package counting

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestAddJobs compares the jobs as this machine does them with the portable way, on random lists.
func TestAddJobs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var jobs, twins []job
		var runs, copies [][]uint64
		for range rapid.IntRange(0, 5).Draw(t, "jobs") {
			counts := rapid.SliceOfN(rapid.Uint64Range(0, 1<<56), 1, 70)
			run, parent := counts.Draw(t, "run"), counts.Draw(t, "parent")
			n := rapid.IntRange(1, 40).Draw(t, "pairs")
			to := rapid.SliceOfN(rapid.Uint16Range(0, uint16(len(run)-1)), n, n).Draw(t, "to")
			from := rapid.SliceOfN(rapid.Uint16Range(0, uint16(len(parent)-1)), n, n).Draw(t, "from")
			to, from = padded(to), padded(from)
			twin := slices.Clone(run)
			runs, copies = append(runs, run), append(copies, twin)
			jobs = append(jobs, job{&run[0], &parent[0], &to[0], &from[0], int64(n)})
			twins = append(twins, job{&twin[0], &parent[0], &to[0], &from[0], int64(n)})
		}
		n := len(jobs)
		jobs = append(jobs, make([]job, jobsToCome)...)[:n]
		lo, hi := addJobs(jobs)
		wantLo, wantHi := addJobsPortable(twins)
		if lo != wantLo || hi != wantHi {
			t.Fatalf("sum %d:%d, portable %d:%d", hi, lo, wantHi, wantLo)
		}
		for i := range runs {
			if !slices.Equal(runs[i], copies[i]) {
				t.Fatalf("job %d: run %v, portable %v", i, runs[i], copies[i])
			}
		}
	})
}
