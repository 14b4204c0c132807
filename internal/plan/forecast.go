package plan

import (
	"errors"

	"pagoda/internal/puzzle"
)

// Forecast plans p like New, and goes on with the layers that p expects where it cannot tell them yet, if it is a
// puzzle.Forecaster. The plan is for predictions: a run that is carried out may have other layers.
func Forecast(p puzzle.Puzzle) (*Plan, error) {
	f := &forecast{Puzzle: p, told: -1}
	pl, err := New(f)
	if err == nil && f.told >= 0 {
		pl.Expected = pl.Layers() - f.told
	}
	return pl, err
}

// forecast is a puzzle all of whose layers can be told, as far as it expects them.
type forecast struct {
	puzzle.Puzzle
	told int // the first layer that is expected only; -1: there is none
}

// Layer implements puzzle.Puzzle.
func (f *forecast) Layer(n int, known puzzle.Results) ([]puzzle.CellPlan, error) {
	if f.told < 0 {
		plans, err := f.Puzzle.Layer(n, known)
		if !errors.Is(err, puzzle.ErrUndecided) {
			return plans, err
		}
		f.told = n
	}
	if p, ok := f.Puzzle.(puzzle.Forecaster); ok {
		return p.Forecast(n)
	}
	return nil, puzzle.ErrUndecided
}
