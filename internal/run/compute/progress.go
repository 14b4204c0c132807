package compute

import (
	"context"
)

// progressContext is the context of a computation. That the computation looks whether it should stop is progress,
// besides the blocks that it reads and writes: one that hangs does not look.
type progressContext struct {
	context.Context
	progress func()
}

func (a progressContext) Err() error {
	a.progress()
	return a.Context.Err()
}
