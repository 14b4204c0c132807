package compute

import (
	"context"
)

// progressContext is the context of a computation. A computation that looks whether it should stop makes progress, as
// by reading and writing blocks: one that hangs does not look.
type progressContext struct {
	context.Context
	progress func()
}

func (a progressContext) Err() error {
	a.progress()
	return a.Context.Err()
}
