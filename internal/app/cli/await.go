package cli

import "context"

// Await waits for fn, or for the end of ctx: then fn is left behind, to end with the process. It is for the parts that
// only compute and cannot be interrupted.
func Await[T any](ctx context.Context, fn func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := fn()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
