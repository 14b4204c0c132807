package plan

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan/plantest"
)

// TestPredict adds up a diamond by hand. Its rows take 1, 2, 4 and 8 GB, in the order of the plan, and b can be dropped
// only with c, when d is there.
func TestPredict(t *testing.T) {
	p := diamond(t)
	for i, cell := range []puzzle.Cell{cellA, cellB, cellC, cellD} {
		c := p.Index[cell]
		c.RowBytes, c.MemoryBytes, c.SharedBytes = float64(uint64(1e9)<<i), uint64(i+1)<<20, uint64(4-i)
	}
	end := p.Index[cellD]
	end.MemoryBytes = 1 << 20 // so that the largest is not the last
	for _, test := range []struct {
		r              Resources
		decided        bool
		expected       int
		window, memory uint64 // without the overhead
		row            uint64
	}{
		{Resources{}, true, 0, 3 << 20, 9 << 19, 15e9},
		{Resources{Concurrency: 2, CacheBytes: 4 << 20, Retention: RetainAll}, true, 0, 3 << 20, 15 << 20, 15e9},
		{Resources{Budget: &Budget{Bytes: 2 << 20}, Concurrency: 2, Retention: RetainLast}, true, 0, 2 << 20, 3 << 20, 14e9},
		{Resources{Budget: &Budget{Bytes: 9 << 20}, Retention: RetainSummary}, true, 0, 3 << 20, 9 << 19, 14e9},
		{Resources{Retention: RetainLast}, true, 1, 3 << 20, 9 << 19, 15e9},
		{Resources{Retention: RetainSummary}, false, 0, 3 << 20, 9 << 19, 15e9},
		{Resources{Concurrency: 1 << 60, CacheBytes: 1 << 63}, true, 0, 3 << 20, 3 << 62, 15e9},
	} {
		p.Decided, p.Expected = test.decided, test.expected
		want := Prediction{
			Layers: 3, Cells: 4, Windows: 6, Addresses: 40, Work: 1e5, SharedBytes: 4, Partial: !test.decided,
			Expected: test.expected, WindowBytes: test.window, MemoryBytes: test.memory + overheadMemory, RowBytes: test.row,
			DiskBytes: kv.SegmentDisk(test.row, 15e9) + kv.DatabaseDisk(6),
		}
		if got := p.Predict(test.r); got != want {
			t.Errorf("%+v, decided %t: %+v, want %+v", test.r, test.decided, got, want)
		}
	}
	// Cells that nothing reads are dropped as they are done, if a summary is kept alone.
	apart := puzzle.CellPlan{Cell: cellA, Addresses: 1, Cuts: []uint64{0}, RowBytes: 5}
	other := apart
	other.Cell = puzzle.Cell{Key: "b"}
	for keep, row := range map[Retention]uint64{RetainAll: 10, RetainLast: 10, RetainSummary: 5} {
		got, err := Predict(&plantest.Paper{Layers: [][]puzzle.CellPlan{{apart, other}}}, Resources{Retention: keep})
		if err != nil || got.RowBytes != row {
			t.Errorf("%s: %d bytes, %v", keep, got.RowBytes, err)
		}
	}
	bad := &plantest.Paper{Layers: [][]puzzle.CellPlan{{apart, apart}}}
	if _, err := Predict(bad, Resources{}); err == nil {
		t.Error("a plan that contradicts itself is predicted")
	}
}

func TestCheck(t *testing.T) {
	p := Prediction{MemoryBytes: 100, DiskBytes: 2000}
	for _, test := range []struct {
		memory, disk uint64
		want         string
	}{
		{0, 0, ""},
		{100, 2000, ""},
		{99, 1999, "the run needs 100 B of memory for its largest window alone, and there are 99 B"},
		{100, 1999, "the run needs up to 1.95 KiB of disk, and there are 1.95 KiB at /data"},
		{99, 0, "the run needs 100 B of memory for its largest window alone, and there are 99 B"},
		{0, 1, "the run needs up to 1.95 KiB of disk, and there are 1 B at /data"},
	} {
		got := ""
		var e *ResourceError
		if err := p.Check(test.memory, test.disk, "/data"); errors.As(err, &e) {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%d bytes of memory, %d of disk: %q, want %q", test.memory, test.disk, got, test.want)
		}
	}
}

// TestRest adds up the work left in a diamond of which a is committed and b is in hand.
func TestRest(t *testing.T) {
	p := diamond(t)
	p.WantAll(RetainAll)
	hold(t, p, "x", cellA)
	if ws, work := p.Next(p.AllPartitions(), 1, 9); len(ws) != 1 || ws[0].Cell != cellB || work != stepsPerWindow+1e4 {
		t.Fatalf("%v with %g steps is in hand", ws, work)
	}
	a, d := float64(stepsPerWindow+1e4), float64(stepsPerWindow+2e4+2*10*stepsPerRead) // of a window
	b, c := float64(stepsPerWindow+1e4+10*stepsPerRead), float64(stepsPerWindow+3e4+10*stepsPerRead)
	want := []Rest{
		{Layer: 0, Whole: 2 * a}, {Layer: 1, Windows: 2, Ready: 2, Effort: b + c, Whole: b + c, Longest: c},
		{Layer: 2, Windows: 2, Effort: 2 * d, Whole: 2 * d, Longest: d},
	}
	if got := p.Rest(); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	// The rows of a are lost: b is still in hand, and c waits for a, which is computed again.
	if _, err := p.DropReplicas(puzzle.WindowID{Cell: cellA}); err != nil {
		t.Fatal(err)
	}
	p.WantAll(RetainAll)
	if got := p.Rest(); got[0].Ready != 1 || got[1].Ready != 1 || got[2].Ready != 0 {
		t.Errorf("without the rows of a: %+v", got)
	}
}

// forecaster expects the layers of a Paper that it cannot tell.
type forecaster struct{ plantest.Paper }

func (p *forecaster) Forecast(n int) ([]puzzle.CellPlan, error) {
	if n == len(p.Layers) {
		return nil, puzzle.ErrNoLayer
	}
	return p.Layers[n], nil
}

func (p *forecaster) LeastWindows() uint64 { return uint64(len(p.Layers)) }

// TestForecast plans a grid whose layers are told up to some layer, and expected from there on, or not.
func TestForecast(t *testing.T) {
	for _, test := range []struct {
		undecided, layers, expected int
		expects                     bool
		told                        string
	}{
		{0, 3, 0, true, "[0 0] [1 1] [2 3] [3 4]"}, {1, 3, 2, true, "[0 0] [1 1] [2 3] [3 4]"},
		{1, 1, 0, false, "[0 0] [1 1]"}, {2, 3, 1, true, "[0 0] [1 1] [2 3] [3 4]"},
	} {
		paper := *plantest.Grid(2)
		paper.Undecided = test.undecided
		var of puzzle.Puzzle = &paper
		if test.expects {
			of = &forecaster{paper}
		}
		var told [][2]int
		p, err := ForecastTelling(of, func(layers, windows int) { told = append(told, [2]int{layers, windows}) })
		if err != nil || p.Layers() != test.layers || p.Expected != test.expected || fmt.Sprint(told) != "["+test.told+"]" {
			t.Errorf("%+v: %v, %d layers, %d expected, told %v", test, err, p.Layers(), p.Expected, told)
		}
	}
	for _, windows := range []int{puzzle.MostWindows, puzzle.MostWindows + 1} {
		f := &forecast{Puzzle: &forecaster{plantest.Paper{Layers: make([][]puzzle.CellPlan, windows)}}}
		if got := puzzle.CheckSize(f.LeastWindows()); (got == nil) != (windows == puzzle.MostWindows) {
			t.Errorf("%d windows: %v", windows, got)
		}
	}
	if n := (&forecast{Puzzle: &plantest.Paper{}}).LeastWindows(); n != 0 {
		t.Errorf("%d windows at least", n)
	}
}
