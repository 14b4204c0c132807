package compute

import (
	"context"
	"testing"

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
