package plan

import (
	"errors"

	"pagoda/internal/puzzle"
)

// Forecast plans p like New, and goes on with the layers that p expects where it cannot tell them yet, if it is a
// puzzle.Forecaster. The plan is for predictions: a run that is carried out may have other layers.
func Forecast(p puzzle.Puzzle) (*Plan, error) { return ForecastTelling(p, func(int, int) {}) }

// ForecastTelling is Forecast, and tells progress how many layers are planned, with how many windows.
func ForecastTelling(p puzzle.Puzzle, progress func(layers, windows int)) (*Plan, error) {
	f := &forecast{Puzzle: p, told: -1, progress: progress}
	pl, err := New(f)
	if err == nil && f.told >= 0 {
		pl.Expected = pl.Layers() - f.told
	}
	return pl, err
}

// forecast is a puzzle all of whose layers can be told, as far as it expects them.
type forecast struct {
	puzzle.Puzzle
	told     int // the first layer that is expected only; -1: there is none
	progress func(layers, windows int)
	windows  int // of the layers so far
}

// Reads implements puzzle.Reader.
func (f *forecast) Reads(w puzzle.Window) ([]puzzle.Range, bool) { return puzzle.Reads(f.Puzzle, w) }

// LeastWindows implements puzzle.Sizer.
func (f *forecast) LeastWindows() uint64 {
	if s, ok := f.Puzzle.(puzzle.Sizer); ok {
		return s.LeastWindows()
	}
	return 0
}

// Layer implements puzzle.Puzzle.
func (f *forecast) Layer(n int, known puzzle.Results) ([]puzzle.CellPlan, error) {
	f.progress(n, f.windows)
	plans, err := f.layer(n, known)
	for i := range plans {
		f.windows += plans[i].Windows()
	}
	return plans, err
}

func (f *forecast) layer(n int, known puzzle.Results) ([]puzzle.CellPlan, error) {
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
