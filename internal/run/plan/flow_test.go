package plan

import (
	"errors"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// TestEdges lists the edges of b in a diamond: those of the plan, and those of its own flows, each once.
func TestEdges(t *testing.T) {
	p := diamond(t)
	b, c, d, a := p.Index[cellB], p.Index[cellC], p.Index[cellD], p.Index[cellA]
	one := uint128.From(1)
	elsewhere := puzzle.Flow{Cell: puzzle.Cell{Layer: 9, Key: "z"}, Amount: one}
	b.tally.In = []puzzle.Flow{{Cell: cellA, Amount: one}, {Cell: cellC, Amount: one}, elsewhere}
	b.tally.Out = []puzzle.Flow{{Cell: cellC, Amount: one}, {Cell: cellD, Amount: one}, elsewhere}
	into, out := p.Edges(b)
	if len(into) != 2 || into[0] != (Edge{a, b}) || into[1] != (Edge{c, b}) {
		t.Errorf("into b: %v", into)
	}
	if len(out) != 2 || out[0] != (Edge{b, d}) || out[1] != (Edge{b, c}) {
		t.Errorf("out of b: %v", out)
	}
}

// TestCheckEdge commits both ends of an edge with flows, and of a diamond's other cells nothing. The child of a to b
// does not say that it counts flows, that of b to d does.
func TestCheckEdge(t *testing.T) {
	for _, test := range []struct {
		name           string
		parent, child  puzzle.Cell
		out, in        uint64 // 0: not mentioned
		less           bool   // one window of the larger cell is missing
		others         bool   // both count flows with other cells
		counted, equal bool
	}{
		{"equal", cellB, cellD, 3, 3, false, false, true, true},
		{"one more is passed", cellB, cellD, 4, 3, false, false, true, false},
		{"one more is taken", cellB, cellD, 3, 4, false, false, true, false},
		{"nothing is mentioned", cellB, cellD, 0, 0, false, false, true, true},
		{"only passed", cellB, cellD, 3, 0, false, false, true, false},
		{"only taken", cellB, cellD, 0, 3, false, false, true, false},
		{"the child is not complete", cellB, cellD, 3, 0, true, false, false, true},
		{"the parent is not complete", cellA, cellB, 3, 4, true, false, false, true},
		{"the child counts none", cellA, cellB, 3, 0, false, false, false, true},
		{"the parent counts none", cellA, cellB, 0, 3, false, false, false, true},
		{"both count", cellA, cellB, 3, 4, false, false, true, false},
		{"both count other flows", cellA, cellB, 0, 0, false, true, true, true},
		{"both count, this one is taken", cellA, cellB, 0, 3, false, true, true, false},
	} {
		p := diamond(t)
		parent, child := p.Index[test.parent], p.Index[test.child]
		var failed error
		for _, c := range []*Cell{child, parent} {
			for part := range c.Parts {
				if part == 1 && test.less {
					continue
				}
				rec := record(p, c.Cell, part)
				add := func(flow func(puzzle.Cell, uint128.Uint128) error, cell puzzle.Cell, amount uint64) {
					if amount == 0 || part > 0 {
						return
					}
					if err := flow(cell, uint128.From(amount)); err != nil {
						t.Fatal(err)
					}
				}
				if c == parent {
					add(rec.Tally.AddOut, test.child, test.out)
				} else {
					add(rec.Tally.AddIn, test.parent, test.in)
				}
				if test.others {
					add(rec.Tally.AddOut, puzzle.Cell{Layer: 9, Key: "z"}, 1)
					add(rec.Tally.AddIn, puzzle.Cell{Layer: 9, Key: "z"}, 1)
				}
				failed = errors.Join(failed, p.CommitRecord(&rec))
			}
		}
		counted, err := p.CheckEdge(Edge{parent, child})
		var flow *FlowError
		if counted != test.counted || errors.As(err, &flow) == test.equal || (failed == nil) != test.equal {
			t.Errorf("%s: counted %t, %v; when it was committed: %v", test.name, counted, err, failed)
		}
		if flow != nil && (*flow != FlowError{test.parent, test.child, uint128.From(test.out), uint128.From(test.in)}) {
			t.Errorf("%s: %v", test.name, flow)
		}
	}
}

// TestTimesMean compares records with a layer of which two windows with 10 and 30 of a sum are committed.
func TestTimesMean(t *testing.T) {
	p := diamond(t)
	tallied := func(cell puzzle.Cell, part int, sums ...uint64) *kv.Record {
		rec := record(p, cell, part)
		for i, n := range sums {
			if err := rec.Tally.AddSum(string(rune('m'+i)), uint128.From(n)); err != nil {
				t.Fatal(err)
			}
		}
		return &rec
	}
	if got := p.TimesMean(tallied(cellA, 0, 10)); got != 0 {
		t.Errorf("before any is committed: %g", got)
	}
	for i, n := range []uint64{10, 30} {
		if err := p.CommitRecord(tallied(cellA, i, n, n/10)); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		sums []uint64
		want float64
	}{{nil, 0}, {[]uint64{20}, 1}, {[]uint64{5}, 0.25}, {[]uint64{20, 6}, 3}, {[]uint64{20, 2, 99}, 1}} {
		if got := p.TimesMean(tallied(cellA, 0, test.sums...)); got != test.want {
			t.Errorf("%v: %g times the mean, want %g", test.sums, got, test.want)
		}
	}
	if got := float(uint128.Uint128{Hi: 3, Lo: 1 << 62}); got != 3.25*(1<<64) {
		t.Errorf("%g", got)
	}
}
