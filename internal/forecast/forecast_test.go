package forecast

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A chain of two cells on two workers, worked out by hand.
func TestByHand(t *testing.T) {
	p := Plan{
		{Windows: Uniform(3, 2, 100)},
		{Parents: []int{0}, Windows: Uniform(1, 5, 0)},
	}
	for _, c := range []struct {
		fleet Fleet
		want  Forecast
	}{
		{Fleet{Workers: 1}, Forecast{Seconds: 11, CriticalPath: 7, Efficiency: 1}},
		// Worker 0 has two windows of the parent, worker 1 one; worker 1 is idle longer and takes the child.
		{Fleet{Workers: 2}, Forecast{Seconds: 9, CriticalPath: 7, Efficiency: 11.0 / 18, Transferred: 200}},
		{Fleet{Workers: 2, Bandwidth: 100}, Forecast{Seconds: 11, CriticalPath: 7, Efficiency: 0.5, Transferred: 200}},
		{Fleet{Workers: 2, Overhead: 1}, Forecast{Seconds: 12, CriticalPath: 9, Efficiency: 11.0 / 24, Transferred: 200}},
		// Handed out at 1, 2 and 3 (when worker 0 has finished), then at 6.
		{Fleet{Workers: 2, Serial: 1}, Forecast{Seconds: 12, CriticalPath: 7, Efficiency: 11.0 / 24, Transferred: 200}},
	} {
		c.want.Work, c.want.Windows = 11, 4
		got, err := Simulate(p, c.fleet)
		if err != nil || got != c.want {
			t.Errorf("%+v:\n got %+v, %v\nwant %+v", c.fleet, got, err, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	one := Cell{Windows: Uniform(1, 1, 1)}
	for name, p := range map[string]Plan{
		"no windows":      {{}},
		"itself":          {{Parents: []int{0}, Windows: one.Windows}},
		"negative parent": {one, {Parents: []int{-1}, Windows: one.Windows}},
		"twice":           {one, {Parents: []int{0, 0}, Windows: one.Windows}},
		"negative cost":   {{Windows: Uniform(1, -1, 0)}},
		"no number":       {{Windows: Uniform(1, 0, math.NaN())}},
	} {
		if _, err := Simulate(p, Fleet{Workers: 1}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, f := range []Fleet{{}, {Workers: 1, Bandwidth: -1}, {Workers: 1, Overhead: math.Inf(1)}} {
		if _, err := Simulate(Plan{one}, f); err == nil {
			t.Errorf("%+v: no error", f)
		}
	}
}

func TestEmptyPlan(t *testing.T) {
	if got, err := Simulate(nil, Fleet{Workers: 3}); err != nil || got != (Forecast{}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// Any schedule that leaves no worker idle while a window is ready obeys Graham's bounds, and this one does what a clock
// that ticks does.
func TestSimulate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		f := Fleet{
			Workers: rapid.IntRange(1, 9).Draw(t, "workers"), Bandwidth: rapid.SampledFrom([]float64{0, 1, 2}).Draw(t, "bw"),
			Overhead: float64(rapid.IntRange(0, 2).Draw(t, "overhead")),
		}
		got, err := Simulate(p, f)
		if err != nil {
			t.Fatal(err)
		}
		seconds, bytes := tick(p, f)
		if got.Seconds != seconds || got.Transferred != bytes {
			t.Errorf("%g s and %g bytes, want %g and %g", got.Seconds, got.Transferred, seconds, bytes)
		}
		n := float64(f.Workers)
		all := got.Work + f.Overhead*float64(got.Windows)
		if got.Seconds < max(got.CriticalPath, all/n)-1e-9 {
			t.Errorf("%+v is faster than possible", got)
		}
		if f.Bandwidth == 0 && got.Seconds > all/n+got.CriticalPath*(n-1)/n+1e-9 {
			t.Errorf("%+v leaves workers idle", got)
		}
	})
}

// One worker fetches nothing, and whatever the fleet, a worker gets no cell more than once.
func TestTransferred(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		read := map[int]bool{}
		for i := range p {
			for _, q := range p[i].Parents {
				read[q] = true
			}
		}
		bytes := 0.0
		for q := range read {
			for _, w := range p[q].Windows {
				bytes += w.Bytes
			}
		}
		for workers := range 5 {
			got, err := Simulate(p, Fleet{Workers: workers + 1, Bandwidth: 3})
			if err != nil || got.Transferred > float64(workers)*bytes {
				t.Errorf("%d workers: %+v, %v; %g bytes are read", workers+1, got, err, bytes)
			}
		}
	})
}

func drawPlan(t *rapid.T) Plan {
	p := make(Plan, rapid.IntRange(1, 12).Draw(t, "cells"))
	for i := range p {
		for q := range i {
			if rapid.IntRange(0, 3).Draw(t, "parent") == 0 {
				p[i].Parents = append(p[i].Parents, q)
			}
		}
		for range rapid.IntRange(1, 4).Draw(t, "windows") {
			p[i].Windows = append(p[i].Windows, Window{
				float64(rapid.IntRange(0, 5).Draw(t, "seconds")), 2 * float64(rapid.IntRange(0, 3).Draw(t, "bytes")),
			})
		}
	}
	return p
}

// tick is the slow reference: the time goes by in halves of a second, and every list is searched from its beginning.
func tick(p Plan, f Fleet) (seconds, bytes float64) {
	type job struct{ cell, window, worker, until int }
	var idle []int
	for w := range f.Workers {
		idle = append(idle, w)
	}
	var running []job
	done, given := map[[2]int]int{}, map[[2]int]bool{} // window: worker
	has := map[[3]int]bool{}                           // cell, window, worker
	cellDone := func(i int) bool {
		for w := range p[i].Windows {
			if _, ok := done[[2]int{i, w}]; !ok {
				return false
			}
		}
		return true
	}
	first := func() (cell, window int, ok bool) {
		for i := range p {
			if slices.ContainsFunc(p[i].Parents, func(q int) bool { return !cellDone(q) }) {
				continue
			}
			for w := range p[i].Windows {
				if !given[[2]int{i, w}] {
					return i, w, true
				}
			}
		}
		return 0, 0, false
	}
	for now := 0; ; now++ {
		slices.SortFunc(running, func(a, b job) int {
			return slices.Compare([]int{a.until, a.cell, a.window}, []int{b.until, b.cell, b.window})
		})
		for again := true; again; {
			again = false
			for len(running) > 0 && running[0].until == now {
				j := running[0]
				running = running[1:]
				done[[2]int{j.cell, j.window}] = j.worker
				has[[3]int{j.cell, j.window, j.worker}] = true
				idle = append(idle, j.worker)
				seconds = float64(now) / 2
			}
			for len(idle) > 0 {
				i, w, ok := first()
				if !ok {
					break
				}
				given[[2]int{i, w}] = true
				worker := idle[0]
				idle = idle[1:]
				took := 2 * (p[i].Windows[w].Seconds + f.Overhead)
				for _, q := range p[i].Parents {
					for v := range p[q].Windows {
						if key := [3]int{q, v, worker}; !has[key] {
							has[key] = true
							bytes += p[q].Windows[v].Bytes
							if f.Bandwidth > 0 {
								took += 2 * p[q].Windows[v].Bytes / f.Bandwidth
							}
						}
					}
				}
				running = append(running, job{i, w, worker, now + int(took)})
				again = again || took == 0
			}
			slices.SortFunc(running, func(a, b job) int {
				return slices.Compare([]int{a.until, a.cell, a.window}, []int{b.until, b.cell, b.window})
			})
		}
		if _, _, ready := first(); !ready && len(running) == 0 {
			return seconds, bytes
		}
	}
}
