package compute

import (
	"context"
)

// advancing is the context of a computation. That the computation looks whether it should stop is progress, besides the
// blocks that it reads and writes: one that hangs does not look.
type advancing struct {
	context.Context
	progress func()
}

func (a advancing) Err() error {
	a.progress()
	return a.Context.Err()
}
