package estimate

import (
	"errors"
	"reflect"
	"testing"

	"pagoda/internal/engine/enginetest"
	"pagoda/internal/plan"
	"pagoda/internal/puzzle"
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
