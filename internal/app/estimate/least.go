package estimate

import (
	"fmt"
	"strconv"

	"pagoda/internal/app/runs"
	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/run/plan"
)

const (
	windowSetting = "window_addresses"
	// smallestWindow ends the search, in addresses: below it most of the time goes to the fixed cost of windows.
	smallestWindow = 1 << 14
	// largestWindow is tried first where windows are uncut.
	largestWindow = 1 << 24
	// mostWindows bounds the plans that are made to find windows that fit.
	mostWindows = 300_000
)

// leastMemory returns advice for a job that needs more memory than the limit, in bytes. need is the memory for its own
// windows, one at a time. Smaller windows make it another run: each size tried is a quarter of the one before.
func leastMemory(j *runs.Job, need, limit uint64) string {
	hint := fmt.Sprintf("--set memory_limit_bytes=%d is enough", need)
	least, at := need, uint64(0)
	size := j.Config.Uint(windowSetting)
	if size == 0 {
		size = largestWindow * 4
	}
	for size /= 4; size >= smallestWindow; size /= 4 {
		p, err := j.WithSetting(windowSetting, strconv.FormatUint(size, 10))
		if err != nil {
			break // too small for this puzzle
		}
		pl, err := plan.New(p)
		if err != nil || pl.WindowCount > mostWindows {
			break
		}
		_, pred := Resources(pl, 1, plan.RetainAll, limit)
		if pred.MemoryBytes <= limit {
			return fmt.Sprintf("%s; so is --set %s=%d, with smaller windows, which is another run", hint, windowSetting, size)
		}
		if pred.MemoryBytes < least {
			least, at = pred.MemoryBytes, size
		}
	}
	if at > 0 {
		hint += fmt.Sprintf("; smaller windows, which is another run, need %s at least (--set %s=%d)", quantity.Bytes(least),
			windowSetting, at)
	}
	return hint
}
