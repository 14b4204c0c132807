package tiles

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

var (
	colTableFinals  = numbered("finals", "number of final grids of an initial grid")
	colTableEqual   = numbered("equal_adjacent", "pairs of adjacent 2x2 blocks that miss the same colours")
	colTableClasses = summed("classes", "classes of initial grids")
	colTableRaw     = summed("raw", "initial grids")
	colSolvable     = counted("solvable_classes", "classes with a final grid")
	colSolvableRaw  = counted("solvable_raw", "initial grids with a final grid")
	colShare        = worded("solvable_share", "solvable_raw / raw, four decimals, rounded down")
	colAllFinals    = counted("all_finals", "final grids of all the initial grids together")
	colMost         = counted("max_finals", "the largest number of final grids among them")
	colCells        = worded("cells", "cells of each colour in the initial grid, largest first")
	colTiles        = worded("tiles", "tiles of each colour, largest first")
	colTilesAligned = worded("tiles", "tiles of each colour, in the order of cells")
)

// show makes the tables for people.
func (t *tables) show(s Shape) []puzzle.Table {
	out := []puzzle.Table{t.showHistogram(), t.showEqual(), t.showEqualFinals(), t.showGrids()}
	out = append(out, showTiles("tile_distributions", colTiles, t.sorted))
	if s.aligns() {
		out = append(out, showTiles("tile_distributions_by_colour", colTilesAligned, t.aligned))
	}
	return out
}

func number(n uint64) puzzle.Value         { return puzzle.Value{N: uint128.From(n)} }
func exact(n uint128.Uint128) puzzle.Value { return puzzle.Value{N: n} }

// showHistogram is the number of grids by their number of finals.
func (t *tables) showHistogram() puzzle.Table {
	out := puzzle.Table{Name: "finals", Columns: []puzzle.Column{colTableFinals, colTableClasses, colTableRaw}}
	for _, n := range sortedKeys(t.histogram) {
		p := t.histogram[n]
		out.Rows = append(out.Rows, []puzzle.Value{number(n), exact(p.classes), exact(p.raw)})
	}
	return out
}

// An equalRow sums the grids with one number of equal adjacent missing colours.
type equalRow struct {
	pairs           uint64
	all, solvable   pair
	finals, largest uint128.Uint128
}

func (t *tables) equalRows() []equalRow {
	rows := map[uint64]*equalRow{}
	for key, p := range t.finals {
		r := rows[key[0]]
		if r == nil {
			r = &equalRow{pairs: key[0]}
			rows[key[0]] = r
		}
		r.all.add(p)
		if key[1] > 0 {
			r.solvable.add(p)
		}
		of, _ := p.raw.Mul64(key[1]) // at most the pairs of colourings of the grid, far below 2^128 where a survey can run
		r.finals, _ = r.finals.Add(of)
		if n := uint128.From(key[1]); r.largest.Cmp(n) < 0 {
			r.largest = n
		}
	}
	var out []equalRow
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		out = append(out, *rows[k])
	}
	return out
}

// showEqual is solutions against the number of equal adjacent missing colours, summed up.
func (t *tables) showEqual() puzzle.Table {
	out := puzzle.Table{Name: "equal_missing", Columns: []puzzle.Column{colTableEqual, colTableClasses, colSolvable,
		colTableRaw, colSolvableRaw, colShare, colAllFinals, colMost}}
	for _, r := range t.equalRows() {
		out.Rows = append(out.Rows, []puzzle.Value{number(r.pairs), exact(r.all.classes), exact(r.solvable.classes),
			exact(r.all.raw), exact(r.solvable.raw), {S: share(r.solvable.raw, r.all.raw)}, exact(r.finals), exact(r.largest)})
	}
	return out
}

// showEqualFinals is the same in full.
func (t *tables) showEqualFinals() puzzle.Table {
	out := puzzle.Table{Name: "equal_missing_finals",
		Columns: []puzzle.Column{colTableEqual, colTableFinals, colTableClasses, colTableRaw}}
	keys := slices.SortedFunc(maps.Keys(t.finals), func(a, b [2]uint64) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	for _, k := range keys {
		p := t.finals[k]
		out.Rows = append(out.Rows, []puzzle.Value{number(k[0]), number(k[1]), exact(p.classes), exact(p.raw)})
	}
	return out
}

// showGrids is the number of solvable grids by colour distribution.
func (t *tables) showGrids() puzzle.Table {
	out := puzzle.Table{Name: "grid_distributions",
		Columns: []puzzle.Column{colCells, colTableClasses, colSolvable, colTableRaw, colSolvableRaw, colShare}}
	for _, k := range slices.Sorted(maps.Keys(t.grid)) {
		p, q := t.grid[k], t.solvable[k]
		out.Rows = append(out.Rows, []puzzle.Value{{S: dotted(k)}, exact(p.classes), exact(q.classes), exact(p.raw),
			exact(q.raw), {S: share(q.raw, p.raw)}})
	}
	return out
}

// showTiles is the number of solvable grids by their colour distribution and the tiles that are at hand.
func showTiles(name string, tiles puzzle.Column, m map[[2]string]pair) puzzle.Table {
	out := puzzle.Table{Name: name, Columns: []puzzle.Column{colCells, tiles, colSolvable, colSolvableRaw}}
	keys := slices.SortedFunc(maps.Keys(m), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	for _, k := range keys {
		p := m[k]
		out.Rows = append(out.Rows, []puzzle.Value{{S: dotted(k[0])}, {S: dotted(k[1])}, exact(p.classes), exact(p.raw)})
	}
	return out
}

// dotted writes base-36 digits as decimal numbers with dots between.
func dotted(digits string) string {
	f := make([]string, len(digits))
	for i, d := range digits {
		n, err := strconv.ParseInt(string(d), 36, 64)
		if err != nil {
			return digits
		}
		f[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(f, ".")
}
