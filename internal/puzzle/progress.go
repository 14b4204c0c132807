package puzzle

import "context"

type progressKey struct{}

// WithProgress returns a context for a computation, whose signs of life go to fn.
func WithProgress(ctx context.Context, fn func()) context.Context {
	return context.WithValue(ctx, progressKey{}, fn)
}

// Progress says that a computation with this context is alive. It returns the error of the context, for the
// computation is to stop when that has ended.
func Progress(ctx context.Context) error {
	if fn, ok := ctx.Value(progressKey{}).(func()); ok {
		fn()
	}
	return ctx.Err()
}
