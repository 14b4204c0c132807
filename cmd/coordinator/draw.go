package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/spf13/cobra"

	"pagoda/internal/counting/ways"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// maxDraws bounds the solutions that one call draws.
const maxDraws = 1_000_000

func (a *app) sampleCommand() *cobra.Command {
	var data, output string
	var n int
	var seed uint64
	cmd := &cobra.Command{
		Use:   "sample --data DIR",
		Short: "draw solutions uniformly at random",
		Long: `Draw solutions uniformly at random: every solution is equally likely at every draw, exactly. The same seed
gives the same solutions on every machine.

A solution is written as its jumps, and as moves in which consecutive jumps of one peg are one sweep: 46x44, 75x73x53.
Holes are column and row, both from 1; on triangular and large boards a letter for the column and a number for the row.
The number of a solution is its place among all of them in the order of their jumps.

The run must have been made with count: solutions and through: true, and its rows kept (keep: all).`,
		Example: `  coordinator sample --data runs/english-0123456789ab -n 10 --seed 1
  coordinator sample --data runs/english-0123456789ab -n 1000 --seed 1 --output json`,
		Args: cobra.NoArgs,
		RunE: a.action(func(ctx context.Context, _ []string) error { return a.sample(ctx, data, n, seed, output) }),
	}
	addData(cmd, &data)
	addOutput(cmd, &output)
	cmd.Flags().IntVarP(&n, "draws", "n", 1, "`number` of solutions to draw")
	cmd.Flags().Uint64Var(&seed, "seed", 0, "`number` that decides what is drawn")
	return cmd
}

func (a *app) sample(ctx context.Context, data string, n int, seed uint64, output string) error {
	if err := checkOutput(output); err != nil {
		return err
	}
	if n < 1 || n > maxDraws {
		return usage(fmt.Sprintf("-n: %d is not between 1 and %d", n, maxDraws), "write -n 10")
	}
	t, err := a.openThrough(ctx, data)
	if err != nil {
		return err
	}
	defer t.close()
	total, err := t.solutions.Total(ctx, t.rows)
	if err != nil {
		return t.advise(err)
	}
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	random := rand.NewChaCha8(key)
	b := t.board()
	var s puzzle.Summary
	s.AddText("board", b.Name, "name of the board")
	s.AddText("seed", strconv.FormatUint(seed, 10), "what decides the draws")
	s.AddCount("all_solutions", total, "solutions of the problem")
	list := puzzle.Table{Name: "sample", Columns: []puzzle.Column{
		{Name: "number", Kind: puzzle.Count, Doc: "place among all solutions, from 0, in the order of their jumps"},
		{Name: "moves", Kind: puzzle.Number, Doc: "moves, where consecutive jumps of one peg are one"},
		{Name: "jumps", Kind: puzzle.Text, Doc: "the jumps"},
		{Name: "sweeps", Kind: puzzle.Text, Doc: "the moves"},
	}}
	for range n {
		number := ways.Uniform(random, total)
		jumps, err := t.solutions.Solution(ctx, t.rows, number)
		if err != nil {
			return t.advise(err)
		}
		sweeps, moves := peg.FormatSweeps(b, jumps)
		list.Rows = append(list.Rows, []puzzle.Value{
			{N: number}, {N: uint128.From(uint64(moves))}, {S: peg.FormatJumps(b, jumps)}, {S: sweeps}})
	}
	if output == outputJSON {
		s.Tables = append(s.Tables, list)
		return a.print(document(t.run, t.config.Text("puzzle"), &s))
	}
	var text sheet
	text.printf("%d of %v solutions, seed %d\n", n, total, seed)
	for _, row := range list.Rows {
		text.printf("\nsolution %v\njumps %s\n%v moves %s\n", row[0].N, row[2].S, row[1].N, row[3].S)
	}
	return a.print(text.text())
}
