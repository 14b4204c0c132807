package transfer

import (
	"errors"
	"testing"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/run/protocol"
)

// TestCheck: a check asks the holder each time, whatever was fetched before and is on this disk, and describes its
// fault.
func TestCheck(t *testing.T) {
	r := rng(t)
	theirs := openStore(t)
	served := make(chan Served, 10)
	srv := serve(t, theirs, ServerOptions{OnServed: func(s Served) { served <- s }})
	rec := fill(t, theirs, window(0, 6), 2000, r)
	f := fetcher(t, Options{Patience: 100 * time.Millisecond})
	lw := located(rec, srv.Address())
	if _, err := read(f, lw, rec.First, rec.Addresses); err != nil {
		t.Fatal(err)
	}
	<-served
	for range 2 {
		if err := f.Check(t.Context(), lw); err != nil {
			t.Fatal(err)
		}
		<-served
	}
	if f.Moved() != 3*rec.Bytes {
		t.Errorf("%d bytes were fetched, want 3 times %d", f.Moved(), rec.Bytes)
	}
	if err := theirs.Drop(rec.ID()); err != nil {
		t.Fatal(err)
	}
	if err := f.Check(t.Context(), lw); !errors.Is(err, kv.ErrNotFound) {
		t.Errorf("of a window that its holder has dropped a check says %v", err)
	}
	if err := f.Check(t.Context(), located(rec, "127.0.0.1:1")); !errors.Is(err, protocol.ErrUnreachable) {
		t.Errorf("of a holder that nobody can reach a check says %v", err)
	}
	mine := openStore(t)
	own := fill(t, mine, window(1, 3), 100, r)
	f = fetcher(t, Options{Store: mine})
	if err := f.Check(t.Context(), located(own)); err != nil {
		t.Errorf("of its own copy a check says %v", err)
	}
	if err := f.Check(t.Context(), located(rec)); !errors.Is(err, kv.ErrNotFound) {
		t.Errorf("of a window that it does not have a check says %v", err)
	}
}
