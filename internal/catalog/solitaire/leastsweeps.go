package solitaire

import (
	"fmt"
	"strings"

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

// boardSettings are the flags by which the config of a named board takes another one.
func boardSettings(b *peg.Board) string {
	var words []string
	for _, v := range boardValues(b.Laid()) {
		if v.name == "drawing" {
			words = append(words, "--set board=")
		}
		words = append(words, "--set "+v.name+"="+quoted([]string{v.value}))
	}
	return strings.Join(words, " ")
}
