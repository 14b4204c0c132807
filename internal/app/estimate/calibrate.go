// Package estimate predicts the cost of a run: computing time from a calibration on this machine, memory and disk from
// the plan, time on fleets from a simulation of the schedule.
package estimate

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"pagoda/internal/app/cli"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/memrun"
	"pagoda/internal/run/plan"
)

const (
	// CalibrationTime is how long the first layers are computed to see how fast this machine is.
	CalibrationTime = time.Second
	// calibrationRows bounds the rows that are kept for it.
	calibrationRows = 8 << 20
)

// A Rate predicts computing time in seconds: so much for each window, and so much for each unit of its predicted work.
type Rate struct {
	Window, Work float64
	Unknown      bool // the calibration did not get to windows that are large enough to tell
}

// Of is the time of a window of a cell.
func (r Rate) Of(c *puzzle.CellPlan, w puzzle.Window) float64 {
	return r.Window + r.Work*workOf(c, w)
}

// workOf is a window's share of the work of its cell. The last window of a cell may be far smaller than the others.
func workOf(c *puzzle.CellPlan, w puzzle.Window) float64 {
	return c.Work * float64(w.Addresses) / float64(c.Addresses)
}

// Calibrate measures the rate of a run's puzzle: it computes layer after layer until the CPU time is over, with rows
// coded and hashed as a store does it but kept in memory.
func Calibrate(ctx context.Context, run *memrun.Run, budget time.Duration) (Rate, error) {
	works, times, whole, err := measure(ctx, run, budget)
	switch {
	case err != nil:
		return Rate{}, err
	case whole:
		return mean(times), nil
	}
	return fit(works, times), nil
}

// measure computes windows until the CPU time is over. It returns their predicted work and their times in seconds, and
// whether they were the whole run.
func measure(
	ctx context.Context, run *memrun.Run, budget time.Duration,
) (works, times []float64, whole bool, err error) {
	begun := cpuTime()
	for cpuTime()-begun < budget && run.Rows() < calibrationRows {
		n := run.Layers()
		plans, err := run.Plan()
		if errors.Is(err, puzzle.ErrNoLayer) {
			return works, times, true, nil
		}
		if errors.Is(err, puzzle.ErrUndecided) {
			break
		}
		if err != nil {
			return nil, nil, false, err
		}
		for i := range plans {
			c := &plans[i]
			for _, k := range spread(c.Windows()) {
				if cpuTime()-begun > budget && len(times) > 0 {
					break
				}
				start, w := cpuTime(), c.Window(k)
				if err := run.Compute(ctx, w); err != nil {
					return nil, nil, false, fmt.Errorf("sample of layer %d: %w", n, err)
				}
				works = append(works, workOf(c, w))
				times = append(times, (cpuTime() - start).Seconds())
			}
		}
	}
	return works, times, false, nil
}

// sample is a run to be calibrated with, which keeps decoded windows where those of the plan find their parents decoded
// in a cache of so many bytes. That is so where the cache is as large as the stored rows of two layers. Decoded they
// are larger, but not all of them are read at a time. The French board is cached by this rule, with 408 MiB in 1 GiB,
// the diamond is not.
func sample(p puzzle.Puzzle, pl *plan.Plan, cache uint64) *memrun.Run {
	if widest(pl) <= float64(cache) {
		return memrun.Cached(p)
	}
	return memrun.New(p)
}

// widest is the most stored bytes that a layer and the one before have together.
func widest(pl *plan.Plan) (most float64) {
	var before float64
	for n := range pl.Layers() {
		var bytes float64
		for _, c := range pl.Cells(n) {
			bytes += c.RowBytes
		}
		most, before = max(most, before+bytes), bytes
	}
	return most
}

// spread lists 0..n-1, the middle first, so that however early it is broken off the numbers stand for all: the windows
// of a survey take less and less from the first to the last.
func spread(n int) []int {
	length := bits.Len(uint(n - 1))
	var list []int
	for i := range 1 << length {
		k := int(bits.Reverse64(uint64(i)) >> (64 - length))
		if length > 0 {
			k ^= 1 << (length - 1)
		}
		if k < n {
			list = append(list, k)
		}
	}
	return list
}

// mean makes a rate of all windows of a run.
func mean(times []float64) Rate {
	var r Rate
	for _, t := range times {
		r.Window += t / float64(len(times))
	}
	return r
}

// fit makes a rate of measured windows. The median time of the small ones, of less than an eighth of the largest's
// work, is the cost of a window however small. The time of the others beyond that is the cost of their work. A line
// through all points would be at the mercy of windows that made tables for the rest, or were interrupted.
func fit(works, times []float64) Rate {
	var most float64
	for _, w := range works {
		most = max(most, w)
	}
	var small []float64
	for i, w := range works {
		if w < most/8 {
			small = append(small, times[i])
		}
	}
	var r Rate
	if len(small) > 0 {
		slices.Sort(small)
		r.Window = small[len(small)/2]
	}
	var work, whole, beyond float64
	for i, w := range works {
		if w >= most/8 {
			work += w
			whole += times[i]
			beyond += max(0, times[i]-r.Window)
		}
	}
	if work > 0 {
		r.Work = beyond / work
	}
	r.Unknown = beyond <= whole/2
	return r
}

// cpuTime returns the processor time of this process so far. On a busy machine it says more than the wall clock.
func cpuTime() time.Duration {
	cpu, _ := cli.Used()
	return cpu
}
