package enginetest

import (
	"context"
	"fmt"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// BFS is a breadth-first search on a directed graph whose nodes are the addresses. It learns its layers on the way:
// layer n is the set of nodes at distance n from node 0, and the layer after an empty one does not exist.
type BFS struct {
	Nodes  uint64
	Window uint64
}

// Identity implements puzzle.Puzzle.
func (p *BFS) Identity() puzzle.Identity {
	return puzzle.Identity{Puzzle: "bfs", Params: []puzzle.Param{
		{Name: "nodes", Value: fmt.Sprint(p.Nodes)},
		{Name: "window_addresses", Value: fmt.Sprint(p.Window)},
	}}
}

// Columns implements puzzle.Puzzle.
func (p *BFS) Columns() []string { return []string{"distance_plus_1"} }

func bfsCell(n int) puzzle.Cell { return puzzle.Cell{Layer: n, Key: "nodes"} }

// Layer implements puzzle.Puzzle.
func (p *BFS) Layer(n int, known puzzle.Results) ([]puzzle.CellPlan, error) {
	c := puzzle.CellPlan{
		Cell: bfsCell(
			n,
		),
		Addresses:   p.Nodes,
		Cuts:        cuts(p.Nodes, p.Window),
		Work:        float64(p.Nodes),
		MemoryBytes: 16 * p.Nodes,
		RowBytes:    float64(p.Nodes) / 8,
	}
	if n > 0 {
		t, ok := known.Layer(n - 1)
		if !ok {
			return nil, puzzle.ErrUndecided
		}
		if t.Sum("nodes").IsZero() {
			return nil, puzzle.ErrNoLayer
		}
		for m := range n {
			c.Parents = append(c.Parents, bfsCell(m))
		}
	}
	return []puzzle.CellPlan{c}, nil
}

func (p *BFS) next(a uint64) [2]uint64 { return [2]uint64{(3*a + 1) % p.Nodes, (a + 7) % p.Nodes} }

// Compute implements puzzle.Puzzle.
func (p *BFS) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (t puzzle.Tally, err error) {
	next := make([]bool, p.Nodes)
	next[0] = w.Layer == 0
	if w.Layer > 0 {
		last, err := dense(ctx, in, bfsCell(w.Layer-1), p.Nodes)
		if err != nil {
			return t, err
		}
		for a, v := range last {
			if v != 0 {
				for _, b := range p.next(uint64(a)) {
					next[b] = true
				}
			}
		}
		for m := range w.Layer {
			seen, err := dense(ctx, in, bfsCell(m), p.Nodes)
			if err != nil {
				return t, err
			}
			for a, v := range seen {
				next[a] = next[a] && v == 0
			}
		}
	}
	rows, _, err := emit(w, out, func(a uint64) uint64 {
		if next[a] {
			return uint64(w.Layer) + 1
		}
		return 0
	})
	if err != nil {
		return t, err
	}
	return t, t.AddSum("nodes", uint128.From(rows))
}

// Summarise implements puzzle.Puzzle.
func (p *BFS) Summarise(known puzzle.Results) (puzzle.Summary, error) {
	return summary(known, "nodes"), nil
}

// Reference computes what Summarise should say.
func (p *BFS) Reference() map[string]uint128.Uint128 {
	seen := map[uint64]bool{0: true}
	want := make(map[string]uint128.Uint128)
	for n, front := 0, []uint64{0}; len(front) > 0; n++ {
		want[fmt.Sprintf("%d/nodes", n)] = uint128.From(uint64(len(front)))
		var after []uint64
		for _, a := range front {
			for _, b := range p.next(a) {
				if !seen[b] {
					seen[b] = true
					after = append(after, b)
				}
			}
		}
		front = after
	}
	return want
}
