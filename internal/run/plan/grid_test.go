package plan

import (
	"slices"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan/plantest"
)

// TestGrid puts windows into states and looks at their marks: one for each window of a small layer, and one for
// several windows of a large one, of which the least advanced shows.
func TestGrid(t *testing.T) {
	const large = 2*MaxGrid + 1 // three windows a square
	cuts := func(n int) (list []uint64) {
		for i := range n {
			list = append(list, uint64(i))
		}
		return list
	}
	p, err := New(&plantest.Paper{Layers: [][]puzzle.CellPlan{
		{
			{Cell: puzzle.Cell{Key: "a"}, Addresses: 9, Cuts: cuts(5)},
			{Cell: puzzle.Cell{Key: "b"}, Addresses: 9, Cuts: cuts(4)},
		},
		{{Cell: puzzle.Cell{Layer: 1, Key: "c"}, Addresses: large, Cuts: cuts(large)}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	set := func(layer int, key string, states ...State) {
		c := p.Index[puzzle.Cell{Layer: layer, Key: key}]
		for i, s := range states {
			c.Parts[i].State = s
		}
	}
	set(0, "a", WindowPlanned, WindowQueued, WindowAssigned, WindowQuarantined, WindowHeld)
	set(0, "b", WindowAbsent, WindowAwaited, WindowAuditAwaited)
	all := make([]State, large)
	for i := range all {
		all[i] = WindowHeld
	}
	all[1], all[3], all[5], all[large-1] = WindowAssigned, WindowAbsent, WindowPlanned, WindowQueued
	set(1, "c", all...)
	grid := p.Grid()
	if want := ".qaxhdww."; len(grid) != 2 || grid[0] != want {
		t.Fatalf("%q, want %s first", grid, want)
	}
	want := slices.Repeat([]byte("h"), (large+2)/3)
	want[0], want[1], want[len(want)-1] = 'a', '.', 'q'
	if grid[1] != string(want) {
		t.Errorf("%s, want %s", grid[1], want)
	}
}
