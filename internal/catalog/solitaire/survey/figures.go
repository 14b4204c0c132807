package survey

import (
	"math/big"
	"slices"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/uint128"
)

// hard is the first of the criteria that come after those that take no time: the trivial ones, the playable classes,
// and the lattice.
var hard = slices.Index(criteria, feasible.Lattice) + 1

// Figures draw how many problems each criterion is the first to forbid, and, where starts have different numbers of
// pegs, which shares of the problems that the quick criteria allow.
func (s *Survey) Figures(list []Result, total Result) []figure.Figure {
	bars := &figure.Chart{
		X: "criterion, in the order of the table; the last one: no criterion", Y: "problems without a game",
		Logarithmic: true}
	var first figure.Series
	for i, n := range append(slices.Clone(total.Forbids), total.Open) {
		first.Points = append(first.Points, figure.Point{X: float64(i + 1), Y: share(n, uint128.From(1)), Exact: n.String()})
	}
	bars.Series = []figure.Series{first}
	all := figure.Figure{Name: "criteria", Title: "problems by the first criterion that forbids them", Chart: bars}
	if len(list) < 2 {
		return []figure.Figure{all}
	}
	lines := &figure.Chart{X: "pegs of the start", Y: "% of these problems", Lines: true, Linear: true}
	series := func(name string, of func(*Result) uint128.Uint128) {
		s := figure.Series{Name: name}
		for i := range list {
			r := &list[i]
			left := r.Infeasible
			for _, n := range r.Forbids[:hard] {
				left, _ = left.Sub(n) // these are parts of it
			}
			if n := of(r); !left.IsZero() {
				s.Points = append(s.Points, figure.Point{X: float64(r.Pegs), Y: 100 * share(n, left),
					Exact: n.String() + " of " + left.String()})
			}
		}
		if len(s.Points) > 0 {
			lines.Series = append(lines.Series, s)
		}
	}
	for i := hard; i < len(criteria); i++ {
		if !total.Forbids[i].IsZero() {
			series(criteria[i], func(r *Result) uint128.Uint128 { return r.Forbids[i] })
		}
	}
	series("none", func(r *Result) uint128.Uint128 { return r.Open })
	return []figure.Figure{{Name: "starts", Chart: lines,
		Title: "problems without a game that the criteria up to the lattice allow, by the first that forbids them"}, all}
}

func share(n, of uint128.Uint128) float64 {
	f, _ := new(big.Rat).SetFrac(n.Big(), of.Big()).Float64()
	return f
}
