package tiles

import (
	"context"
	"fmt"
	"slices"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

const argCells = "cells"

var countQuestion = puzzle.Question{
	Name:  "count",
	Short: "how many grids with given cells can be solved with given tiles",
	Long: `Counts the initial grids of a size with so many cells of each colour, and those of them that have a final grid
for which the given tiles suffice. Colours are named, R, V, B, W, J and with --colours 6 O, so that four blue cells are
not four red ones. All grids of the size are solved on the spot: up to 25 cells in five colours, and 9 in six.`,
	Examples: []string{"4x4 --cells B4,R3,V3,W3,J3 --tiles W4,R3,V3,B3,J3", "4x4 --tiles R4,V4,B4,W4"},
	Args:     []puzzle.Argument{{Name: argSize, Doc: "rows x columns, such as 4x4"}},
	Flags: []setting.Setting{
		coloursFlag,
		{Name: argCells, Kind: setting.Text, Doc: "cells of each colour, such as B4,R3,V3,W3,J3; empty: any"},
		{Name: argTiles, Kind: setting.Text, Doc: "tiles of each colour that there are; empty: as many as one likes"},
	},
	Answer: answerCount,
}

// The largest grids that are counted on the spot, in cells: those of five colours take some seconds.
var mostCells = map[int]int{5: 25, 6: 9}

func answerCount(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	s, err := parseSize(r)
	if err != nil {
		return nil, err
	}
	if s.Cells() > mostCells[s.Colours] {
		return nil, &setting.Error{Setting: argSize, Hint: "run a config of puzzle: tiles, and export its rows",
			Err: fmt.Errorf("%v has too many grids to be solved on the spot; at most %d cells", s, mostCells[s.Colours])}
	}
	letters := startLetters[:s.Colours]
	var limits [2]*pack
	for i, name := range []string{argCells, argTiles} {
		text := r.Flags.Text(name)
		if text == "" {
			continue
		}
		if limits[i], err = parsePack(text, letters); err != nil {
			return nil, &setting.Error{Setting: name, Err: err, Hint: "write each colour and its number: B4,R3,V3,W3,J3"}
		}
	}
	if p := limits[0]; p != nil && p.total() != s.Cells() {
		return nil, &setting.Error{Setting: argCells, Hint: "say how many cells each colour has; all cells have one",
			Err: fmt.Errorf("they are %d, and a grid has %d", p.total(), s.Cells())}
	}
	survey, err := New(Params{Rows: s.Rows, Cols: s.Cols, Colours: s.Colours})
	if err != nil {
		return nil, err
	}
	grids, solvable, err := survey.countWith(ctx, limits[0], limits[1])
	if err != nil {
		return nil, err
	}
	a := &puzzle.Answer{}
	a.Summary.Problem.Add("grids", s.String())
	for i, name := range []string{argCells, argTiles} {
		said := [2]string{"any", "as many as one likes"}[i]
		if limits[i] != nil {
			said = limits[i].write(letters)
		}
		a.Summary.AddText(name, said, [2]string{"cells of each colour", "tiles of each colour that there are"}[i])
	}
	none, _ := grids.Sub(solvable)
	a.Summary.AddCount("grids", grids, "initial grids with these cells")
	a.Summary.AddCount("solvable", solvable, "those of them with a final grid for which the tiles suffice")
	a.Summary.AddCount("unsolvable", none, "the others")
	return a, nil
}

// countWith counts grids with these cells, and those of them that can be solved with these tiles; nil: any.
//
// The grids of a class have their colours in all possible ways, each in as many grids. So the ways in which a class has
// the cells and the tiles, of all ways to name its colours, are its share.
func (s *Survey) countWith(ctx context.Context, want, have *pack) (grids, solvable uint128.Uint128, err error) {
	sv := s.solver()
	defer s.solvers.Put(sv)
	ways := permutations(s.shape.Colours)
	walk, c := newWalk(s.shape, s.census.unrank(uint128.Uint128{})), class{}
	for more := true; more; more = walk.next() {
		stabiliser, ok := canonical(s.syms, &walk.grid)
		if !ok {
			continue
		}
		if err := ctx.Err(); err != nil {
			return grids, solvable, err
		}
		if err := s.survey(ctx, sv, &walk.grid, stabiliser, &c); err != nil {
			return grids, solvable, err
		}
		var all, some uint64
		for _, way := range ways {
			if want != nil && !want.is(c.grid, way) {
				continue
			}
			all++
			if slices.ContainsFunc(c.tiles, func(d distribution) bool { return have.holds(d.tiles, way) }) {
				some++
			}
		}
		grids, _ = grids.Add(uint128.Mul(c.orbit, all))
		solvable, _ = solvable.Add(uint128.Mul(c.orbit, some))
	}
	grids, rest := grids.QuoRem64(uint64(len(ways)))
	solvable, left := solvable.QuoRem64(uint64(len(ways)))
	if rest != 0 || left != 0 {
		return grids, solvable, fmt.Errorf("bug: grids of %v with named colours are no whole number", s.shape)
	}
	return grids, solvable, nil
}

// permutations lists the ways to name n colours: the name of each.
func permutations(n int) (list [][]int) {
	if n == 0 {
		return [][]int{{}}
	}
	for _, shorter := range permutations(n - 1) {
		for at := range n {
			list = append(list, slices.Insert(slices.Clone(shorter), at, n-1))
		}
	}
	return list
}
