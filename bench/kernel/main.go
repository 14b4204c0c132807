// Command kernel counts all games of a board with every window in memory: the kernel of peg solitaire alone, without
// store, ledger or queue. It uses one core and prints what it counted and how fast.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
)

func main() {
	board := flag.String("board", "english", "`name` of the board")
	start := flag.String("start", "center", "`holes` that are empty at the start")
	updates := flag.Bool("updates", false, "count the updates (jumps from every class) in a second run, for a rate")
	flag.Parse()
	if err := run(*board, *start, *updates); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(board, start string, updates bool) error {
	b, err := peg.Named(board)
	if err != nil {
		return err
	}
	p := counting.Params{Board: b}
	if p.Start, err = peg.ParseStart(b, start); err != nil {
		return err
	}
	began := time.Now()
	m, err := play(p, nil)
	if err != nil {
		return err
	}
	seconds := time.Since(began).Seconds()
	facts, err := m.facts("games", "classes", "positions")
	if err != nil {
		return err
	}
	fmt.Printf("games %s\nclasses %s\npositions %s\nslots %d\n", facts[0], facts[1], facts[2], m.slots)
	fmt.Printf("seconds %.3f\n%.1f million slots/s\n", seconds, float64(m.slots)/seconds/1e6)
	if !updates {
		return nil
	}
	jumps := 0
	if _, err := play(p, func(position uint64) {
		b.Moves(peg.Position(position), func(peg.Jump) { jumps++ })
	}); err != nil {
		return err
	}
	fmt.Printf("updates %d\n%.1f million updates/s\n", jumps, float64(jumps)/seconds/1e6)
	return nil
}

// play computes all windows in order. Where each is not nil, it gets the canonical position of every class.
func play(p counting.Params, each func(position uint64)) (*memory, error) {
	g, err := counting.NewGames(p)
	if err != nil {
		return nil, err
	}
	m := newMemory(g, each)
	for n := 0; ; n++ {
		cells, err := g.Layer(n, m)
		if errors.Is(err, puzzle.ErrNoLayer) {
			return m, nil
		}
		if err != nil {
			return nil, err
		}
		m.layers = append(m.layers, cells)
		for i := range cells {
			if err := m.compute(context.Background(), &cells[i]); err != nil {
				return nil, err
			}
		}
		m.forget(n)
	}
}
