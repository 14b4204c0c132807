package reach

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
	{Name: "dead_positions", Kind: puzzle.Count, Doc: "reachable positions without a jump"},
}

// Summarise gives the totals and the table of layers, of the layers that are complete.
func (r *Reach) Summarise(known puzzle.Results) (puzzle.Summary, error) {
	layers := puzzle.Table{Name: "layers", Columns: layerColumns}
	var classes, positions uint128.Uint128
	for n := range r.near.layers {
		t, ok := known.Layer(n)
		if !ok {
			continue
		}
		p := t.Sum(sumPositions)
		if p.IsZero() {
			continue // the lattice has cells here, but no position is reached
		}
		c, rest := t.Sum(sumSymmetries).QuoRem64(uint64(len(r.near.group)))
		if rest != 0 {
			return puzzle.Summary{}, fmt.Errorf("layer %d: %v symmetries of positions are no multiple of the %d of the start",
				n, t.Sum(sumSymmetries), len(r.near.group))
		}
		var ok1, ok2 bool
		classes, ok1 = classes.Add(c)
		if positions, ok2 = positions.Add(p); !ok1 || !ok2 {
			return puzzle.Summary{}, puzzle.ErrOverflow
		}
		layers.Rows = append(layers.Rows, []puzzle.Value{
			number(n), number(r.params.Start.Pegs() - n), {N: c}, {N: p}, {N: t.Sum(sumDead)}})
	}
	s := puzzle.Summary{Tables: []puzzle.Table{layers}}
	text := func(name, value, doc string) {
		s.Facts = append(s.Facts, puzzle.Fact{
			Column: puzzle.Column{Name: name, Kind: puzzle.Text, Doc: doc}, Value: puzzle.Value{S: value}})
	}
	count := func(name string, value uint128.Uint128, doc string) {
		s.Facts = append(s.Facts, puzzle.Fact{
			Column: puzzle.Column{Name: name, Kind: puzzle.Count, Doc: doc}, Value: puzzle.Value{N: value}})
	}
	b := r.params.Board
	text("board", b.Name, "name of the board")
	text("start", peg.FormatLine(b, r.params.Start), "where the game starts")
	if known.Complete() {
		count("classes", classes, "reachable positions up to the symmetries that fix the start, all layers")
		count("positions", positions, "reachable positions, all layers")
	}
	return s, nil
}

func number(n int) puzzle.Value { return puzzle.Value{N: uint128.From(uint64(n))} }
