// Command kernel counts all games of a board with every window in memory: the kernel of peg solitaire alone, without
// store, ledger or queue. It uses one core and prints what it counted and how fast.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strconv"
	"time"

	"pagoda/internal/counting"
	"pagoda/internal/kv"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
)

func main() {
	board := flag.String("board", "english", "`name` of the board")
	start := flag.String("start", "center", "`holes` that are empty at the start")
	updates := flag.Bool("updates", false, "count the updates (jumps from every class) in a second run, for a rate")
	entropy := flag.Bool("entropy", false, "print only the entropy of the stored rows, as estimated block by block")
	flag.Parse()
	if err := run(*board, *start, *updates, *entropy); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(board, start string, updates, entropy bool) error {
	b, err := peg.Named(board)
	if err != nil {
		return err
	}
	p := counting.Params{Board: b}
	if p.Start, err = peg.ParseStart(b, start); err != nil {
		return err
	}
	ctx := context.Background()
	began := time.Now()
	g, err := counting.NewGames(p)
	if err != nil {
		return err
	}
	if entropy {
		return printEntropy(ctx, g)
	}
	m := puzzletest.New(puzzletest.Options{Cached: true})
	if err := m.Play(ctx, g); err != nil {
		return err
	}
	seconds := time.Since(began).Seconds()
	for _, name := range []string{"games", "classes", "positions"} {
		value, err := m.Fact(g, name)
		if err != nil {
			return err
		}
		fmt.Println(name, value)
	}
	slots := uint64(0)
	for n := range m.Layers() {
		for _, c := range m.Cells(n) {
			slots += c.Slots
		}
	}
	fmt.Printf("slots %d\nseconds %.3f\n%.1f million slots/s\n", slots, seconds, float64(slots)/seconds/1e6)
	if !updates {
		return nil
	}
	jumps := 0
	each := func(w puzzle.Window, block *puzzle.Block) error {
		return g.ExportRows(w.Cell, block, func(row []puzzle.Value) error {
			position, err := strconv.ParseUint(row[0].S, 0, 64)
			if err != nil {
				return err
			}
			b.Moves(peg.Position(position), func(peg.Jump) { jumps++ })
			return nil
		})
	}
	if err := puzzletest.New(puzzletest.Options{Cached: true, Each: each}).Play(ctx, g); err != nil {
		return err
	}
	fmt.Printf("updates %d\n%.1f million updates/s\n", jumps, float64(jumps)/seconds/1e6)
	return nil
}

// printEntropy prints what the rows of a run would take if they were coded as well as their distribution allows.
func printEntropy(ctx context.Context, g *counting.Games) error {
	var bits float64
	m := puzzletest.New(puzzletest.Options{Cached: true, Each: func(_ puzzle.Window, b *puzzle.Block) error {
		bits += kv.EntropyBits(b)
		return nil
	}})
	if err := m.Play(ctx, g); err != nil {
		return err
	}
	classes, err := m.Fact(g, "classes")
	if err != nil {
		return err
	}
	n, err := strconv.ParseFloat(classes, 64)
	fmt.Printf("%14.0f bytes %10.3f\n", bits/8, bits/8/n)
	return err
}
