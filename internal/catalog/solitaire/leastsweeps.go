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
	board := b.SameAs()
	if board == "" {
		board = " --set drawing=" + peg.FormatLine(b, b.Full())
		if b.Lattice != peg.Square {
			board += " --set lattice=" + b.Lattice.String()
		}
		if b.Rule != "" {
			board += fmt.Sprintf(" --set rule='%s'", b.Rule)
		}
	}
	return fmt.Sprintf("%s, and no solution has fewer than %d; whether one has fewer than %d takes longer to decide, by "+
		"a run: coordinator run configs/english-sweeps.yaml --set board=%s --set start=%s --set goal=%s",
		sweeps, r.AtLeast, r.Sweeps, board, peg.FormatLine(b, p.Start), peg.FormatLine(b, p.Goal))
}
