package counting

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestAddJobs compares the jobs as this machine does them with the portable way, on random lists.
func TestAddJobs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var jobs, others []job
		var runs, copies [][]uint64
		twin := rapid.Bool().Draw(t, "twin")
		for range rapid.IntRange(0, 5).Draw(t, "jobs") {
			size := rapid.IntRange(1, 70).Draw(t, "slots")
			counts := rapid.SliceOfN(rapid.Uint64Range(0, 1<<56), size, size)
			n := rapid.IntRange(1, 40).Draw(t, "pairs")
			ranks := rapid.SliceOfN(rapid.Uint16Range(0, uint16(size-1)), n, n)
			pads := make([]uint16, pairQuad-1)
			to, from := append(ranks.Draw(t, "to"), pads...), append(ranks.Draw(t, "from"), pads...)
			j := job{to: &to[0], from: &from[0], pairs: int64(n)}
			draw := func() (run, copied, parent *uint64) {
				r := counts.Draw(t, "run")
				c := slices.Clone(r)
				runs, copies = append(runs, r), append(copies, c)
				return &r[0], &c[0], &counts.Draw(t, "parent")[0]
			}
			other := j
			j.run, other.run, j.parent = draw()
			if twin {
				j.run2, other.run2, j.parent2 = draw()
			}
			other.parent, other.parent2 = j.parent, j.parent2
			jobs, others = append(jobs, j), append(others, other)
		}
		n := len(jobs)
		jobs = append(jobs, make([]job, jobsToCome)...)[:n]
		lo, hi := addJobs(jobs)
		wantLo, wantHi := addJobsPortable(others)
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
