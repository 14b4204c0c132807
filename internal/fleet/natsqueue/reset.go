package natsqueue

import (
	"context"

	"pagoda/internal/run/protocol"
)

var _ protocol.Resetter = (*Tasks)(nil)

// Reset implements protocol.Resetter.
func (t *Tasks) Reset(ctx context.Context) error {
	if err := t.renew(ctx); err != nil {
		return t.down(err)
	}
	return nil
}
