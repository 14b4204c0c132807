package fewest

import "pagoda/internal/peg"

// A moved is a position and the hole of the peg that jumped last, or none.
type moved struct {
	at   peg.Position
	last int
}

// leastSweeps is the least number of sweeps of a game from the start to the goal, ok whether there is a game. It plays
// jump by jump: a jump of the peg that jumped last costs nothing, any other one is a sweep more. It knows no bound and
// no symmetry.
func leastSweeps(p peg.Problem) (least int, ok bool) {
	level := []moved{{p.Start, -1}}
	seen := map[moved]bool{}
	for sweeps := 0; len(level) > 0; sweeps++ {
		var next []moved
		for len(level) > 0 {
			m := level[len(level)-1]
			level = level[:len(level)-1]
			if m.at == p.Goal {
				return sweeps, true
			}
			if seen[m] {
				continue
			}
			seen[m] = true
			for _, j := range p.Board.Jumps {
				if !j.Legal(m.at) {
					continue
				}
				after := moved{j.Play(m.at), int(j.To)}
				if int(j.From) == m.last {
					level = append(level, after)
				} else {
					next = append(next, after)
				}
			}
		}
		level = next
	}
	return 0, false
}
