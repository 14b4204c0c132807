package babylone

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Names of the sums of a tally. Each of the first five has a second sum with the suffix upToColours.
const (
	sumPositions = "positions"
	sumTerminal  = "terminal"
	sumEdges     = "edges" // pairs of a position and one that a move leads to
	sumWon       = "won"   // for the player to move
	sumNimber    = "nimber."
	upToColours  = "_up_to_colours"
)

// Compute implements puzzle.Puzzle.
func (b *Puzzle) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (t puzzle.Tally, err error) {
	if w.Cell == insideCell {
		return insideTally(ctx, b.bricks)
	}
	if w.Layer >= b.layers() || w.Cell != positionsCell(w.Layer) || w.Addresses == 0 ||
		w.First+w.Addresses > b.space.size(b.piles(w.Layer)) || w.First%(1<<b.shift) != 0 {
		return t, fmt.Errorf("window %v of positions %d+%d does not belong to the game of bricks %s",
			w, w.First, w.Addresses, writeBricks(b.bricks))
	}
	var below *level
	if w.Layer > 0 {
		if below, err = b.level(ctx, in, w.Layer-1); err != nil {
			return t, err
		}
	}
	c := &computation{
		Puzzle: b, walker: newWalker(b.space), below: below, piles: b.piles(w.Layer), chunk: b.newChunk(w.Addresses),
	}
	if err := c.window(ctx, w, out); err != nil {
		return t, err
	}
	in.Cache().Put(w.ID(), c.chunk, c.chunk.bytes())
	return c.totals.tally()
}

// A computation goes through the positions of one window.
type computation struct {
	*Puzzle
	walker *walker
	below  *level
	piles  int
	chunk  *chunk // of the window
	totals totals
}

func (c *computation) window(ctx context.Context, w puzzle.Window, out puzzle.Sink) error {
	ids := c.space.unrank(w.First, c.piles, nil)
	x, columns := puzzle.NewWriter(w, out), len(c.Columns())
	for i := range w.Addresses {
		if i > 0 {
			ids = c.space.next(ids, w.First+i, c.piles)
		}
		if i%1024 == 0 {
			if err := puzzle.Progress(ctx); err != nil {
				return err
			}
		}
		if values, row := c.position(ids, i); row {
			if err := x.Row(w.First+i, values[:columns]...); err != nil {
				return err
			}
		}
	}
	return x.Flush()
}

// position labels the position at place i of the window, and reports whether it has a row.
func (c *computation) position(ids []int32, i uint64) (values [2]uint64, row bool) {
	apart, terminal := c.space.apart(ids), c.space.terminal(ids)
	c.totals.positions.add(apart)
	if terminal {
		c.totals.terminal.add(apart)
	}
	if c.count == CountWinner {
		won := false
		if !terminal {
			_, won = c.walker.moves(ids, c.piles, c.below)
		}
		if won {
			c.totals.won.add(apart)
		} else {
			c.chunk.lost[i/64] |= 1 << (i % 64)
		}
		return values, !won
	}
	var after []uint64
	nimber := byte(0)
	if !terminal {
		after, _ = c.walker.moves(ids, c.piles, nil)
		nimber = c.below.mex(after)
	}
	c.chunk.nimbers[i] = nimber
	c.totals.nimbers[nimber].add(apart)
	if nimber > 0 {
		c.totals.won.add(apart)
	}
	values[0] = uint64(nimber)
	if c.count == CountGraph {
		slices.Sort(after)
		moves := uint64(len(slices.Compact(after)))
		apartEdges := uint128.Mul(apart, c.space.edgesApart(ids))
		c.totals.edges.apart, _ = c.totals.edges.apart.Add(apartEdges)
		c.totals.edges.up += moves
		values[1] = moves
	}
	return values, true
}

// A pair counts positions with colours told apart, and up to colours.
type pair struct {
	apart uint128.Uint128
	up    uint64
}

// add counts one position up to colours. The sum fits, as there are fewer than 2^48 positions of less than 2^63 each.
func (p *pair) add(apart uint64) {
	p.apart, _ = p.apart.Add(uint128.From(apart))
	p.up++
}

type totals struct {
	positions, terminal, won, edges pair
	nimbers                         [MaxBricks]pair
}

func (c *totals) tally() (t puzzle.Tally, err error) {
	add := func(name string, p pair) {
		if err == nil && p.up > 0 {
			if err = t.AddSum(name, p.apart); err == nil {
				err = t.AddSum(name+upToColours, uint128.From(p.up))
			}
		}
	}
	add(sumPositions, c.positions)
	add(sumTerminal, c.terminal)
	add(sumWon, c.won)
	add(sumEdges, c.edges)
	for n, p := range c.nimbers {
		add(sumNimber+strconv.Itoa(n), p)
	}
	return t, err
}

// CheckTally implements puzzle.TallyChecker. A position is won or has the nimber 0; of the winners alone the
// lost ones are
// stored, otherwise all.
func (b *Puzzle) CheckTally(w puzzle.Window, rows uint64, t *puzzle.Tally) error {
	if w.Cell == insideCell {
		return nil
	}
	for _, up := range []string{"", upToColours} {
		positions, won, terminal := t.Sum(sumPositions+up), t.Sum(sumWon+up), t.Sum(sumTerminal+up)
		lost, ok := positions.Sub(won)
		if !ok || terminal.Cmp(lost) > 0 {
			return fmt.Errorf("%s %v, of which %v are won and %v terminal", sumPositions+up, positions, won, terminal)
		}
		if b.count != CountWinner {
			var all uint128.Uint128
			for n := range MaxBricks {
				all, _ = all.Add(t.Sum(sumNimber + strconv.Itoa(n) + up)) // far below 2^128 together
			}
			if zero := t.Sum(sumNimber + "0" + up); all != positions || zero != lost {
				return fmt.Errorf("%s %v, of which %v are won: %v have a nimber, and %v the nimber 0",
					sumPositions+up, positions, won, all, zero)
			}
			lost = positions
		}
		if up != "" && lost != uint128.From(rows) {
			return fmt.Errorf("%v positions to be stored, but %d rows", lost, rows)
		}
	}
	return nil
}
