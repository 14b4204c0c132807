package estimate

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"pagoda/internal/engine/enginetest"
	"pagoda/internal/plan"
	"pagoda/internal/puzzle"
	"pagoda/internal/runs"
	"pagoda/internal/simulate"
)

// TestPlanned: a simulation of layers that are planned already gives what one gives that plans them, also of a puzzle
// whose later layers depend on results.
func TestPlanned(t *testing.T) {
	cost := func(_ *puzzle.CellPlan, w puzzle.Window) float64 { return float64(w.Addresses) }
	for _, p := range []puzzle.Puzzle{
		&enginetest.Pascal{Depth: 6, Slots: 10}, &enginetest.BFS{Nodes: 100, Window: 10},
	} {
		pl, err := plan.New(p)
		if err != nil {
			t.Fatal(err)
		}
		fleet := simulate.Fleet{Workers: 3, Concurrency: 2}
		got, err1 := simulate.Run(t.Context(), planned{p, pl}, cost, fleet)
		want, err2 := simulate.Run(t.Context(), p, cost, fleet)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		got.CoordinatorCPU, want.CoordinatorCPU = 0, 0 // by the clock of this machine
		if !reflect.DeepEqual(got, want) || got.Work == 0 {
			t.Errorf("%+v planned beforehand, %+v otherwise", got, want)
		}
	}
}

// TestManyWindows: the time of a run of more windows than are simulated is that of a machine that never waits.
func TestManyWindows(t *testing.T) {
	p := &enginetest.Pascal{Depth: 6, Slots: 10}
	pl, err := plan.New(p)
	if err != nil {
		t.Fatal(err)
	}
	forecast := func(most int) *Plan {
		out := &Plan{Windows: pl.WindowCount, Concurrency: 2}
		err := out.forecast(t.Context(), &runs.Job{Puzzle: p}, pl, Rate{Window: 0.25, Work: 0.5}, Fleets{Most: most})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	few, many := forecast(pl.WindowCount), forecast(pl.WindowCount-1)
	if math.Abs(many.CPUSeconds-few.CPUSeconds) > 1e-9*few.CPUSeconds || many.Seconds != many.CPUSeconds/2 ||
		many.Seconds > few.Seconds || len(many.Notes) != 1 || len(few.Notes) != 0 {
		t.Errorf("simulated %+v, not simulated %+v", few, many)
	}
}
