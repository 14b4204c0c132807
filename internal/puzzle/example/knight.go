package example

import (
	"context"
	"fmt"
	"math/bits"
	"strconv"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Walks counts the walks of a knight from the corner of a board.
type Walks struct {
	side, moves int
	window      uint64 // addresses of a window at most
}

// Identity implements puzzle.Puzzle. The size of windows belongs to it: it decides how a run is cut.
func (k *Walks) Identity() puzzle.Identity {
	return puzzle.Identity{Puzzle: Definition.Name, Params: []puzzle.Param{
		{Name: "side", Value: strconv.Itoa(k.side)}, {Name: "moves", Value: strconv.Itoa(k.moves)},
		{Name: "window_addresses", Value: strconv.FormatUint(k.window, 10)},
	}}
}

// Columns implements puzzle.Puzzle: a count of 128 bits in two halves.
func (k *Walks) Columns() []string { return []string{"walks_lo", "walks_hi"} }

func cell(layer int) puzzle.Cell { return puzzle.Cell{Layer: layer, Key: "squares"} }

// Layer implements puzzle.Puzzle.
func (k *Walks) Layer(n int, _ puzzle.Results) ([]puzzle.CellPlan, error) {
	if n > k.moves {
		return nil, puzzle.ErrNoLayer
	}
	squares := uint64(k.side * k.side)
	plan := puzzle.CellPlan{Cell: cell(n), Addresses: squares, Work: float64(8 * squares), MemoryBytes: 64 * squares,
		RowBytes: 16 * float64(squares)}
	for first := uint64(0); first < squares; first += k.window {
		plan.Cuts = append(plan.Cuts, first)
	}
	if n > 0 {
		plan.Parents = []puzzle.Cell{cell(n - 1)}
	}
	return []puzzle.CellPlan{plan}, nil
}

// Compute implements puzzle.Puzzle: every square takes the walks of the squares a knight's move away. Walks that cross
// an edge between layers are counted on both sides, so that a verification can compare.
func (k *Walks) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (t puzzle.Tally, err error) {
	walks := map[uint64]uint128.Uint128{0: uint128.From(1)} // of no moves: the corner
	if w.Layer > 0 {
		before, err := read(ctx, in, cell(w.Layer-1))
		if err != nil {
			return t, err
		}
		clear(walks)
		var taken uint128.Uint128
		for square := w.First; square < w.First+w.Addresses; square++ {
			for _, from := range k.neighbours(square) {
				if err := add(before[from], &taken, square, walks); err != nil {
					return t, err
				}
			}
		}
		if err := t.AddIn(cell(w.Layer-1), taken); err != nil {
			return t, err
		}
	}
	x := puzzle.NewWriter(w, out)
	for square := w.First; square < w.First+w.Addresses; square++ {
		n, ok := walks[square]
		if !ok {
			continue
		}
		if err := x.Row(square, n.Lo, n.Hi); err != nil {
			return t, err
		}
		if err := t.AddSum("walks", n); err != nil {
			return t, err
		}
		if err := t.AddSum("squares", uint128.From(1)); err != nil {
			return t, err
		}
		for range k.neighbours(square) {
			if w.Layer == k.moves {
				break
			}
			if err := t.AddOut(cell(w.Layer+1), n); err != nil {
				return t, err
			}
		}
	}
	return t, x.Flush()
}

// add adds n to the walks of a square and to taken, the walks that the window has taken.
func add(n uint128.Uint128, taken *uint128.Uint128, square uint64, walks map[uint64]uint128.Uint128) error {
	if n.IsZero() {
		return nil
	}
	sum, ok1 := walks[square].Add(n)
	all, ok2 := taken.Add(n)
	if !ok1 || !ok2 {
		return fmt.Errorf("square %d: %w", square, puzzle.ErrOverflow)
	}
	walks[square], *taken = sum, all
	return nil
}

// neighbours lists the squares a knight's move away.
func (k *Walks) neighbours(square uint64) []uint64 {
	row, column := int(square)/k.side, int(square)%k.side
	var list []uint64
	for _, m := range [][2]int{{-2, -1}, {-2, 1}, {-1, -2}, {-1, 2}, {1, -2}, {1, 2}, {2, -1}, {2, 1}} {
		if r, c := row+m[0], column+m[1]; r >= 0 && r < k.side && c >= 0 && c < k.side {
			list = append(list, uint64(r*k.side+c))
		}
	}
	return list
}

// read returns the rows of a cell by address.
func read(ctx context.Context, in puzzle.Source, c puzzle.Cell) (map[uint64]uint128.Uint128, error) {
	rows := map[uint64]uint128.Uint128{}
	windows, err := in.Windows(c)
	if err != nil {
		return nil, err
	}
	for _, w := range windows {
		err := in.Blocks(ctx, w, w.First, w.Addresses, func(b *puzzle.Block) error {
			lo, hi, r := b.Column(0), b.Column(1), 0
			for i, word := range b.Occupied {
				for ; word != 0; word &= word - 1 {
					n := uint128.Uint128{}
					if lo != nil {
						n.Lo = lo[r]
					}
					if hi != nil {
						n.Hi = hi[r]
					}
					rows[b.First+uint64(i*64+bits.TrailingZeros64(word))] = n
					r++
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return rows, nil
}
