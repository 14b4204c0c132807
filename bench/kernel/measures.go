package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/blocks"
	"pagoda/internal/puzzle/puzzletest"
)

// traffic returns the addresses of all cells and the bytes that must pass between memory and core at least: each window
// that is kept is written once, and each parent read once by each of its children. A count takes 4 bytes in a cell that
// has none of 2^32 or more, else 8 (very few take 16), and a position that can be reached one bit.
func traffic(m *puzzletest.Memory, count string) (addresses, bytes uint64) {
	size := map[puzzle.Cell]uint64{} // in bits
	for n := range m.Layers() {
		for _, c := range m.Cells(n) {
			addresses += c.Addresses
			size[c.Cell] = c.Addresses * countBits(m, c.Cell, count)
			bytes += size[c.Cell] / 8
			for _, parent := range c.Parents {
				bytes += size[parent] / 8
			}
		}
	}
	return addresses, bytes
}

// countBits returns the number of bits for an address of a cell; 0 where no counts are kept, as in a join.
func countBits(m *puzzletest.Memory, c puzzle.Cell, count string) uint64 {
	if count == "positions" || count == "winnable" {
		return 1
	}
	t, _ := m.Cell(c)
	switch most := t.Max("max_paths"); {
	case most.IsZero():
		return 0
	case most.Hi == 0 && most.Lo <= math.MaxUint32:
		return 32
	}
	return 64
}

// countUpdates plays once more and counts the jumps from one position of every class.
func countUpdates(ctx context.Context, b *peg.Board, q puzzle.Puzzle) (n int, err error) {
	rows, ok := q.(puzzle.Exporter)
	if !ok {
		return 0, errors.New("updates are counted from rows, and this question has none to show")
	}
	each := func(w puzzle.Window, block *puzzle.Block) error {
		return rows.ExportRows(w.Cell, block, func(row []puzzle.Value) error {
			position, err := strconv.ParseUint(strings.TrimPrefix(row[0].S, "x"), 16, 64)
			if err != nil {
				return err
			}
			b.Moves(peg.Position(position), func(peg.Jump) { n++ })
			return nil
		})
	}
	return n, puzzletest.New(puzzletest.Options{Cached: true, Each: each}).Play(ctx, q)
}

// printEntropy prints what the rows of a run would take if they were coded as well as their distribution allows.
func printEntropy(ctx context.Context, q puzzle.Puzzle) error {
	var bits float64
	m := puzzletest.New(puzzletest.Options{Cached: true, Each: func(_ puzzle.Window, b *puzzle.Block) error {
		bits += blocks.EntropyBits(b)
		return nil
	}})
	if err := m.Play(ctx, q); err != nil {
		return err
	}
	classes, err := m.Fact(q, "classes")
	if err != nil {
		return err
	}
	n, err := strconv.ParseFloat(classes, 64)
	fmt.Printf("%14.0f bytes %10.3f\n", bits/8, bits/8/n)
	return err
}
