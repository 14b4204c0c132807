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
	Modulus uint64          // the sum of the shares counts modulo this number; 0: as it is
	Windows []Window        // one for each share; they need not be windows of the run
	// Share counts the share of a window. Errors are those of Compute.
	Share func(ctx context.Context, w Window, in Source) (uint128.Uint128, error)
}

// Reduce returns the sum of the shares modulo Modulus.
func (r *Recount) Reduce(sum uint128.Uint128) uint128.Uint128 {
	if r.Modulus == 0 {
		return sum
	}
	_, rest := sum.QuoRem64(r.Modulus)
	return uint128.From(rest)
}

// A RowWeigher is a Puzzle that can check all rows of a complete run against each other with random weights. Wrong
// counts have equal weights with a probability of less than one in a billion.
type RowWeigher interface {
	Puzzle
	// Weighings lists the checks. random returns bits that were not known when the rows were computed.
	Weighings(known Results, random func() uint64) ([]Recount, error)
}
