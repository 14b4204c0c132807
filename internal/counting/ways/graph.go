package ways

import (
	"context"
	"errors"
	"fmt"

	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// ErrTooMany is wrapped where the positions of all solutions are more than may be held.
var ErrTooMany = errors.New("too many positions")

// A Graph is the positions of all solutions of a problem, and the jumps between them. Positions are classes under the
// symmetries that fix start and goal, by the least of each.
type Graph struct {
	problem peg.Problem
	group   []peg.Perm
	orbits  *peg.Orbits
	jumps   [][]uint8 // by symmetry: the places of the images of the jumps of the board
	layers  []layer   // by jumps from the start; none without a solution
}

// A layer is the classes after so many jumps.
type layer struct {
	at        map[peg.Position]uint32 // places
	positions []peg.Position
	ways      []uint128.Uint128
	ends      []uint32 // by class, the end of its edges
	edges     []edge
}

// An edge is a jump from the least position of a class.
type edge struct {
	to   uint32 // the class of the position after it
	by   uint8  // the symmetry that takes this to the least of its class
	jump uint8  // place in the list of the board
}

// Graph reads the graph of a finished run. cells lists the cells of a layer of the run. The error wraps ErrTooMany when
// there are more than most classes.
func (t *Puzzle) Graph(
	ctx context.Context, in puzzle.Source, cells func(layer int) []puzzle.CellPlan, most int,
) (*Graph, error) {
	g := newGraph(t.problem)
	if t.near == nil {
		return g, nil
	}
	g.layers = make([]layer, t.jumps+1)
	for i := range g.layers {
		g.layers[i].at = map[peg.Position]uint32{}
	}
	held := 0
	err := t.allClasses(ctx, in, cells, func(r class) error {
		if held++; held > most {
			return tooManyClasses(most)
		}
		return g.layers[r.jumps].add(g.orbits.Least(r.position), r.ways)
	})
	if err != nil {
		return nil, err
	}
	if held == 0 {
		g.layers = nil
	}
	return g, g.link(ctx)
}

// Graph finds the graph of a listing by playing from the start. The error wraps ErrTooMany when there are more than
// most classes.
func (l *Listing) Graph(ctx context.Context, most int) (*Graph, error) {
	g := newGraph(l.problem)
	all, err := l.Total(ctx)
	if err != nil || all.IsZero() {
		return g, err
	}
	g.layers = make([]layer, l.problem.Jumps()+1)
	g.layers[0].at = map[peg.Position]uint32{}
	if err := g.layers[0].add(l.problem.Start, all); err != nil {
		return nil, err
	}
	held := 1
	for n := range l.problem.Jumps() {
		next := &g.layers[n+1]
		next.at = map[peg.Position]uint32{}
		for _, p := range g.layers[n].positions {
			l.problem.Board.Moves(p, func(j peg.Jump) {
				q := g.orbits.Least(j.Play(p))
				if _, ok := next.at[q]; ok || err != nil {
					return
				}
				var ways uint128.Uint128
				if ways, err = l.ways(ctx, q, n+1); err != nil || ways.IsZero() {
					return
				}
				if held++; held > most {
					err = tooManyClasses(most)
					return
				}
				err = next.add(q, ways)
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return g, g.link(ctx)
}

func tooManyClasses(most int) error {
	return fmt.Errorf("%w: solutions pass through more than %d positions up to symmetry", ErrTooMany, most)
}

func newGraph(p peg.Problem) *Graph {
	g := &Graph{problem: p, group: p.Symmetries()}
	g.orbits = peg.NewOrbits(g.group)
	place := map[peg.Jump]uint8{}
	for i, j := range p.Board.Jumps {
		place[j] = uint8(i)
	}
	for _, s := range g.group {
		images := make([]uint8, 0, len(place))
		for _, j := range p.Board.Jumps {
			images = append(images, place[s.Jump(j)])
		}
		g.jumps = append(g.jumps, images)
	}
	return g
}

func (l *layer) add(p peg.Position, ways uint128.Uint128) error {
	if _, ok := l.at[p]; ok {
		return fmt.Errorf("position %s has two rows; verify the run", peg.Hex(p))
	}
	l.at[p] = uint32(len(l.positions))
	l.positions = append(l.positions, p)
	l.ways = append(l.ways, ways)
	return nil
}

// link finds the edges. The ways of a class must be the sum of those that its edges lead to.
func (g *Graph) link(ctx context.Context) error {
	for n := range g.layers {
		l := &g.layers[n]
		if n == len(g.layers)-1 {
			l.ends = make([]uint32, len(l.positions))
			break
		}
		next := &g.layers[n+1]
		for c, p := range l.positions {
			if c&0xfff == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			var sum uint128.Uint128
			for i, j := range g.problem.Board.Jumps {
				if !j.Legal(p) {
					continue
				}
				q, by := g.orbits.LeastBy(j.Play(p))
				if to, ok := next.at[q]; ok {
					l.edges = append(l.edges, edge{to, uint8(by), uint8(i)})
					sum, _ = sum.Add(next.ways[to])
				}
			}
			if sum != l.ways[c] {
				return fmt.Errorf("position %s: %v ways, and its jumps have %v; verify the run", peg.Hex(p), l.ways[c], sum)
			}
			l.ends = append(l.ends, uint32(len(l.edges)))
		}
	}
	return nil
}

// of returns the edges of a class.
func (l *layer) of(c uint32) []edge {
	first := uint32(0)
	if c > 0 {
		first = l.ends[c-1]
	}
	return l.edges[first:l.ends[c]]
}

// find returns the class of a position after n jumps, and the symmetry that takes it to the least of its class.
func (g *Graph) find(p peg.Position, n int) (c uint32, by int, ok bool) {
	if n >= len(g.layers) {
		return 0, 0, false
	}
	q, by := g.orbits.LeastBy(p)
	c, ok = g.layers[n].at[q]
	return c, by, ok
}

// Listing returns the solutions of the graph.
func (g *Graph) Listing() *Listing {
	return &Listing{g.problem, func(_ context.Context, p peg.Position, jumps int) (uint128.Uint128, error) {
		c, _, ok := g.find(p, jumps)
		if !ok {
			return uint128.Uint128{}, nil
		}
		return g.layers[jumps].ways[c], nil
	}}
}
