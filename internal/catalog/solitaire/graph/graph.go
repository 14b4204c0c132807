// Package graph lists the graph of all positions of a small board. Its edges are jumps, the matrix M. An entry of
// the power k of M is the number of games of k jumps from one position to another; k is the difference of their pegs,
// so the sum S of the powers has the same entries. The closure F has the pairs with a game.
package graph

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// MaxHoles is how many holes a board may have: every number of games fits 128 bits, and all positions fit in memory.
const MaxHoles = 16

// ErrTooLarge is wrapped when a board has more holes.
var ErrTooLarge = errors.New("too many holes for a list of all positions")

// A Graph is that of the positions of a board.
type Graph struct {
	board *peg.Board
	games []uint128.Uint128 // by position: scratch of Paths, all zero between calls
}

// New returns the graph of a board. The error wraps ErrTooLarge.
func New(b *peg.Board) (*Graph, error) {
	if b.Size() > MaxHoles {
		return nil, fmt.Errorf("%w: it has %d, and at most %d are possible", ErrTooLarge, b.Size(), MaxHoles)
	}
	return &Graph{board: b, games: make([]uint128.Uint128, b.Full()+1)}, nil
}

// Positions are all positions of the board, those with more pegs first.
func (g *Graph) Positions() []peg.Position {
	list := make([]peg.Position, len(g.games))
	for i := range list {
		list[i] = peg.Position(i)
	}
	slices.SortStableFunc(list, func(p, q peg.Position) int { return q.Pegs() - p.Pegs() })
	return list
}

// Jumps are the edges that leave a position, in the order of the board's jumps.
func (g *Graph) Jumps(p peg.Position) iter.Seq[peg.Jump] {
	return func(yield func(peg.Jump) bool) {
		for _, j := range g.board.Jumps {
			if j.Legal(p) && !yield(j) {
				return
			}
		}
	}
}

// A Path is a position that games lead to, with their number and their length.
type Path struct {
	End   peg.Position
	Jumps int
	Games uint128.Uint128
}

// Paths lists what the games from a position lead to, itself left out: by number of jumps, and those of one number
// ascending.
func (g *Graph) Paths(from peg.Position) (list []Path) {
	layer, jumps := []peg.Position{from}, 0
	g.games[from] = uint128.From(1)
	for len(layer) > 0 {
		var next []peg.Position
		for _, p := range layer {
			games := g.games[p]
			if g.games[p] = (uint128.Uint128{}); jumps > 0 {
				list = append(list, Path{p, jumps, games})
			}
			for j := range g.Jumps(p) {
				q := j.Play(p)
				if g.games[q].IsZero() {
					next = append(next, q)
				}
				// A board of 16 holes has fewer than 128 jumps, and a game at most 15 of them.
				g.games[q], _ = g.games[q].Add(games)
			}
		}
		slices.Sort(next)
		layer, jumps = next, jumps+1
	}
	return list
}

// A Pair is a start and a goal.
type Pair struct{ Start, Goal peg.Position }

// Undecided lists the pairs of starts and goals without a game, the goal with fewer pegs than the start and at least
// one, that no criterion forbids. first is that of feasible.Decider.
func (g *Graph) Undecided(
	ctx context.Context, starts, goals []peg.Position,
	first func(context.Context, peg.Problem) (criterion int, limited bool, err error),
) (list []Pair, err error) {
	for _, s := range starts {
		if err := puzzle.Progress(ctx); err != nil {
			return nil, err
		}
		won := make(map[peg.Position]bool)
		for _, path := range g.Paths(s) {
			won[path.End] = true
		}
		for _, goal := range goals {
			if goal == 0 || goal.Pegs() >= s.Pegs() || won[goal] {
				continue
			}
			criterion, _, err := first(ctx, peg.Problem{Board: g.board, Start: s, Goal: goal})
			if err != nil {
				return nil, err
			}
			if criterion < 0 {
				list = append(list, Pair{s, goal})
			}
		}
	}
	return list, nil
}
