package puzzle

import "fmt"

// MostWindows is how many windows a plan holds: the memory of so many, some 7 GiB, is that of one machine.
const MostWindows = 1 << 26

// A Sizer is a Puzzle that can say how many windows its run has at least in much less time than planning them takes. A
// plan that would not fit into memory is refused by it at once.
type Sizer interface {
	Puzzle
	LeastWindows() uint64
}

// A SizeError says that a run has more windows than a plan holds.
type SizeError struct {
	Windows uint64 // of the run, at least
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("the run has at least %d windows, and a plan holds at most %d", e.Windows, MostWindows)
}

// Advice returns what to do, in one line.
func (e *SizeError) Advice() string {
	return "larger window_addresses make fewer windows, each of which takes more memory; a smaller board is the other way"
}

// CheckSize refuses so many windows when they are too many for a plan, by a *SizeError.
func CheckSize(windows uint64) error {
	if windows > MostWindows {
		return &SizeError{Windows: windows}
	}
	return nil
}
