package simulate

import (
	"slices"
	"testing"
)

// shrink leaves out faults for as long as the same invariant still does not hold, and returns what is left with its
// last simulation. Each fault is tried a few times: without the runtime of tools/simulate a run does not repeat
// exactly.
func shrink(t *testing.T, r *result) *result {
	const tries = 3
	for again := true; again; {
		again = false
		for i := len(r.w.sc.Faults) - 1; i >= 0; i-- {
			less := *r.w.sc
			less.Faults = slices.Delete(slices.Clone(less.Faults), i, i+1)
			for range tries {
				next := simulate(t, &less)
				collect()
				if len(next.broken) > 0 && next.broken[0].kind == r.broken[0].kind {
					r, again = next, true
					break
				}
			}
		}
	}
	return r
}

// tell is a failed simulation as a readable sequence: the fleet, its faults, and what happened to the windows at fault.
func (r *result) tell() string {
	v := r.broken[0]
	return r.w.sc.String() + r.w.story(v.windows)
}
