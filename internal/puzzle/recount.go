package puzzle

import (
	"context"

	"pagoda/internal/puzzle/uint128"
)

// A Recounter is a Puzzle that can count results of a complete run again from its stored rows, in another way than the
// run did.
type Recounter interface {
	Puzzle
	// Recounts lists the second counts of a complete run.
	Recounts(known Results) ([]Recount, error)
}

// A Recount is a number that is counted a second time, share by share. Shares are counted in any order, several at a
// time.
type Recount struct {
	What    string          // for people, such as "solutions, joined after 15 jumps"
	Want    uint128.Uint128 // the number that the run gave
	Windows []Window        // one for each share; they need not be windows of the run
	// Share counts the share of a window. Errors are those of Compute.
	Share func(ctx context.Context, w Window, in Source) (uint128.Uint128, error)
}
