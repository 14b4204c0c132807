package puzzle

// A Weigher is a Puzzle that bounds the memory of a window better than its plan does, once the windows before it are
// computed. The width of counts, for example, is unknown when a run is planned.
type Weigher interface {
	Puzzle
	// Holds bounds the memory of computing w, in bytes, parents included, where the plan bounds it by planned. tally gives
	// the merged tallies of the cells that w reads.
	Holds(w Window, planned uint64, tally Tallies) (bytes uint64, err error)
}

// Tallies gives the merged tallies of complete cells, as Source.Tally does.
type Tallies = func(Cell) (Tally, error)

// Holds bounds the memory of computing a window: at most planned. It is planned for a puzzle that is no Weigher, or
// that cannot say because a cell is not complete.
func Holds(p Puzzle, w Window, planned uint64, tally Tallies) uint64 {
	if h, ok := p.(Weigher); ok {
		if bytes, err := h.Holds(w, planned, tally); err == nil {
			return min(bytes, planned)
		}
	}
	return planned
}
