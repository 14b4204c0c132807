// Package pause waits.
package pause

import (
	"context"
	"time"
)

// For waits for d, or until ctx is done; then it returns ctx's error.
func For(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
