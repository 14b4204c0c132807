package tiles

import (
	"fmt"
	"strings"

	"pagoda/internal/puzzle/plural"
)

// Text writes the solution for people: the grid, its finals with their first order of play side by side, the tiles they
// need, and one game.
func (sol *Solution) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "grid         %s (%dx%d, %d colours)\n", sol.Grid, sol.Rows, sol.Cols, sol.Colours)
	fmt.Fprintf(&b, "cells        %s\n", sol.countText(sol.Counts))
	fmt.Fprintf(&b, "missing      %s (%s of blocks with the same)\n", sol.missingText(),
		plural.Of(sol.Equal, "adjacent pair"))
	fmt.Fprintf(&b, "class        %s, rank %s, %s\n", sol.Canonical, sol.Rank, plural.Digits(sol.Orbit, "grid"))
	if sol.Pack != nil {
		fmt.Fprintf(&b, "pack         %s\n", sol.countText(sol.Pack))
	}
	fmt.Fprintf(&b, "final grids  %s\n", sol.Finals)
	if sol.Orders != "" {
		fmt.Fprintf(&b, "orders       %s\n", sol.Orders)
	}
	if sol.Cyclic != "0" {
		fmt.Fprintf(&b, "cyclic       %s with agreement in every pair of blocks and no order of play\n",
			plural.Digits(sol.Cyclic, "grid"))
	}
	if len(sol.Tiles) > 0 {
		b.WriteString("\nfinals  tiles\n")
	}
	for _, t := range sol.Tiles {
		fmt.Fprintf(&b, "%6s  %s\n", t.Finals, sol.countText(t.Counts))
	}
	for i, f := range sol.List {
		fmt.Fprintf(&b, "\nfinal %d of %s%s%s\n", i+1, sol.Finals,
			suffix(f.Orders != "", ", "+plural.Digits(f.Orders, "order")+" of play"),
			suffix(f.Permutation, ", the initial grid with its colours permuted"))
		for r, row := range strings.Split(f.Grid, "/") {
			fmt.Fprintf(&b, "  %s  ", row)
			for c := range sol.Cols {
				fmt.Fprintf(&b, " %2d", f.Turns[r*sol.Cols+c])
			}
			b.WriteByte('\n')
		}
	}
	if len(sol.Play) > 0 {
		fmt.Fprintf(&b, "\none game, to final %d\n", sol.chosen+1)
	}
	for i, s := range sol.Play {
		fmt.Fprintf(&b, "%3d  %v  %s covers %s  %s\n", i+1, s.CellRef, s.Tile, s.Covers, s.Grid)
	}
	return b.String()
}

func suffix(on bool, s string) string {
	if on {
		return s
	}
	return ""
}

// countText writes counts in the order of the letters, such as "R4 V4 B4 W4 J0".
func (sol *Solution) countText(counts map[string]int) string {
	f := make([]string, len(sol.Letters))
	for i, l := range sol.Letters {
		f[i] = fmt.Sprintf("%c%d", l, counts[string(l)])
	}
	return strings.Join(f, " ")
}

// missingText writes the missing colours as a grid of blocks.
func (sol *Solution) missingText() string {
	var rows []string
	for w := sol.Cols - 1; len(rows) < sol.Rows-1; {
		rows = append(rows, strings.Join(sol.Missing[len(rows)*w:(len(rows)+1)*w], " "))
	}
	return strings.Join(rows, " / ")
}
