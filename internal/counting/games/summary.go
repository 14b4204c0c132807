package games

import (
	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

var layerColumns = []puzzle.Column{
	{Name: "jumps", Kind: puzzle.Number, Doc: "jumps made"},
	{Name: "pegs", Kind: puzzle.Number, Doc: "pegs left"},
	{
		Name: "classes", Kind: puzzle.Count, Bits: puzzle.Enumerated, Total: "classes",
		Doc: "reachable positions up to the symmetries that fix the start",
	},
	{Name: "positions", Kind: puzzle.Count, Bits: puzzle.Enumerated, Total: "positions", Doc: "reachable positions"},
	{Name: "paths", Kind: puzzle.Count, Doc: "jump sequences of this length from the start"},
	{Name: "dead_positions", Kind: puzzle.Count, Bits: puzzle.Enumerated, Doc: "reachable positions without a jump"},
	{
		Name: "games_ended", Kind: puzzle.Count, Total: "games",
		Doc: "games that end here: jump sequences into a position without a jump",
	},
}

// Summarise gives the totals and the table of layers, of the layers that are complete. The totals of all layers (games,
// classes, positions) are there only when the run is.
func (g *Puzzle) Summarise(known puzzle.Results) (puzzle.Summary, error) {
	layers := puzzle.Table{Name: "layers", Columns: layerColumns}
	var games, classes, positions, solutions uint128.Uint128
	solved := false
	goalLayer := -1
	if g.params.HasGoal {
		goalLayer = g.params.Start.Pegs() - g.params.Goal.Pegs()
	}
	for n := range g.Layers {
		t, ok := known.Layer(n)
		if !ok {
			continue
		}
		for sum, name := range map[*uint128.Uint128]string{
			&games: counting.SumEnded, &classes: counting.SumClasses, &positions: counting.SumPositions,
		} {
			s, ok := sum.Add(t.Sum(name))
			if !ok {
				return puzzle.Summary{}, puzzle.ErrOverflow
			}
			*sum = s
		}
		if n == goalLayer {
			solutions, solved = t.Sum(counting.SumGoal), true
		}
		if paths := t.Sum(counting.SumPaths); paths.IsZero() {
			continue // the lattice has cells here, but no position is reached
		}
		layers.Rows = append(layers.Rows, []puzzle.Value{
			counting.Number(n), counting.Number(g.params.Start.Pegs() - n),
			{N: t.Sum(counting.SumClasses)}, {N: t.Sum(counting.SumPositions)}, {N: t.Sum(counting.SumPaths)},
			{N: t.Sum(counting.SumDead)}, {N: t.Sum(counting.SumEnded)},
		})
	}
	s := puzzle.Summary{Tables: []puzzle.Table{layers}}
	b := g.params.Board
	s.AddText("board", b.Name, "name of the board")
	s.AddText("start", peg.FormatLine(b, g.params.Start), "where the game starts")
	switch {
	case g.params.Goals != nil:
		s.AddText("goal", g.params.Goals.String(), "where a solution ends: in any of several positions")
	case g.params.HasGoal:
		s.AddText("goal", peg.FormatLine(b, g.params.Goal), "where a solution ends")
	}
	complete := known.Complete()
	if complete {
		s.AddCount("games", games, "jump sequences from the start that end in a position without a jump")
	}
	if g.params.Goals != nil && complete {
		if err := g.addGoals(&s, known); err != nil {
			return s, err
		}
	}
	if g.params.HasGoal {
		reason, forbidden := peg.Problem{Board: b, Start: g.params.Start, Goal: g.params.Goal}.Forbidden()
		if forbidden {
			s.Notes = append(s.Notes, "no solution: "+reason)
		}
		if solved || forbidden || complete {
			s.AddCount("solutions", solutions, "jump sequences from the start to the goal")
		}
	}
	if complete {
		s.AddCount("classes", classes, "reachable positions up to the symmetries that fix the start, all layers")
		s.AddCount("positions", positions, "reachable positions, all layers")
	}
	return s, nil
}

// RowColumns describes the exported rows: one for each symmetry class.
func (g *Puzzle) RowColumns() []puzzle.Column { return counting.RowColumns }

// ExportRows emits the symmetry classes of a block: position, orbit size, paths.
func (g *Puzzle) ExportRows(c puzzle.Cell, b *puzzle.Block, emit func(row []puzzle.Value) error) error {
	return g.ExportClasses(c, b, emit)
}
