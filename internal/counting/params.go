package counting

import (
	"errors"

	"pagoda/internal/peg"
)

// ErrWindowAddresses is wrapped by New, NewCut, NewIn and NewUnder when windows of the wanted size cannot be cut.
var ErrWindowAddresses = errors.New("window_addresses is too small for this board")

// Params are the parameters of a peg solitaire run.
type Params struct {
	Board   *peg.Board
	Start   peg.Position
	Goal    peg.Position // counted when HasGoal
	HasGoal bool
	// Goals are in the place of Goal where a solution may end in any of several positions; nil otherwise.
	Goals *peg.Goals
	// WindowAddresses is the largest number of addresses of a window; 0 means one window for each cell.
	WindowAddresses uint64
}
