package window

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/puzzle/uint128"
)

// fake is a puzzle whose windows are what compute makes of them.
type fake struct {
	puzzle.Puzzle
	compute func(w puzzle.Window, out puzzle.Sink) (puzzle.Tally, error)
}

func (f fake) Compute(_ context.Context, w puzzle.Window, _ puzzle.Source, out puzzle.Sink) (puzzle.Tally, error) {
	return f.compute(w, out)
}

var win = puzzle.Window{Cell: puzzle.Cell{Layer: 3, Key: "c"}, First: 0, Addresses: 3 * puzzle.BlockAddresses}

// block is a block of one row.
func block(n uint64) *puzzle.Block {
	return &puzzle.Block{
		First: n * puzzle.BlockAddresses, Addresses: puzzle.BlockAddresses,
		Occupied: append([]uint64{1}, make([]uint64, puzzle.BlockAddresses/64-1)...), Columns: [][]uint64{{7}},
	}
}

func TestRecord(t *testing.T) {
	var tally puzzle.Tally
	if err := tally.AddSum("rows", uint128.From(2)); err != nil {
		t.Fatal(err)
	}
	rec, err := Record(t.Context(), "run", fake{compute: func(_ puzzle.Window, out puzzle.Sink) (puzzle.Tally, error) {
		return tally, errors.Join(out.Block(block(0)), out.Block(block(2)))
	}}, win, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := blocks.NewHasher(win)
	h.Add(block(0))
	h.Add(block(2))
	size := uint64(len(blocks.Encode(nil, block(0))) + len(blocks.Encode(nil, block(2))))
	want := kv.Record{Run: "run", Window: win, Rows: 2, Blocks: 2, Bytes: size, Digest: h.Sum(), Tally: tally}
	if !rec.Same(&want) {
		t.Errorf("got %+v, want %+v", rec, want)
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name, want string
		compute    func(w puzzle.Window, out puzzle.Sink) (puzzle.Tally, error)
	}{
		{"panic", "window " + win.ID().String() + ": panic: boom", func(puzzle.Window, puzzle.Sink) (puzzle.Tally, error) {
			panic("boom")
		}},
		{"tally", "not in canonical form", func(puzzle.Window, puzzle.Sink) (puzzle.Tally, error) {
			return puzzle.Tally{Sums: []puzzle.Scalar{{Name: "b"}, {Name: "a"}}}, nil
		}},
		{"order", "out of order", func(_ puzzle.Window, out puzzle.Sink) (puzzle.Tally, error) {
			return puzzle.Tally{}, errors.Join(out.Block(block(1)), out.Block(block(0)))
		}},
		{"twice", "out of order", func(_ puzzle.Window, out puzzle.Sink) (puzzle.Tally, error) {
			return puzzle.Tally{}, errors.Join(out.Block(block(1)), out.Block(block(1)))
		}},
		{"outside", "", func(_ puzzle.Window, out puzzle.Sink) (puzzle.Tally, error) {
			return puzzle.Tally{}, out.Block(block(3))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec, err := Record(t.Context(), "run", fake{compute: c.compute}, win, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) || rec.Run != "" {
				t.Errorf("got %+v, %v, want an error with %q", rec, err, c.want)
			}
		})
	}
	var p *PanicError
	_, err := Compute(t.Context(), fake{compute: func(puzzle.Window, puzzle.Sink) (puzzle.Tally, error) { panic(1) }},
		win, nil, nil)
	if !errors.As(err, &p) || p.Window != win.ID() || len(p.Stack) == 0 {
		t.Errorf("got %#v, want a PanicError with its stack", err)
	}
}
