package tiles

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// The scalars of a survey's tally. Where a name ends in .classes or .raw, the same is counted in classes and in grids.
//
//	classes, colours, raw        classes, grids up to colours, grids
//	cyclic, cyclic_classes       candidates that agree in pairs of blocks but have a cycle; classes that have any
//	permutable.classes           have a final that is the initial grid with its colours permuted
//	finals.E.F.classes           have E pairs of adjacent blocks that miss the same colours, and F finals
//	grid.G.classes               have the grid distribution G; grid.G.solvable_classes of them have a final
//	tiles.G.T.classes            have the grid distribution G and a final with the tile distribution T
//	aligned.G.T.classes          the same, colour by colour; only for small grids (Shape.aligns)
//
// Distributions are counts in base 36, largest first. In tiles.G.T both are sorted; in aligned.G.T the i-th digits of G
// and T belong to the same colour, pairs being sorted by the first digit and then by the second.
//
// Maxima hold the larger number in the high word and the complement of a rank in the low one, so that the smallest rank
// wins: most_finals (number of finals) and first_cyclic (1).
const (
	sumClasses, sumColours, sumRaw = "classes", "colours", "raw"
	sumCyclic, sumCyclicClasses    = "cyclic", "cyclic_classes"
	sumPermutable                  = "permutable"
	maxFinals, maxCyclic           = "most_finals", "first_cyclic"
)

// aligns reports whether distributions are also tallied colour by colour. Their number grows fast (64 for 4x4, 1988 for
// 4x5, 14281 for 5x5), and a tally travels in one message. Exported rows have them for every size.
func (s Shape) aligns() bool { return s.Cells() <= 20 && s.Colours == 5 || s.Cells() <= 9 }

// A tallied is a number of classes, and of grids in them.
type tallied struct{ classes, raw uint64 }

func (t *tallied) add(c *class) { t.classes++; t.raw += c.orbit }

// totals collects the tally of a window, in machine words: a window has fewer than 2^64 grids.
type totals struct {
	shape           Shape
	all             tallied
	colours         uint64
	cyclic          uint64
	cyclicClasses   uint64
	permutable      tallied
	finals          map[[2]uint64]tallied
	grid            map[tileCount]tallied
	solvable        map[tileCount]tallied
	sorted, aligned map[[2]tileCount]tallied
	most, first     uint128.Uint128
}

func newTotals(s Shape) *totals {
	return &totals{
		shape: s, finals: map[[2]uint64]tallied{}, grid: map[tileCount]tallied{}, solvable: map[tileCount]tallied{},
		sorted: map[[2]tileCount]tallied{}, aligned: map[[2]tileCount]tallied{},
	}
}

func (t *totals) add(c *class) {
	t.all.add(c)
	t.colours += c.images
	if c.permutations > 0 {
		t.permutable.add(c)
	}
	bump(t.finals, [2]uint64{uint64(c.equal), c.finals}, c)
	if m := (uint128.Uint128{Hi: c.finals, Lo: ^c.rank}); m.Cmp(t.most) > 0 {
		t.most = m
	}
	if c.cyclic > 0 {
		t.cyclic += c.cyclic
		t.cyclicClasses++
		if m := (uint128.Uint128{Hi: 1, Lo: ^c.rank}); m.Cmp(t.first) > 0 {
			t.first = m
		}
	}
	k := t.shape.Colours
	g := sortedCount(c.grid, k)
	bump(t.grid, g, c)
	if c.finals == 0 {
		return
	}
	bump(t.solvable, g, c)
	var sorted, aligned [][2]tileCount
	for _, d := range c.tiles {
		sorted = once(sorted, [2]tileCount{g, sortedCount(d.tiles, k)})
		if t.shape.aligns() {
			aligned = once(aligned, alignedCount(c.grid, d.tiles, k))
		}
	}
	for _, key := range sorted {
		bump(t.sorted, key, c)
	}
	for _, key := range aligned {
		bump(t.aligned, key, c)
	}
}

func bump[K comparable](m map[K]tallied, key K, c *class) {
	v := m[key]
	v.add(c)
	m[key] = v
}

func once[T comparable](s []T, v T) []T {
	if slices.Contains(s, v) {
		return s
	}
	return append(s, v)
}

// sortedCount sorts the counts, largest first.
func sortedCount(t tileCount, colours int) tileCount {
	var c [MaxColours]int
	for v := range colours {
		c[v] = t.of(v)
	}
	slices.SortFunc(c[:colours], func(a, b int) int { return b - a })
	return packCount(c[:colours])
}

// alignedCount sorts the pairs of counts of cells and tiles, largest first.
func alignedCount(grid, tiles tileCount, colours int) [2]tileCount {
	var p [MaxColours][2]int
	for v := range colours {
		p[v] = [2]int{grid.of(v), tiles.of(v)}
	}
	slices.SortFunc(p[:colours], func(a, b [2]int) int { return cmp.Or(b[0]-a[0], b[1]-a[1]) })
	var g, t [MaxColours]int
	for v := range colours {
		g[v], t[v] = p[v][0], p[v][1]
	}
	return [2]tileCount{packCount(g[:colours]), packCount(t[:colours])}
}

func packCount(c []int) (t tileCount) {
	for v, n := range c {
		t |= tileCount(n) << (8 * v)
	}
	return t
}

// digits writes counts in base 36, one digit each.
func (t tileCount) digits(colours int) string {
	var b strings.Builder
	for v := range colours {
		b.WriteString(strconv.FormatInt(int64(t.of(v)), 36))
	}
	return b.String()
}

// tally writes the totals in canonical form.
func (t *totals) tally() puzzle.Tally {
	var out puzzle.Tally
	add := func(name string, v uint64) {
		if v != 0 {
			out.Sums = append(out.Sums, puzzle.Scalar{Name: name, Value: uint128.From(v)})
		}
	}
	both := func(prefix, kind string, v tallied) {
		add(prefix+"."+kind+"classes", v.classes)
		add(prefix+"."+kind+"raw", v.raw)
	}
	k := t.shape.Colours
	add(sumClasses, t.all.classes)
	add(sumRaw, t.all.raw)
	add(sumColours, t.colours)
	add(sumCyclic, t.cyclic)
	add(sumCyclicClasses, t.cyclicClasses)
	both(sumPermutable, "", t.permutable)
	for key, v := range t.finals {
		both(fmt.Sprintf("finals.%d.%d", key[0], key[1]), "", v)
	}
	for g, v := range t.grid {
		both("grid."+g.digits(k), "", v)
	}
	for g, v := range t.solvable {
		both("grid."+g.digits(k), "solvable_", v)
	}
	for key, v := range t.sorted {
		both("tiles."+key[0].digits(k)+"."+key[1].digits(k), "", v)
	}
	for key, v := range t.aligned {
		both("aligned."+key[0].digits(k)+"."+key[1].digits(k), "", v)
	}
	slices.SortFunc(out.Sums, func(a, b puzzle.Scalar) int { return cmp.Compare(a.Name, b.Name) })
	if !t.first.IsZero() {
		out.Maxima = append(out.Maxima, puzzle.Scalar{Name: maxCyclic, Value: t.first})
	}
	if t.all.classes > 0 {
		out.Maxima = append(out.Maxima, puzzle.Scalar{Name: maxFinals, Value: t.most})
	}
	return out
}
