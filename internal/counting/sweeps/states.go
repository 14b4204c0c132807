package sweeps

import (
	"context"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle/uint128"
)

// states are the sequences to a position by the hole where the last jump ended, or began on the side that goes back.
type states struct {
	least int         // sweeps of any sequence
	holes []holeState // those that have any, ascending; one, with hole -1, where no jump was made
}

type holeState struct {
	hole    int
	longest int // sweep that the last jump can belong to, in jumps
	counts  poly
}

// at returns the state of a hole; one without sequences where there is none.
func (s *states) at(hole uint8) holeState {
	for _, h := range s.holes {
		if h.hole == int(hole) {
			return h
		}
	}
	return holeState{hole: int(hole)}
}

// states returns those of a position after n jumps; nil when it is not both reachable and winnable.
func (c *chains) states(ctx context.Context, q peg.Position, n int) (*states, error) {
	at := c.spot(q, n)
	t, row, ok, err := c.find(ctx, q, at)
	if err != nil || !ok {
		return nil, err
	}
	s := &states{least: int(t.places[row].least)}
	if n == 0 {
		s.holes = []holeState{{hole: -1, counts: t.poly(row)}}
		return s, nil
	}
	for hole := range c.ends {
		c.reset()
		if err := c.walk(ctx, q, at, uint8(hole), 0); err != nil {
			return nil, err
		}
		if c.longest >= 0 {
			counts := append(poly{uint128.Uint128{}}, c.fold(nil)...)
			s.holes = append(s.holes, holeState{hole, c.longest + 1, counts})
		}
	}
	return s, nil
}
