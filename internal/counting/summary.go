package counting

import (
	"fmt"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

var layerColumns = []puzzle.Column{
	{Name: "jumps", Kind: puzzle.Number, Doc: "jumps made"},
	{Name: "pegs", Kind: puzzle.Number, Doc: "pegs left"},
	{Name: "classes", Kind: puzzle.Count, Doc: "reachable positions up to the symmetries that fix the start"},
	{Name: "positions", Kind: puzzle.Count, Doc: "reachable positions"},
	{Name: "paths", Kind: puzzle.Count, Doc: "jump sequences of this length from the start"},
	{Name: "dead_positions", Kind: puzzle.Count, Doc: "reachable positions without a jump"},
	{Name: "games_ended", Kind: puzzle.Count, Doc: "games that end here: jump sequences into a position without a jump"},
}

// Summarise gives the totals and the table of layers, of the layers that are complete. The totals of all layers (games,
// classes, positions) are there only when the run is.
func (g *Games) Summarise(known puzzle.Results) (puzzle.Summary, error) {
	layers := puzzle.Table{Name: "layers", Columns: layerColumns}
	var games, classes, positions, solutions uint128.Uint128
	solved := false
	goalLayer := -1
	if g.params.HasGoal {
		goalLayer = g.params.Start.Pegs() - g.params.Goal.Pegs()
	}
	for n := range g.layers {
		t, ok := known.Layer(n)
		if !ok {
			continue
		}
		for sum, name := range map[*uint128.Uint128]string{&games: sumEnded, &classes: sumClasses, &positions: sumPositions} {
			s, ok := sum.Add(t.Sum(name))
			if !ok {
				return puzzle.Summary{}, puzzle.ErrOverflow
			}
			*sum = s
		}
		if n == goalLayer {
			solutions, solved = t.Sum(sumGoal), true
		}
		if paths := t.Sum(sumPaths); paths.IsZero() {
			continue // the lattice has cells here, but no position is reached
		}
		layers.Rows = append(layers.Rows, []puzzle.Value{
			number(n), number(g.params.Start.Pegs() - n),
			{N: t.Sum(sumClasses)}, {N: t.Sum(sumPositions)}, {N: t.Sum(sumPaths)},
			{N: t.Sum(sumDead)}, {N: t.Sum(sumEnded)},
		})
	}
	s := puzzle.Summary{Tables: []puzzle.Table{layers}}
	b := g.params.Board
	s.AddText("board", b.Name, "name of the board")
	s.AddText("start", peg.FormatLine(b, g.params.Start), "where the game starts")
	if g.params.HasGoal {
		s.AddText("goal", peg.FormatLine(b, g.params.Goal), "where a solution ends")
	}
	complete := known.Complete()
	if complete {
		s.AddCount("games", games, "jump sequences from the start that end in a position without a jump")
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

func number(n int) puzzle.Value { return puzzle.Value{N: uint128.From(uint64(n))} }

var rowColumns = []puzzle.Column{
	{Name: "position", Kind: puzzle.Text,
		Doc: "canonical position of the class, hexadecimal of fixed width, bit i is hole i in row-major order"},
	{Name: "orbit", Kind: puzzle.Number, Doc: "positions in the class"},
	{Name: "paths", Kind: puzzle.Count, Doc: "jump sequences from the start to the canonical position"},
}

// RowColumns describes the exported rows: one for each symmetry class.
func (g *Games) RowColumns() []puzzle.Column { return rowColumns }

// ExportRows emits the symmetry classes of a block: position, orbit size, paths.
func (g *Games) ExportRows(c puzzle.Cell, b *puzzle.Block, emit func(row []puzzle.Value) error) error {
	return g.exportRows(c, b, emit)
}

func (g *enumeration) exportRows(c puzzle.Cell, b *puzzle.Block, emit func(row []puzzle.Value) error) error {
	v, err := g.vector(c)
	if err != nil {
		return err
	}
	layout := g.space.Layout(v)
	lo, hi := b.Column(0), b.Column(1)
	row := make([]puzzle.Value, len(rowColumns))
	r := 0
	return eachAddress(b, func(address uint64) error {
		n := uint128.Uint128{}
		if lo != nil {
			n.Lo = lo[r]
		}
		if hi != nil {
			n.Hi = hi[r]
		}
		r++
		x := layout.Ordered(address)
		stands, orbit := layout.Class(layout.PrefixOf(g.space.Prefix.Of(x)), x)
		if !stands {
			return nil
		}
		row[0].S = fmt.Sprintf("0x%0*x", (g.space.Board.Size()+3)/4, uint64(g.space.Position(x)))
		row[1].N = uint128.From(uint64(orbit))
		row[2].N = n
		return emit(row)
	})
}
