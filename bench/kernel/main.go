// Command kernel answers a question about a board with every window in memory: the kernels of peg solitaire alone,
// without store, ledger or queue. It uses one core and prints the results, the speed, and the addresses and bytes
// that it had to touch.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"pagoda/internal/counting"
	"pagoda/internal/counting/games"
	"pagoda/internal/counting/reach"
	"pagoda/internal/counting/solutions"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
)

func main() {
	board := flag.String("board", "english", "`name` of the board")
	start := flag.String("start", "center", "`holes` that are empty at the start")
	goal := flag.String("goal", "center", "`holes` that have the last pegs")
	count := flag.String("count", "games", "what to count: games, solutions, positions or winnable")
	updates := flag.Bool("updates", false, "with games: count the updates (jumps from every class) in a second run")
	entropy := flag.Bool("entropy", false, "print only the entropy of the stored rows, as estimated block by block")
	flag.Parse()
	if err := run(*board, *start, *goal, *count, *updates, *entropy); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(board, start, goal, count string, updates, entropy bool) error {
	began := time.Now()
	b, err := peg.Named(board)
	if err != nil {
		return err
	}
	p := counting.Params{Board: b, HasGoal: true}
	if p.Start, err = peg.ParseStart(b, start); err != nil {
		return err
	}
	if p.Goal, err = peg.ParseGoal(b, goal); err != nil {
		return err
	}
	ctx := context.Background()
	q, facts, err := question(count, p)
	if err != nil {
		return err
	}
	if entropy {
		return printEntropy(ctx, q)
	}
	// Winnable positions are met with windows of all layers before.
	m := puzzletest.New(puzzletest.Options{Cached: true, Hoard: count == "winnable"})
	if err := m.Play(ctx, q); err != nil {
		return err
	}
	seconds := time.Since(began).Seconds()
	for _, name := range facts {
		value, err := m.Fact(q, name)
		if err != nil {
			return err
		}
		fmt.Println(name, value)
	}
	addresses, touched := traffic(m, count)
	fmt.Printf("addresses %d\nbytes %d\nseconds %.3f\n%.1f million addresses/s\n",
		addresses, touched, seconds, float64(addresses)/seconds/1e6)
	if !updates {
		return nil
	}
	n, err := countUpdates(ctx, b, q)
	fmt.Printf("updates %d\n%.1f million updates/s\n", n, float64(n)/seconds/1e6)
	return err
}

// question returns the puzzle, and the facts that show that it was answered.
func question(count string, p counting.Params) (puzzle.Puzzle, []string, error) {
	switch count {
	case "games":
		q, err := games.New(p)
		return q, []string{"games", "solutions", "classes", "positions"}, err
	case "solutions":
		q, err := solutions.New(p)
		return q, []string{"solutions"}, err
	case "positions":
		q, err := reach.New(reach.Params{Board: p.Board, Start: p.Start})
		return q, []string{"classes", "positions"}, err
	case "winnable":
		q, err := reach.NewWinnable(reach.Params{Board: p.Board, Start: p.Start, Goal: p.Goal, HasGoal: true})
		return q, []string{"winnable_classes_start_goal", "winnable_positions"}, err
	}
	return nil, nil, fmt.Errorf("count is %q; want games, solutions, positions or winnable", count)
}
