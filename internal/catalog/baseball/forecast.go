package baseball

import (
	"math"

	"pagoda/internal/puzzle"
)

// expectedWorst is the greatest distance that is expected. The formulas hold on lines of 2 to 8 bases and rings of 2 to
// 9; that they hold on a line of 9 is not proved.
func (s *Search) expectedWorst() int {
	n := s.params.Bases
	switch {
	case s.params.Board == Line:
		return (n - 1) * (2*n - 1) // as many as there are pairs of tokens
	case n%2 == 0:
		return n * (2*n - 1) / 2
	default:
		return (2*n*n - 3*n + 1) / 2
	}
}

// Forecast implements puzzle.Forecaster.
func (s *Search) Forecast(n int) ([]puzzle.CellPlan, error) {
	switch worst := s.expectedWorst(); {
	case n <= worst:
		return s.planDistance(n), nil
	case n == worst+1:
		return s.planAfter(n)
	}
	return nil, puzzle.ErrNoLayer
}

// Distances lie around six tenths of the greatest one, by nine hundredths of it: seen of six and seven bases in a line,
// and of six to eight in a ring.
const meanDistance, spreadDistance = 0.6, 0.09

// density predicts the share of the ranks of a cell that have a row in a layer. Every rank has one in one layer.
func (s *Search) density(layer int) float64 {
	worst := float64(s.expectedWorst())
	x := (float64(layer)/worst - meanDistance) / spreadDistance
	share := math.Exp(-x*x/2) / (spreadDistance * worst * math.Sqrt(2*math.Pi))
	if s.bipartite() {
		share *= 2 // the other layers have no such cell
	}
	return min(share, 0.5)
}

// bytesPerRank predicts the stored bytes of a rank in a layer: the entropy of a bit, and a tenth more.
func (s *Search) bytesPerRank(layer int) float64 {
	p := s.density(layer)
	if p == 0 {
		return 0
	}
	return 1.1 / 8 * (-p*math.Log2(p) - (1-p)*math.Log2(1-p))
}

// rowWork is the time that a row takes, by that of eight ranks without one: 24 by 2.2 nanoseconds, measured of eight
// bases, of which no cache holds a layer.
const rowWork = 11

// wayWork is the time that a way to fill base 0 takes in each layer besides its ranks: 0.1 milliseconds, measured of
// seven bases.
const wayWork = 45_000

// workPerRank predicts the elementary steps of a rank in a layer.
func (s *Search) workPerRank(layer int) float64 { return 1./8 + rowWork*s.density(layer) }
