package estimate

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pagoda/internal/app/runs"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/simulate"
)

// narrow is a puzzle whose windows read the first address of each parent, and say so.
type narrow struct{ puzzle.Puzzle }

func (n narrow) Reads(w puzzle.Window) (ranges []puzzle.Range, whole bool) {
	cells, _ := n.Layer(w.Layer, nil)
	for _, c := range cells {
		for _, parent := range c.Parents {
			if c.Cell == w.Cell {
				ranges = append(ranges, puzzle.Range{Cell: parent, Addresses: 1})
			}
		}
	}
	return ranges, false
}

// TestPlanned: a simulation of planned layers gives the same as one that plans them itself, also of a puzzle whose
// later layers depend on results.
func TestPlanned(t *testing.T) {
	cost := func(_ *puzzle.CellPlan, w puzzle.Window) float64 { return float64(w.Addresses) }
	for _, p := range []puzzle.Puzzle{
		&enginetest.Pascal{Depth: 6, Slots: 10}, &enginetest.BFS{Nodes: 100, Window: 10},
		narrow{&enginetest.Pascal{Depth: 8, Slots: 300, Window: 20}},
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
	forecast := func(windows int) *Plan {
		out := &Plan{Windows: windows, Concurrency: 2}
		err := out.forecast(t.Context(), &runs.Job{Puzzle: p}, pl, Rate{Window: 0.25, Work: 0.5},
			Fleets{Workers: []int{1}, Most: simulatedHere})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	few, many := forecast(pl.WindowCount), forecast(simulatedHere+1)
	if math.Abs(many.CPUSeconds-few.CPUSeconds) > 1e-9*few.CPUSeconds || many.Seconds != many.CPUSeconds/2 ||
		many.Seconds > few.Seconds || len(many.Notes) != 1 || len(few.Notes) != 0 || len(few.Fleets) != 1 {
		t.Errorf("simulated %+v, not simulated %+v", few, many)
	}
}

// TestGivenStepIsRepeated: with the time of a step given, a plan repeats its figures of fleets. They are those of a
// simulation of the run itself on such workers, as bench/scale carries it out.
func TestGivenStepIsRepeated(t *testing.T) {
	j := jobOf(t, "puzzle: peg\nboard: english\nstart: center\nconcurrency: 2\nwindow_addresses: 16384\n")
	rate := GivenRate(5e-9)
	f := Fleets{
		Workers: []int{1, 3}, Most: math.MaxInt, Bandwidth: 1e8, Latency: time.Millisecond, Memory: 1 << 30, Rate: &rate,
	}
	told := map[string]bool{}
	f.Progress = func(doing string) { told[strings.Fields(doing)[0]] = true }
	first, err1 := Make(t.Context(), j, f)
	second, err2 := Make(t.Context(), j, f)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if len(first.Fleets) != 2 || !reflect.DeepEqual(first.Fleets, second.Fleets) ||
		first.Seconds != second.Seconds || first.CPUSeconds != second.CPUSeconds {
		t.Errorf("%+v, and once more %+v", first, second)
	}
	if !told["planning:"] || !told["simulating"] || told["computing"] {
		t.Errorf("told: %v", told)
	}
	pl, err := plan.New(j.Puzzle)
	if err != nil {
		t.Fatal(err)
	}
	fleet, _ := Worker(pl, 2, plan.RetainAll, f.Memory)
	fleet.Workers, fleet.Bandwidth, fleet.Latency = 3, f.Bandwidth, f.Latency
	x, err := simulate.Run(t.Context(), j.Puzzle, rate.Of, fleet)
	got := first.Fleets[1]
	if err != nil || got.Seconds != x.Seconds || got.Efficiency != x.Efficiency ||
		got.Transferred != uint64(x.MovedBytes) {
		t.Errorf("%+v in the plan, %+v of the run, %v", got, x, err)
	}
}

// TestFleetsHaveDisksOfTheirOwn: the workers of a fleet decide whether it can hold a run, not the disk and the memory
// of this machine.
func TestFleetsHaveDisksOfTheirOwn(t *testing.T) {
	j := jobOf(t, "puzzle: peg\nboard: english\nstart: center\nconcurrency: 1\nmemory_limit_bytes: 67108864\n")
	rate := GivenRate(5e-9)
	f := Fleets{Workers: []int{2, 16}, Most: math.MaxInt, Bandwidth: 1e8, Memory: 4 << 30, Rate: &rate}
	p, err := Make(t.Context(), j, f)
	if err != nil {
		t.Fatal(err)
	}
	if p.Fits || !p.Fleets[0].Fits || !p.Fleets[1].Fits {
		t.Errorf("on a machine with 64 MiB of memory: %v; fleets with 4 GiB each: %+v", p.Fits, p.Fleets)
	}
	few, many := p.Fleets[0].DiskBytes, p.Fleets[1].DiskBytes
	if many >= few {
		t.Fatalf("each of 2 workers takes %d bytes of disk, each of 16 takes %d", few, many)
	}
	f.Disk = many
	if p, err = Make(t.Context(), j, f); err != nil {
		t.Fatal(err)
	}
	if p.Fleets[0].Fits || !p.Fleets[1].Fits {
		t.Errorf("workers with disks for a fleet of 16: %+v", p.Fleets)
	}
	text := string(p.Text(render.Style{}))
	if !strings.Contains(text, "fleet of 2   does not fit: a worker needs up to") ||
		!strings.Contains(text, "does not fit on this machine: ") || strings.Contains(text, "fleet of 16") {
		t.Error(text)
	}
	// Nine replicas take nine times the rows, where there are as many workers.
	more := jobOf(t, "puzzle: peg\nboard: english\nstart: center\nconcurrency: 1\nreplicas: 9\n")
	p, err = Make(t.Context(), more, f)
	if err != nil || p.Fleets[0].DiskBytes/2 != few || p.Fleets[1].DiskBytes/9 != many {
		t.Errorf("%d and %d bytes of disk for one replica, and for more %+v, %v", few, many, p.Fleets, err)
	}
	f.Memory = 1 << 20
	if p, err = Make(t.Context(), j, f); err != nil || p.Fleets[1].Fits {
		t.Errorf("workers with a megabyte of memory: %+v, %v", p.Fleets, err)
	}
}
