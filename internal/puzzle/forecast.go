package puzzle

// A Forecaster is a Puzzle that can predict the layers that it cannot plan yet, before anything is computed.
// Predictions of memory, disk and time use it; the run itself does not.
type Forecaster interface {
	Puzzle
	// Forecast plans a layer for which Layer says ErrUndecided, as it is expected. It is asked for one layer after the
	// other, until it returns ErrNoLayer for the first one past the last that is expected.
	Forecast(n int) ([]CellPlan, error)
}
