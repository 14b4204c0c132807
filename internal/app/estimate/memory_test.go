package estimate

import (
	"strconv"
	"testing"

	"pagoda/internal/run/plan"
)

// TestMemoryLimit: a process keeps to the memory that its plan predicts, and never takes more than the limit. A fleet's
// coordinator leads more than it computes, and a run whose layers are found on the way is planned in part only.
func TestMemoryLimit(t *testing.T) {
	const large = 1 << 40
	for _, c := range []struct {
		config string
		start  Start
		limit  uint64
		own    bool // the plan says less
	}{
		{"puzzle: peg\nboard: triangle6\nstart: r0c0\n", Start{}, large, true},
		{"puzzle: peg\nboard: triangle6\nstart: r0c0\n", Start{}, 300 << 20, true},
		{"puzzle: peg\nboard: triangle6\nstart: r0c0\n", Start{Fleet: true}, large, false},
		{"puzzle: baseball\nbases: 5\n", Start{}, large, false},
	} {
		j := jobOf(t, c.config+"concurrency: 1\nmemory_limit_bytes: "+strconv.FormatUint(c.limit, 10)+"\n")
		pre, err := Check(j, c.start)
		if err != nil {
			t.Fatal(err)
		}
		pred, err := plan.Predict(j.Puzzle, pre.Use)
		if err != nil {
			t.Fatal(err)
		}
		want := c.limit
		if c.own {
			want = pred.MemoryBytes
		}
		if pre.MemoryLimit != want {
			t.Errorf("%q with %d bytes, %+v: keeps to %d, planned %d",
				c.config, c.limit, c.start, pre.MemoryLimit, pred.MemoryBytes)
		}
	}
}
