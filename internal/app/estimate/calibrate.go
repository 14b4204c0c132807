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
	return r.Window + r.Work*c.Share(w)
}

// A measured window has a share of its cell's work by its addresses, work of its own, and a time in seconds.
type measured struct{ share, work, time float64 }

// Calibrate measures the rate of a run's puzzle: it computes layer after layer until the CPU time is over, with rows
// coded and hashed as a store does it but kept in memory.
func Calibrate(ctx context.Context, run *memrun.Run, budget time.Duration) (Rate, error) {
	windows, whole, err := measure(ctx, run, budget)
	switch {
	case err != nil:
		return Rate{}, err
	case whole:
		return mean(windows), nil
	}
	return fit(windows), nil
}

// measure computes windows until the CPU time is over, and reports whether they were the whole run.
func measure(
	ctx context.Context, run *memrun.Run, budget time.Duration,
) (windows []measured, whole bool, err error) {
	begun := cpuTime()
	for cpuTime()-begun < budget && run.Rows() < calibrationRows {
		n := run.Layers()
		plans, err := run.Plan()
		if errors.Is(err, puzzle.ErrNoLayer) {
			return windows, true, nil
		}
		if errors.Is(err, puzzle.ErrUndecided) {
			break
		}
		if err != nil {
			return nil, false, err
		}
		for i := range plans {
			c := &plans[i]
			for _, k := range spread(c.Windows()) {
				if cpuTime()-begun > budget && len(windows) > 0 {
					break
				}
				start, w := cpuTime(), c.Window(k)
				if err := run.Compute(ctx, w); err != nil {
					return nil, false, fmt.Errorf("sample of layer %d: %w", n, err)
				}
				m := measured{share: c.Share(w), time: (cpuTime() - start).Seconds()}
				if m.work, err = run.WindowWork(c, w); err != nil {
					return nil, false, fmt.Errorf("work of window %v: %w", w, err)
				}
				windows = append(windows, m)
			}
		}
	}
	return windows, false, nil
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
func mean(windows []measured) Rate {
	var r Rate
	for _, m := range windows {
		r.Window += m.time / float64(len(windows))
	}
	return r
}

// fit makes a rate of measured windows. The median time of the small ones, of less than an eighth of the largest's
// share, is the cost of a window however small. The time of the others beyond that is the cost of their work. A line
// through all points would be at the mercy of windows that made tables for the rest, or were interrupted. Small is a
// window of few addresses: one of many that has little work says nothing of the others' fixed cost.
func fit(windows []measured) Rate {
	var most float64
	for _, m := range windows {
		most = max(most, m.share)
	}
	var small []float64
	for _, m := range windows {
		if m.share < most/8 {
			small = append(small, m.time)
		}
	}
	var r Rate
	if len(small) > 0 {
		slices.Sort(small)
		r.Window = small[len(small)/2]
	}
	var work, whole, beyond float64
	for _, m := range windows {
		if m.share >= most/8 {
			work += m.work
			whole += m.time
			beyond += max(0, m.time-r.Window)
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
