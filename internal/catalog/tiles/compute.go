package tiles

import (
	"context"
	"fmt"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Compute implements puzzle.Puzzle. It reads no parents.
func (s *Survey) Compute(ctx context.Context, w puzzle.Window, _ puzzle.Source, out puzzle.Sink) (puzzle.Tally, error) {
	if w.Cell != surveyCell || w.Addresses == 0 || w.First >= s.addresses || w.Addresses > s.addresses-w.First {
		return puzzle.Tally{}, fmt.Errorf(
			"window %v of ranks %d+%d does not belong to the survey of %v",
			w,
			w.First,
			w.Addresses,
			s.shape,
		)
	}
	sv := s.solver()
	defer s.solvers.Put(sv)
	totals := newTotals(s.shape)
	walk := newWalk(s.shape, s.census.unrank(uint128.From(w.First)))
	x := puzzle.NewWriter(w, out)
	var c class
	for i := range w.Addresses {
		if stabiliser, ok := canonical(s.syms, &walk.grid); ok {
			if err := puzzle.Progress(ctx); err != nil {
				return puzzle.Tally{}, err
			}
			if err := s.survey(ctx, sv, &walk.grid, stabiliser, &c); err != nil {
				return puzzle.Tally{}, err
			}
			c.rank = w.First + i
			row := c.row()
			if err := x.Row(c.rank, row[:]...); err != nil {
				return puzzle.Tally{}, err
			}
			totals.add(&c)
		}
		walk.next() // false only after the last grid of all
	}
	return totals.tally(), x.Flush()
}

// A class holds the results of a survey for one canonical grid.
type class struct {
	rank         uint64
	images       uint64 // grids up to colours
	orbit        uint64 // grids
	equal        int
	finals       uint64
	permutations uint64
	cyclic       uint64
	grid         tileCount      // cells of each colour
	tiles        []distribution // the finals by the tiles they need, in the order in which they were found
	index        map[tileCount]int
}

// A distribution is a number of finals with the same tiles.
type distribution struct {
	tiles  tileCount
	finals uint64
}

// count counts a final that needs the tiles t. Few grids of five colours need an index, all of six do.
func (c *class) count(t tileCount) {
	const few = 8
	if c.index == nil {
		for i := range c.tiles {
			if c.tiles[i].tiles == t {
				c.tiles[i].finals++
				return
			}
		}
		if len(c.tiles) == few {
			c.index = make(map[tileCount]int)
			for i, d := range c.tiles {
				c.index[d.tiles] = i
			}
		}
	} else if i, ok := c.index[t]; ok {
		c.tiles[i].finals++
		return
	}
	if c.index != nil {
		c.index[t] = len(c.tiles)
	}
	c.tiles = append(c.tiles, distribution{t, 1})
}

func (c *class) row() [columns]uint64 {
	return [columns]uint64{
		colFinals: c.finals, colOrbit: c.orbit, colEqual: uint64(c.equal), colDistributions: uint64(len(c.tiles)),
		colPermutations: c.permutations, colCyclic: c.cyclic,
	}
}

// survey solves a canonical grid into c, whose memory is used again.
func (s *Survey) survey(ctx context.Context, sv *finalSolver, g *cells, stabiliser int, c *class) error {
	*c = class{images: uint64(len(s.syms) / stabiliser), equal: s.shape.equalMissing(g), tiles: c.tiles[:0]}
	used := 0
	for i := range s.shape.Cells() {
		c.grid += 1 << (8 * g[i])
		used = max(used, int(g[i])+1)
	}
	c.orbit = orbit(s.shape, int(c.images), used)
	err := sv.solve(ctx, g, func(f *planes) {
		c.finals++
		if sv.geo.permutes(f) {
			c.permutations++
		}
		c.count(sv.geo.count(f, s.shape.Colours))
	})
	c.cyclic = sv.cyclic
	return err
}
