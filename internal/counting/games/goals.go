package games

import (
	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// addGoals adds the solutions of a complete run with several goals, and the games that end in one. Where the pegs
// decide, these are the paths of layers, and otherwise those to the positions that are watched.
func (g *Puzzle) addGoals(s *puzzle.Summary, known puzzle.Results) error {
	goals := g.params.Goals
	var solutions, games uint128.Uint128
	left := 0
	for n := range g.Layers {
		t, ok := known.Layer(n)
		pegs := g.params.Start.Pegs() - n
		if !ok {
			continue
		}
		paths, ended := t.Sum(counting.SumGoal), t.Sum(counting.SumGoalEnded)
		if goals.ByPegs() {
			paths, ended = t.Sum(counting.SumPaths), t.Sum(counting.SumEnded)
			if pegs < goals.Least || pegs > goals.Most || n == 0 && goals.Extreme == peg.NoExtreme {
				continue
			}
			if goals.Dead || goals.Extreme != peg.NoExtreme {
				paths = ended
			}
		}
		if goals.Extreme != peg.NoExtreme {
			if ended.IsZero() || goals.Extreme == peg.MostPegs && left > 0 {
				continue
			}
			left, solutions, games = pegs, uint128.Uint128{}, uint128.Uint128{}
		}
		var ok1, ok2 bool
		solutions, ok1 = solutions.Add(paths)
		if games, ok2 = games.Add(ended); !ok1 || !ok2 {
			return puzzle.ErrOverflow
		}
	}
	s.AddCount("solutions", solutions, "jump sequences from the start to a goal that has fewer pegs, of all goals")
	s.AddCount("goal_games", games, "those of them that end there: without a further jump")
	if goals.Extreme != peg.NoExtreme {
		s.AddNumber("pegs_left", uint64(left), "pegs that are left")
	}
	return nil
}
