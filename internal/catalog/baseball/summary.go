package baseball

import (
	"fmt"
	"math/big"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Summarise implements puzzle.Puzzle. Once all distances are found they must account for every configuration; the error
// says so when they do not.
func (s *Search) Summarise(known puzzle.Results) (puzzle.Summary, error) {
	var sum puzzle.Summary
	sum.AddNumber("bases", uint64(s.params.Bases), "number of bases")
	sum.AddText("board", s.params.Board.String(), "ring, or line: whether the first and the last base are neighbours")
	sum.AddText("count", "distances", "what is counted")
	sum.AddCount("configurations", uint128.From(s.total), "number of configurations, C(n) of the source's recurrence")
	want := Configurations(s.params.Bases)
	if want.Cmp(new(big.Int).SetUint64(s.total)) != 0 {
		return sum, fmt.Errorf("%d ranks, and the recurrence gives %v configurations", s.total, want)
	}
	found, moves := uint64(0), uint128.Uint128{}
	var distances []uint128.Uint128
	layers := puzzle.Table{Name: "layers", Columns: []puzzle.Column{
		{Name: "distance", Kind: puzzle.Number, Doc: "fewest moves to the goal"},
		{
			Name: "configurations", Kind: puzzle.Count, Bits: puzzle.Enumerated, Total: "configurations",
			Doc: "configurations at that distance",
		},
		{
			Name: "rows", Kind: puzzle.Count, Bits: puzzle.Enumerated,
			Doc: "rows stored for them; on the ring most rows stand for two",
		},
	}}
	for l := 0; l < known.Layers() && found < s.total; l++ {
		t, ok := known.Layer(l)
		if !ok {
			break
		}
		n := t.Sum(sumConfigurations)
		found += n.Lo
		product := uint128.Mul(n.Lo, uint64(l))
		moves, _ = moves.Add(product) // at most 2^64 configurations, a few hundred moves each
		distances = append(distances, n)
		layers.Rows = append(layers.Rows, []puzzle.Value{{N: uint128.From(uint64(l))}, {N: n}, {N: t.Sum(sumRows)}})
	}
	sum.AddCounts("distances", distances, "configurations at distance 0, 1, 2, ... from the goal")
	sum.Tables = append(sum.Tables, layers)
	switch {
	case found == s.total:
	case known.Complete():
		return sum, fmt.Errorf("%d bases on the %v: the windows account for %d of %d configurations; verify the run",
			s.params.Bases, s.params.Board, found, s.total)
	default:
		return sum, nil
	}
	sum.AddNumber("worst", uint64(len(distances)-1), "the largest distance")
	addMean(&sum, fraction(moves, s.total), "mean distance, a fraction in lowest terms")
	if s.params.Methods && known.Layers() > len(distances) {
		if t, ok := known.Layer(len(distances)); ok {
			s.addMethods(&sum, &t)
		}
	}
	return sum, nil
}

// addMethods appends the results of the methods.
func (s *Search) addMethods(sum *puzzle.Summary, t *puzzle.Tally) {
	fact := puzzle.Fact{Column: puzzle.Column{Name: "methods", Doc: "the source's methods on every configuration"}}
	table := puzzle.Table{Name: "costs", Columns: []puzzle.Column{
		{Name: "method", Kind: puzzle.Text, Doc: "name of the method"},
		{Name: "worst", Kind: puzzle.Number, Doc: "most moves that it takes"},
		{Name: "mean", Kind: puzzle.Text, Doc: "mean of its moves, a fraction in lowest terms"},
		{Name: "optimal", Kind: puzzle.Count, Bits: puzzle.Enumerated, Doc: "configurations from which no way is shorter"},
	}}
	for m := range methods {
		worst, optimal := t.Max(m.worstName()), t.Sum(m.optimalName())
		mean := fraction(t.Sum(m.sumName()), s.total)
		row := []puzzle.Value{{S: m.String()}, {N: worst}, mean, {N: optimal}}
		table.Rows = append(table.Rows, row)
		one := puzzle.Fact{Column: puzzle.Column{Name: m.String(), Doc: "one method"}}
		for i, column := range table.Columns[1:] {
			one.Fields = append(one.Fields, puzzle.Fact{Column: column, Value: row[i+1]})
		}
		fact.Fields = append(fact.Fields, one)
	}
	sum.Facts = append(sum.Facts, fact)
	sum.Tables = append(sum.Tables, table)
}

// fraction is a/b in lowest terms.
func fraction(a uint128.Uint128, b uint64) puzzle.Value {
	return fractionOf(new(big.Rat).SetFrac(a.Big(), new(big.Int).SetUint64(b)))
}
