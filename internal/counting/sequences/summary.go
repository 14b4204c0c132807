package sequences

import (
	"fmt"

	"pagoda/internal/counting"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

var layerColumns = []puzzle.Column{
	{Name: "pegs", Kind: puzzle.Number, Doc: "pegs on the board"},
	{Name: "classes", Kind: puzzle.Count, Bits: puzzle.Enumerated, Doc: "positions up to the symmetries of the board"},
	{Name: "positions", Kind: puzzle.Count, Bits: puzzle.Enumerated, Doc: "positions"},
	{Name: "ending", Kind: puzzle.Count,
		Doc: "jump sequences of at least one jump that end here; as many begin where this many holes are empty"},
}

// Summarise gives the number of sequences, and the table of the layers that are stored.
func (s *Puzzle) Summarise(known puzzle.Results) (puzzle.Summary, error) {
	var sum puzzle.Summary
	sum.AddText("board", s.board.Name, "name of the board")
	layers := puzzle.Table{Name: "layers", Columns: layerColumns}
	var total, everywhere uint128.Uint128
	fits, complete := true, true
	add := func(sum *uint128.Uint128, n uint128.Uint128) {
		var ok bool
		*sum, ok = sum.Add(n)
		fits = fits && ok
	}
	for n := range s.stored + 1 {
		t, ok := known.Layer(n)
		if !ok {
			complete = false
			continue
		}
		positions := t.Sum(counting.SumPositions)
		if want := binomial(s.board.Size(), n); positions != want {
			return sum, fmt.Errorf("layer %d has %v positions, want %v", n, positions, want)
		}
		ending, ok := t.Sum(counting.SumPaths).Sub(positions)
		if !ok {
			return sum, fmt.Errorf("layer %d has fewer sequences than positions", n)
		}
		add(&everywhere, ending)
		if n <= s.middle.FarJumps {
			add(&total, ending)
		}
		if n <= s.middle.FarJumps && n < s.middle.Jumps {
			add(&total, ending) // that begin below the middle, by complement; the middle itself is joined
		}
		layers.Rows = append(layers.Rows, []puzzle.Value{
			counting.Number(s.board.Size() - n), {N: t.Sum(counting.SumClasses)}, {N: positions}, {N: ending}})
	}
	if n := s.stored + 1; complete && n < known.Layers() {
		if t, ok := known.Layer(n); ok {
			add(&total, t.Sum(middleName))
			if !fits {
				return sum, fmt.Errorf("sequences: %w", puzzle.ErrOverflow)
			}
			if s.byPegs() && everywhere != total {
				return sum, fmt.Errorf("%v sequences by their end, but %v by the middle; verify the run", everywhere, total)
			}
			sum.AddCount("sequences", total, "jump sequences of at least one jump, from any position to any other")
			sum.AddCount("positions", uint128.From(1<<s.board.Size()), "positions of the board")
			if s.hasClosure() {
				sum.AddCount(closureName, t.Sum(closureName),
					"pairs of positions of which the second can be reached from the first by at least one jump")
			}
		}
	}
	sum.Tables = append(sum.Tables, layers)
	return sum, nil
}
