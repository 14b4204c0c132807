package fewest

import (
	"cmp"
	"slices"

	"pagoda/internal/peg"
)

// thinned returns at most width positions of a layer that comes from the start: those that promise most. A promising
// position has few sweeps left by the bound, pegs near the middle of the goal's, and many jumps. On a few problems of
// five boards these weights found the shortest solutions.
func (s *search) thinned(layer []peg.Position, width int) []peg.Position {
	if len(layer) <= width {
		return layer
	}
	type judged struct {
		score int
		hash  uint64
		at    peg.Position
	}
	list := make([]judged, len(layer))
	for i, p := range layer {
		score := 10 * least(s.regions, p, s.Goal)
		far := 0
		for rest := p; rest != 0; rest &= rest - 1 {
			far += s.far[trailing(rest)]
		}
		s.Board.Moves(p, func(peg.Jump) { score -= 4 })
		list[i] = judged{score + far/16, uint64(p) * 0x9e3779b97f4a7c15, p}
	}
	slices.SortFunc(list, func(a, b judged) int { return cmp.Or(a.score-b.score, cmp.Compare(a.hash, b.hash)) })
	layer = layer[:width]
	for i := range layer {
		layer[i] = list[i].at
	}
	return layer
}
