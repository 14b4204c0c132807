package tiles

import (
	"context"
	"math/big"
	"math/bits"
	"slices"
)

// A Final is a final grid that the game reaches, and the number of orders of play that reach it.
type Final struct {
	cells  cells
	Orders *big.Int
}

// Play finds the final grids of g by playing: all positions with one tile, with two, and so on, each position once with
// the number of ways to reach it. It uses nothing but the rules, no block and no relation between cells, and so checks
// the block method independently. Finals come in lexicographic order, colours in the order of g's letters. The error is
// the context's.
//
// A grid of 16 cells and five colours has some thousands of positions; with more cells or colours there may be
// millions.
func Play(ctx context.Context, g *Grid) ([]Final, error) {
	return newPlayer().play(ctx, g)
}

// A player keeps its tables from one grid to the next.
type player struct{ now, next *layer[position] }

func newPlayer() *player { return &player{newLayer[position](), newLayer[position]()} }

func (p *player) play(ctx context.Context, g *Grid) ([]Final, error) {
	s := g.shape
	near := make([]uint64, s.Cells())
	for i, ns := range s.neighbours() {
		near[i] = 1 << i // the tile must differ from the colour it covers, too
		for _, j := range ns {
			near[i] |= 1 << j
		}
	}
	all := ^uint64(0) >> (maxCells - s.Cells())
	now, next := p.now, p.next
	now.reset()
	now.add(position{colours: slice(&g.cells)}, &wide{1})
	for range s.Cells() {
		next.reset()
		for i, at := range now.keys {
			if i%4096 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			for v := range uint8(s.Colours) {
				of := at.colours.of(v) & all
				for free := all &^ at.covered; free != 0; free &= free - 1 {
					if c := bits.TrailingZeros64(free); near[c]&of == 0 {
						next.add(at.lay(c, v), &now.ways[i])
					}
				}
			}
		}
		now, next = next, now
	}
	out := make([]Final, 0, len(now.keys))
	for i := range now.keys {
		out = append(out, Final{now.keys[i].colours.cells(), now.ways[i].big()})
	}
	slices.SortFunc(out, func(a, b Final) int { return compareCells(a.cells, b.cells) })
	return out, nil
}

// A position of the game: the covered cells, and the colours that show.
type position struct {
	covered uint64
	colours planes
}

// lay returns the position after a tile of colour v is laid on cell i.
func (p position) lay(i int, v uint8) position {
	p.covered |= 1 << i
	for b := range p.colours {
		p.colours[b] = p.colours[b]&^(1<<i) | uint64(v>>b&1)<<i
	}
	return p
}
