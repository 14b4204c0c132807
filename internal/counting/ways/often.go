package ways

import (
	"context"

	"pagoda/internal/puzzle"
)

// Times is how often a jump is played in a solution: at least and at most, over all solutions.
type Times struct{ Least, Greatest int }

// Times returns how often jumps are played, by their places in the list of the board; nil without a solution. It goes
// from the goal to the start, and keeps of every class how often each jump is played from there on.
func (g *Graph) Times(ctx context.Context) ([]Times, error) {
	if len(g.layers) == 0 {
		return nil, nil
	}
	jumps := len(g.problem.Board.Jumps)
	last := len(g.layers) - 1
	after := make([]uint8, 2*jumps*len(g.layers[last].positions)) // of each class, least of all jumps, then greatest
	for n := last - 1; n >= 0; n-- {
		l := &g.layers[n]
		here := make([]uint8, 2*jumps*len(l.positions))
		for c := range l.positions {
			if c&0xfff == 0 {
				if err := puzzle.Progress(ctx); err != nil {
					return nil, err
				}
			}
			least := here[2*jumps*c:][:jumps]
			greatest := here[2*jumps*c+jumps:][:jumps]
			for k, e := range l.of(uint32(c)) {
				lower := after[2*jumps*int(e.to):][:jumps]
				upper := after[2*jumps*int(e.to)+jumps:][:jumps]
				for i, image := range g.jumps[e.by] {
					a, b := lower[image], upper[image]
					if i == int(e.jump) {
						a, b = a+1, b+1
					}
					if k == 0 || a < least[i] {
						least[i] = a
					}
					greatest[i] = max(greatest[i], b)
				}
			}
		}
		after = here
	}
	list := make([]Times, jumps)
	for i := range list {
		list[i] = Times{int(after[i]), int(after[jumps+i])}
	}
	return list, nil
}
