package puzzle

// A TallyChecker is a Puzzle that knows which numbers in the report of a window must agree. The pipeline asks it about
// every report that it takes in and every record that it reads again, so that numbers that contradict each other end in
// no total. Windows that are computed right always pass.
type TallyChecker interface {
	Puzzle
	// CheckTally compares the number of rows of a planned window with its tally, and the numbers of the tally with each
	// other, without reading rows. The error says which disagree, such as "705 classes, but 703 rows".
	CheckTally(w Window, rows uint64, t *Tally) error
}
