package enginetest

import (
	"context"
	"fmt"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Labels plays a game forwards and labels it backwards: heaps lose 1, 2 or 3 tokens and, in the same move, a marker
// moves round a ring; a player without a move has lost. Layer n < Depth has the states that n moves reach. Layer
// Depth+i labels those of layer Depth-1-i with 1 (won for the player to move) or 2 (lost), from the forward cell and
// the labels of the layer after.
type Labels struct {
	Tokens, Ring uint64
	Window       uint64
}

// Identity implements puzzle.Puzzle.
func (p *Labels) Identity() puzzle.Identity {
	return puzzle.Identity{Puzzle: "labels", Params: []puzzle.Param{
		{Name: "tokens", Value: fmt.Sprint(p.Tokens)},
		{Name: "ring", Value: fmt.Sprint(p.Ring)},
		{Name: "window_addresses", Value: fmt.Sprint(p.Window)},
	}}
}

// Columns implements puzzle.Puzzle.
func (p *Labels) Columns() []string { return []string{"label"} }

func (p *Labels) depth() int    { return int(p.Tokens) + 1 }
func (p *Labels) slots() uint64 { return (p.Tokens + 1) * p.Ring }

func labelCell(n int, key string) puzzle.Cell { return puzzle.Cell{Layer: n, Key: key} }

// mirror is the backward layer of forward layer n, and the other way round.
func (p *Labels) mirror(n int) int { return 2*p.depth() - 1 - n }

// Layer implements puzzle.Puzzle.
func (p *Labels) Layer(n int, _ puzzle.Results) ([]puzzle.CellPlan, error) {
	d := p.depth()
	c := puzzle.CellPlan{Addresses: p.slots(), Cuts: cuts(p.slots(), p.Window), Work: float64(p.slots())}
	switch {
	case n >= 2*d:
		return nil, puzzle.ErrNoLayer
	case n < d:
		c.Cell = labelCell(n, "forward")
		if n > 0 {
			c.Parents = []puzzle.Cell{labelCell(n-1, "forward")}
		}
	default:
		c.Cell = labelCell(n, "backward")
		c.Parents = []puzzle.Cell{labelCell(p.mirror(n), "forward")}
		if n > d {
			c.Parents = append(c.Parents, labelCell(n-1, "backward"))
		}
	}
	return []puzzle.CellPlan{c}, nil
}

// moves returns the states after a.
func (p *Labels) moves(a uint64) (out []uint64) {
	tokens, place := a/p.Ring, a%p.Ring
	for take := uint64(1); take <= min(3, tokens); take++ {
		if (tokens+place)%5 != take { // some moves are forbidden, or the ring would not matter
			out = append(out, (tokens-take)*p.Ring+(place+take)%p.Ring)
		}
	}
	return out
}

// Compute implements puzzle.Puzzle.
func (p *Labels) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (t puzzle.Tally, err error) {
	val := make([]uint64, p.slots())
	if w.Layer < p.depth() {
		err = p.forward(ctx, w.Layer, in, val)
	} else {
		err = p.backward(ctx, w.Layer, in, val)
	}
	if err != nil {
		return t, err
	}
	var won, lost uint64
	rows, _, err := emit(w, out, func(a uint64) uint64 {
		if w.Layer >= p.depth() {
			won += val[a] & 1
			lost += val[a] >> 1
		}
		return val[a]
	})
	if err != nil {
		return t, err
	}
	for _, s := range []puzzle.Scalar{
		{Name: "states", Value: uint128.From(rows)}, {Name: "won", Value: uint128.From(won)},
		{Name: "lost", Value: uint128.From(lost)},
	} {
		if err := t.AddSum(s.Name, s.Value); err != nil {
			return t, err
		}
	}
	return t, nil
}

func (p *Labels) forward(ctx context.Context, n int, in puzzle.Source, val []uint64) error {
	if n == 0 {
		val[p.Tokens*p.Ring] = 1
		return nil
	}
	last, err := dense(ctx, in, labelCell(n-1, "forward"), p.slots())
	for a, v := range last {
		if v != 0 {
			for _, b := range p.moves(uint64(a)) {
				val[b] = 1
			}
		}
	}
	return err
}

func (p *Labels) backward(ctx context.Context, n int, in puzzle.Source, val []uint64) error {
	states, err := dense(ctx, in, labelCell(p.mirror(n), "forward"), p.slots())
	if err != nil {
		return err
	}
	var after []uint64
	if n > p.depth() {
		if after, err = dense(ctx, in, labelCell(n-1, "backward"), p.slots()); err != nil {
			return err
		}
	}
	for a, v := range states {
		if v == 0 {
			continue
		}
		val[a] = 2
		for _, b := range p.moves(uint64(a)) {
			if after == nil || after[b] == 0 {
				return fmt.Errorf("state %d of layer %d has a move to %d, which has no label", a, n, b)
			}
			if after[b] == 2 {
				val[a] = 1
			}
		}
	}
	return nil
}

// Summarise implements puzzle.Puzzle.
func (p *Labels) Summarise(known puzzle.Results) (puzzle.Summary, error) {
	return summary(known, "states", "won", "lost"), nil
}

// Reference computes what Summarise should say.
func (p *Labels) Reference() map[string]uint128.Uint128 {
	want := make(map[string]uint128.Uint128)
	var wins func(a uint64) bool
	wins = func(a uint64) bool {
		for _, b := range p.moves(a) {
			if !wins(b) {
				return true
			}
		}
		return false
	}
	set := func(n int, name string, v int) {
		if v > 0 {
			want[fmt.Sprintf("%d/%s", n, name)] = uint128.From(uint64(v))
		}
	}
	front := map[uint64]bool{p.Tokens * p.Ring: true}
	for n := range p.depth() {
		won := 0
		after := make(map[uint64]bool)
		for a := range front {
			if wins(a) {
				won++
			}
			for _, b := range p.moves(a) {
				after[b] = true
			}
		}
		set(n, "states", len(front))
		set(p.mirror(n), "states", len(front))
		set(p.mirror(n), "won", won)
		set(p.mirror(n), "lost", len(front)-won)
		front = after
	}
	return want
}
