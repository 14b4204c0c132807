package tiles

import (
	"cmp"
	"context"
	"errors"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// A Solution is the answer about one initial grid, in a form for people and for JSON. Exact counts are decimal strings;
// a field that was not computed is absent.
type Solution struct {
	Grid      string             `json:"grid"`
	Rows      int                `json:"rows"`
	Cols      int                `json:"cols"`
	Colours   int                `json:"colours"`
	Letters   string             `json:"letters"`          // in order of appearance, those the grid does not show last
	Counts    map[string]int     `json:"counts"`           // cells of each colour
	Missing   []string           `json:"missing"`          // letters that each 2x2 block does not show, in row order
	Equal     int                `json:"equal_adjacent"`   // pairs of adjacent blocks that miss the same
	Canonical string             `json:"canonical"`        // the grid that stands for the class, in digits
	Rank      string             `json:"rank"`             // its number among the grids up to colours
	Orbit     string             `json:"orbit"`            // grids in the class
	Finals    string             `json:"finals"`           // number of final grids
	Orders    string             `json:"orders,omitempty"` // orders of play in all; absent when some were not counted
	Cyclic    string             `json:"cyclic"`           // candidates that agree in pairs of blocks, but not as a whole
	Tiles     []TileDistribution `json:"tiles"`            // which tiles the finals need
	List      []FinalGrid        `json:"final_grids"`      // in the order of Letters, as many as asked for
	chosen    int                // number of the final that is played, from 0
	Pack      map[string]int     `json:"pack,omitempty"` // the tiles that there are, where they are not unlimited
	Play      []Step             `json:"play,omitempty"` // one game, to the final that was chosen
}

// A TileDistribution is a number of tiles of each colour, and the number of finals that need just these.
type TileDistribution struct {
	Counts map[string]int `json:"counts"`
	Finals string         `json:"finals"`
}

// A FinalGrid is one final grid.
type FinalGrid struct {
	Grid        string       `json:"grid"`
	Orders      string       `json:"orders,omitempty"` // absent: too many partial orders to count
	Turns       []int        `json:"turns"`            // when each cell is played in the first order of play, from 1
	Before      [][2]CellRef `json:"before"`           // the first cell must be played before the second: the covers
	Permutation bool         `json:"permutation"`      // whether it is the initial grid with its colours permuted
}

// A Step lays one tile.
type Step struct {
	CellRef
	Covers string `json:"covers"`
	Tile   string `json:"tile"`
	Grid   string `json:"grid"` // after the step
}

// SolveLimits bounds the lists of Solve; zero means no bound. The number of finals is exact whatever the bounds.
type SolveLimits struct {
	Finals int // final grids listed: the first ones
	// Ideals bounds the memory of counting the orders of a final, about 100 bytes each: sets of as many cells that can be
	// covered at some time. A final with more has no count of orders. 1 << 20 is plenty for 6x6, not for every 8x8.
	Ideals int
	// Sets bounds the ideals of all sizes and all finals: the time. Finals after those that took them have no count.
	Sets int
	Game int   // number of the final, from 0, to which Play leads; it must be listed
	Pack *pack // the tiles that there are; nil: as many of each colour as one likes
}

// Solve finds everything about g. The error is the context's, or wraps ErrShape.
func Solve(ctx context.Context, g *Grid, limits SolveLimits) (*Solution, error) {
	census, err := NewCensus(g.shape)
	if err != nil {
		return nil, err
	}
	solver, err := g.solver()
	if err != nil {
		return nil, err
	}
	sol := g.describe(census)
	count, plain := uint64(0), []int{0, 1, 2, 3, 4, 5}
	var list []cells
	tiles := map[tileCount]uint64{}
	err = solver.solve(ctx, &g.cells, func(f *planes) {
		used := solver.geo.count(f, g.shape.Colours)
		if !limits.Pack.holds(used, plain[:g.shape.Colours]) {
			return
		}
		count++
		tiles[used]++
		list = append(list, solver.unturn(f))
		if limits.Finals > 0 && len(list) > 4*limits.Finals {
			slices.SortFunc(list, compareCells)
			list = list[:limits.Finals]
		}
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, compareCells)
	if limits.Finals > 0 && len(list) > limits.Finals {
		list = list[:limits.Finals]
	}
	sol.Finals = strconv.FormatUint(count, 10)
	sol.Cyclic = strconv.FormatUint(solver.cyclic, 10)
	sol.Tiles = g.distributions(tiles)
	if limits.Pack != nil {
		sol.Pack = map[string]int{}
		for v := range g.shape.Colours {
			sol.Pack[g.letters[v:v+1]] = limits.Pack[v]
		}
	}
	if err := sol.addFinals(ctx, g, list, count, limits); err != nil {
		return nil, err
	}
	return sol, nil
}

// describe fills in the fields that do not depend on the finals.
func (g *Grid) describe(census *Census) *Solution {
	s := g.shape
	sol := &Solution{
		Grid: g.String(), Rows: s.Rows, Cols: s.Cols, Colours: s.Colours, Letters: g.letters,
		Counts: map[string]int{}, Equal: s.equalMissing(&g.cells),
	}
	for v := range s.Colours {
		sol.Counts[g.letters[v:v+1]] = 0
	}
	used := 0
	for i := range s.Cells() {
		v := int(g.cells[i])
		used = max(used, v+1)
		sol.Counts[g.letters[v:v+1]]++
	}
	for _, set := range g.MissingColours() {
		var b strings.Builder
		for v := range s.Colours {
			if set>>v&1 == 1 {
				b.WriteByte(g.letters[v])
			}
		}
		sol.Missing = append(sol.Missing, b.String())
	}
	syms := s.symmetries()
	form := canonicalForm(syms, &g.cells)
	stabiliser, _ := canonical(syms, &form)
	sol.Canonical = s.write(&form, plainLetters)
	sol.Rank = census.rank(&form).String()
	sol.Orbit = strconv.FormatUint(orbit(s, len(syms)/stabiliser, used), 10)
	return sol
}

// orbit returns the number of grids in a class: images up to colours, times the ways to colour each.
func orbit(s Shape, images, used int) uint64 { return uint64(images) * arrangements(s.Colours, used) }

// distributions lists the tile distributions, most finals first, then by counts in the order of the letters.
func (g *Grid) distributions(tiles map[tileCount]uint64) []TileDistribution {
	keys := make([]tileCount, 0, len(tiles))
	for t := range tiles {
		keys = append(keys, t)
	}
	slices.SortFunc(keys, func(a, b tileCount) int {
		if tiles[a] != tiles[b] {
			return cmp.Compare(tiles[b], tiles[a])
		}
		for v := range g.shape.Colours {
			if a.of(v) != b.of(v) {
				return b.of(v) - a.of(v)
			}
		}
		return 0
	})
	out := make([]TileDistribution, len(keys))
	for i, t := range keys {
		out[i] = TileDistribution{Counts: map[string]int{}, Finals: strconv.FormatUint(tiles[t], 10)}
		for v := range g.shape.Colours {
			out[i].Counts[g.letters[v:v+1]] = t.of(v)
		}
	}
	return out
}

// addFinals describes the listed finals, and plays the chosen one.
func (sol *Solution) addFinals(ctx context.Context, g *Grid, list []cells, count uint64, limits SolveLimits) error {
	var budget *int
	if limits.Sets > 0 {
		budget = &limits.Sets
	}
	total, all := new(big.Int), uint64(len(list)) == count
	sol.List = make([]FinalGrid, 0, len(list))
	for i := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		f := &list[i]
		o, ok := newOrder(g.shape, &g.cells, f)
		if !ok {
			return errors.New("bug in the block method: " + g.write(f) + " is no final grid of " + g.String())
		}
		fg := FinalGrid{Grid: g.write(f), Permutation: permutation(g.shape, &g.cells, f), Turns: make([]int, g.shape.Cells())}
		for t, c := range o.first() {
			fg.Turns[c] = t + 1
		}
		for _, p := range o.covers() {
			fg.Before = append(fg.Before, [2]CellRef{g.shape.ref(p[0]), g.shape.ref(p[1])})
		}
		switch n, err := o.count(limits.Ideals, budget); {
		case err == nil:
			fg.Orders = n.String()
			total.Add(total, n)
		case errors.Is(err, ErrTooManyIdeals):
			all = false
		default:
			return err
		}
		if i == limits.Game {
			sol.Play, sol.chosen = g.play(f, o), i
		}
		sol.List = append(sol.List, fg)
	}
	if all {
		sol.Orders = total.String()
	}
	return nil
}

// play is the first order of play to f, tile by tile.
func (g *Grid) play(f *cells, o *partialOrder) []Step {
	now := g.cells
	var out []Step
	for _, c := range o.first() {
		covers := g.letters[now[c]]
		now[c] = f[c]
		out = append(out, Step{
			CellRef: g.shape.ref(c), Covers: string(rune(covers)), Tile: g.letters[f[c] : f[c]+1], Grid: g.write(&now),
		})
	}
	return out
}

// permutation reports whether f is a with its colours permuted; a shows its colours in order.
func permutation(s Shape, a, f *cells) bool {
	var names renaming
	for i := range s.Cells() {
		if names.of(f[i]) != a[i] {
			return false
		}
	}
	return true
}

func compareCells(a, b cells) int {
	switch {
	case less(&a, &b):
		return -1
	case less(&b, &a):
		return 1
	}
	return 0
}
