package puzzle

// A Revised is a Puzzle with another identity than in earlier programs, which divided the same run otherwise.
type Revised interface {
	Puzzle
	// EarlierIdentity is the identity of the puzzle that Earlier makes. It costs nothing.
	EarlierIdentity() Identity
	// Earlier makes the puzzle of earlier programs, of the same settings. Their runs go on as they began.
	Earlier() (Puzzle, error)
}
