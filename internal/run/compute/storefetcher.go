package compute

import (
	"context"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// StoreFetcher fetches every window from one store, whatever worker holds it.
type StoreFetcher struct{ Store *kv.Store }

// Blocks implements Fetcher.
func (f StoreFetcher) Blocks(
	ctx context.Context, w protocol.LocatedWindow, first, addresses uint64, fn func(*puzzle.Block) error,
) error {
	return f.Store.Blocks(ctx, w.Record, first, addresses, fn)
}
