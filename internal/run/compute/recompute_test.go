package compute

import (
	"context"
	"errors"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

// asking is a puzzle of one window that notes how much it may hold.
type asking struct {
	puzzle.Puzzle
	told uint64
}

func (*asking) Columns() []string { return nil }

func (a *asking) Compute(_ context.Context, _ puzzle.Window, in puzzle.Source, _ puzzle.Sink) (puzzle.Tally, error) {
	a.told = in.MemoryBytes()
	return puzzle.Tally{}, nil
}

// nobody locates nothing: there are no parents.
type nobody struct{}

func (nobody) Locate(context.Context, puzzle.Cell) ([]protocol.Located, error) { return nil, nil }

// TestRecomputerMemory: a window that a coordinator computes itself holds no more than there is, as on a worker.
func TestRecomputerMemory(t *testing.T) {
	for _, c := range []struct{ all, bytes, planned, want uint64 }{
		{0, 0, 1000, 0}, {1000, 1000, 1000, 0}, {100, 50, 1000, 50},
	} {
		p := &asking{}
		r := Recomputer{
			Run: "run", Puzzle: p, MemoryBytes: c.all,
			MemoryOf: func(puzzle.WindowID) (bytes, planned uint64) { return c.bytes, c.planned },
		}
		if _, failure := r.Record(t.Context(), puzzle.Window{Addresses: 1}, nobody{}); failure != nil {
			t.Fatal(failure)
		}
		if p.told != c.want {
			t.Errorf("%+v: it may hold %d bytes", c, p.told)
		}
	}
}

// TestRecomputer computes a window without a store, and compares the rows of a holder with a record.
func TestRecomputer(t *testing.T) {
	s := newStore(t)
	stored := store(t, s, keyedWindow("a", 0))
	r := Recomputer{Run: "r1", Puzzle: keyed{}, Fetcher: StoreFetcher{s}}
	if rec, failure := r.Record(t.Context(), keyedWindow("a", 0), nobody{}); failure != nil || !rec.Same(&stored) {
		t.Errorf("%+v, %+v, want %+v", rec, failure, stored)
	}
	if _, failure := r.Record(t.Context(), keyedWindow("fails", 0), nobody{}); failure == nil ||
		failure.Kind != protocol.FailError || failure.Text != "oops" {
		t.Errorf("%+v", failure)
	}
	lie := stored
	lie.Digest[0] ^= 1
	for _, c := range []struct {
		rec kv.Record
		is  error
	}{{stored, nil}, {lie, kv.ErrCorrupt}, {kv.Record{Window: keyedWindow("b", 0), Rows: 1}, kv.ErrNotFound}} {
		err := r.Check(t.Context(), protocol.LocatedWindow{Record: c.rec})
		if !errors.Is(err, c.is) || c.is == nil && err != nil {
			t.Errorf("%s: %v, want %v", c.rec.ID(), err, c.is)
		}
	}
	r.Fetcher = reading{s: StoreFetcher{s}}
	if err := r.Check(t.Context(), protocol.LocatedWindow{Record: lie}); !errors.Is(err, kv.ErrCorrupt) {
		t.Errorf("other rows: %v", err)
	}
}

// reading fetches the stored window, whatever the record says.
type reading struct{ s StoreFetcher }

func (r reading) Blocks(
	ctx context.Context, w protocol.LocatedWindow, first, addresses uint64, fn func(*puzzle.Block) error,
) error {
	rec, _, err := r.s.Store.Record(w.Record.ID())
	if err != nil {
		return err
	}
	w.Record = rec
	return r.s.Blocks(ctx, w, first, addresses, fn)
}
