package puzzle

// A Range is some addresses of a cell: those from First on.
type Range struct {
	Cell
	First, Addresses uint64
}

// Overlaps reports whether an address of the window is in the range.
func (r Range) Overlaps(w Window) bool {
	return r.Cell == w.Cell && r.First < w.First+w.Addresses && w.First < r.First+r.Addresses
}

// A Reader is a Puzzle that knows which part of its parents a window reads. A window of any other puzzle reads all of
// them.
//
// The pipeline fetches ahead the rows that a window reads, and says how much memory and transfer that takes. Tallies of
// parents are no matter of ranges: a window is always computed after all windows of its parents.
type Reader interface {
	Puzzle
	// Reads lists address ranges of the parents of a planned window; its Compute reads no rows outside them. They are
	// not empty, they do not overlap, and those of a cell come together, in address order. whole says that it may
	// read all of its parents; then there is no list.
	Reads(w Window) (ranges []Range, whole bool)
}

// Reads returns the ranges that a window reads. whole is true of a puzzle that is no Reader.
func Reads(p Puzzle, w Window) (ranges []Range, whole bool) {
	if r, ok := p.(Reader); ok {
		return r.Reads(w)
	}
	return nil, true
}
