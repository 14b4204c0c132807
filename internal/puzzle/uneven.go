package puzzle

// An Uneven is a Puzzle whose windows differ in work, address for address. A calibration measures a few windows of a
// cell, and asks what these are of it.
type Uneven interface {
	Puzzle
	// WindowWork predicts the work of a planned window, in the unit of CellPlan.Work. It may take some hundredths of a
	// second.
	WindowWork(w Window) (float64, error)
}

// WindowWork predicts the work of a window of c. In a puzzle that is not Uneven it is Share.
func WindowWork(p Puzzle, c *CellPlan, w Window) (float64, error) {
	if u, ok := p.(Uneven); ok {
		return u.WindowWork(w)
	}
	return c.Share(w), nil
}
