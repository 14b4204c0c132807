package reserve

import (
	"fmt"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// forbidden says why no solution ends at a goal; it is empty when nothing is known against it. A jump changes no
// parity, and start and reserve together are the full board.
func forbidden(b *peg.Board, goal peg.Position) string {
	for _, m := range b.Invariants() {
		if full, end := m.Pegs(), (goal & m).Pegs(); full&1 != end&1 {
			return fmt.Sprintf("rule of three (de Bruijn 1972): no jump changes the parity of the pegs on %s, "+
				"with the reserve put back the full board has %d there and the goal %d", peg.Hex(m), full, end)
		}
	}
	return ""
}

// Summarise gives the number of solutions.
func (s *Puzzle) Summarise(known puzzle.Results) (puzzle.Summary, error) {
	var sum puzzle.Summary
	b := s.problem.Board
	sum.AddText("board", b.Name, "name of the board")
	sum.AddText("start", peg.FormatLine(b, s.problem.Start), "where the game starts")
	sum.AddText("goal", peg.FormatLine(b, s.problem.Goal), "where a solution ends")
	sum.AddText("reserve", b.HoleName(s.hole), "hole of the peg that is laid aside and put back")
	n, ok, err := s.solutions(known)
	if err != nil {
		return sum, err
	}
	if ok {
		sum.AddCount("solutions", n, "jump sequences from the start to the goal, each with the moment of putting back")
	}
	if s.reason != "" {
		sum.Notes = append(sum.Notes, "no solution: "+s.reason)
	}
	return sum, nil
}

// solutions returns the number of solutions; ok is false while it is not known.
func (s *Puzzle) solutions(known puzzle.Results) (n uint128.Uint128, ok bool, err error) {
	if s.reason != "" {
		return n, true, nil
	}
	if s.last()+1 >= known.Layers() {
		return n, known.Complete(), nil
	}
	t, ok := known.Layer(s.last() + 1)
	for _, m := range s.meetings {
		var fits bool
		if n, fits = n.Add(t.Sum(m.name)); !fits {
			return n, false, fmt.Errorf("solutions: %w", puzzle.ErrOverflow)
		}
	}
	return n, ok, nil
}
