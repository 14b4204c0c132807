package plantest

import (
	"context"
	"fmt"

	"pagoda/internal/puzzle"

	"pgregory.net/rapid"
)

// Paper is a puzzle that is never computed: a random plan.
type Paper struct {
	Layers    [][]puzzle.CellPlan
	Undecided int // layers from here on depend on results; 0: none
}

// Identity implements puzzle.Puzzle, as do the methods below.
func (p *Paper) Identity() puzzle.Identity { return puzzle.Identity{Puzzle: "Paper"} }

// Columns says that there is nothing but the row.
func (p *Paper) Columns() []string { return nil }

// Layer returns the plan that was drawn.
func (p *Paper) Layer(n int, known puzzle.Results) ([]puzzle.CellPlan, error) {
	if p.Undecided > 0 && n >= p.Undecided {
		if _, ok := known.Layer(n - 1); !ok {
			return nil, puzzle.ErrUndecided
		}
	}
	if n >= len(p.Layers) {
		return nil, puzzle.ErrNoLayer
	}
	return p.Layers[n], nil
}

// Compute is never called: such a puzzle is planned only.
func (p *Paper) Compute(context.Context, puzzle.Window, puzzle.Source, puzzle.Sink) (puzzle.Tally, error) {
	return puzzle.Tally{}, nil
}

// Summarise has nothing to say.
func (p *Paper) Summarise(puzzle.Results) (puzzle.Summary, error) { return puzzle.Summary{}, nil }

// Random draws a puzzle of a few layers with random cells and parents.
func Random(t *rapid.T) *Paper {
	p := &Paper{}
	var all []puzzle.Cell
	for n := range rapid.IntRange(1, 6).Draw(t, "layers") {
		var layer []puzzle.CellPlan
		for k := range rapid.IntRange(0, 4).Draw(t, "cells") {
			c := puzzle.CellPlan{
				Cell: puzzle.Cell{
					Layer: n,
					Key:   fmt.Sprintf("c%d", k),
				},
				Addresses: 10,
				Work:      rapid.Float64Range(0, 50).Draw(t, "work"),
			}
			for i := range rapid.IntRange(1, 4).Draw(t, "windows") {
				c.Cuts = append(c.Cuts, uint64(2*i))
			}
			for _, parent := range all {
				if rapid.IntRange(0, 2).Draw(t, "parent") == 0 {
					c.Parents = append(c.Parents, parent)
				}
			}
			layer = append(layer, c)
			all = append(all, c.Cell)
		}
		p.Layers = append(p.Layers, layer)
	}
	p.Undecided = rapid.IntRange(0, len(p.Layers)).Draw(t, "undecided")
	return p
}

// Grid is a puzzle whose cells are the points of a square lattice, by diagonals, each computed from two neighbours.
func Grid(size int) *Paper {
	p := &Paper{}
	for n := range 2*size - 1 {
		var layer []puzzle.CellPlan
		for a := max(0, n-size+1); a <= min(n, size-1); a++ {
			c := puzzle.CellPlan{
				Cell: puzzle.Cell{Layer: n, Key: fmt.Sprintf("a%d", a)}, Addresses: 10, Cuts: []uint64{0}, Work: 1e5,
			}
			if a > 0 {
				c.Parents = append(c.Parents, puzzle.Cell{Layer: n - 1, Key: fmt.Sprintf("a%d", a-1)})
			}
			if a < n && n-a < size {
				c.Parents = append(c.Parents, puzzle.Cell{Layer: n - 1, Key: fmt.Sprintf("a%d", a)})
			}
			layer = append(layer, c)
		}
		p.Layers = append(p.Layers, layer)
	}
	return p
}

// Wide is a puzzle of layers that are cut into many windows, of which nothing is computed.
type Wide struct {
	puzzle.Puzzle
	Depth, Windows int
}

// Identity implements puzzle.Puzzle, as does Layer.
func (p Wide) Identity() puzzle.Identity { return puzzle.Identity{Puzzle: "wide"} }

// Layer plans one layer of many cells.
func (p Wide) Layer(n int, _ puzzle.Results) ([]puzzle.CellPlan, error) {
	if n == p.Depth {
		return nil, puzzle.ErrNoLayer
	}
	c := puzzle.CellPlan{Cell: puzzle.Cell{Layer: n, Key: "a"}, Addresses: uint64(p.Windows) * 1000}
	for i := range p.Windows {
		c.Cuts = append(c.Cuts, uint64(i)*1000)
	}
	if n > 0 {
		c.Parents = []puzzle.Cell{{Layer: n - 1, Key: "a"}}
	}
	return []puzzle.CellPlan{c}, nil
}
