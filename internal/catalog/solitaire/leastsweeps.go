package solitaire

import (
	"fmt"

	"pagoda/internal/catalog/solitaire/fewest"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle/plural"
)

// leastSaid says in one sentence whether the number of sweeps is the least, and if not how to find it.
func leastSaid(p peg.Problem, r *fewest.Result) string {
	b := p.Board
	sweeps := plural.Of(r.Sweeps, "sweep")
	if r.Proved() {
		return sweeps + ", and no solution has fewer: proved by an exhaustive search"
	}
	return fmt.Sprintf("%s, and no solution has fewer than %d; whether one has fewer than %d takes longer to decide, by "+
		"a run: coordinator run configs/english-sweeps.yaml %s --set start=%s --set goal=%s",
		sweeps, r.AtLeast, r.Sweeps, boardSettings(b), peg.FormatLine(b, p.Start), peg.FormatLine(b, p.Goal))
}

// boardSettings are the flags by which a config takes a board, by name if it has one.
func boardSettings(b *peg.Board) string {
	if name := b.SameAs(); name != "" {
		return "--set board=" + name
	}
	if peg.IsTriplets(b.Rule) {
		return fmt.Sprintf("--set board= --set rule='%s'", b.Rule)
	}
	flags := "--set board= --set drawing=" + peg.FormatLine(b, b.Full())
	if b.Lattice != peg.Square {
		flags += " --set lattice=" + b.Lattice.String()
	}
	if b.Rule != "" {
		flags += fmt.Sprintf(" --set rule='%s'", b.Rule)
	}
	return flags
}
