package solutions

import (
	"pagoda/internal/puzzle"
)

// Recounts joins every problem a second time, one layer before the run did, from the side of the goal: the former far
// enumeration goes one layer on, and the former near one stays one layer behind.
func (s *Puzzle) Recounts(known puzzle.Results) ([]puzzle.Recount, error) {
	var list []puzzle.Recount
	for _, q := range s.problems {
		if q.join == nil {
			continue
		}
		want, ok := s.solutions(q, known)
		if !ok {
			continue
		}
		r, err := q.join.Recount(want)
		if err != nil {
			return nil, err
		}
		r.What = s.of(q) + r.What
		list = append(list, r)
	}
	return list, nil
}
