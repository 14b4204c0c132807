package tiles

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// Summarise implements puzzle.Puzzle. Before the survey is complete only the numbers of grids are known. Afterwards the
// tallies must account for every grid; the error says so when they do not.
func (s *Survey) Summarise(known puzzle.Results) (puzzle.Summary, error) {
	sum := puzzle.Summary{Facts: []puzzle.Fact{
		{Column: factRaw, Value: puzzle.Value{N: s.census.Raw()}},
		{Column: factColours, Value: puzzle.Value{N: s.census.UpToColours()}},
	}}
	t, ok := known.Layer(0)
	if !ok {
		return sum, nil
	}
	for _, c := range []struct {
		name string
		want uint128.Uint128
	}{{sumRaw, s.census.Raw()}, {sumColours, s.census.UpToColours()}} {
		if got := t.Sum(c.name); got != c.want {
			return sum, fmt.Errorf("survey of %v: the windows account for %v grids (%s) and there are %v; verify the run",
				s.shape, got, c.name, c.want)
		}
	}
	tables, err := readTables(&t)
	if err != nil {
		return sum, fmt.Errorf("survey of %v: %w", s.shape, err)
	}
	most := t.Max(maxFinals)
	grid := s.census.unrank(uint128.From(^most.Lo))
	count := func(c puzzle.Column, n uint128.Uint128) {
		sum.Facts = append(sum.Facts, puzzle.Fact{Column: c, Value: puzzle.Value{N: n}})
	}
	text := func(c puzzle.Column, v string) {
		sum.Facts = append(sum.Facts, puzzle.Fact{Column: c, Value: puzzle.Value{S: v}})
	}
	unsolvable := tables.histogram[0]
	count(factClasses, t.Sum(sumClasses))
	count(factUnsolvableClasses, unsolvable.classes)
	count(factUnsolvableRaw, unsolvable.raw)
	text(factUnsolvableShare, share(unsolvable.raw, s.census.Raw()))
	count(factMax, uint128.From(most.Hi))
	count(factMaxClasses, tables.histogram[most.Hi].classes)
	text(factMaxGrid, s.shape.write(&grid, plainLetters))
	count(factPermutable, t.Sum(sumPermutable+".classes"))
	count(factCyclic, t.Sum(sumCyclic))
	count(factCyclicClasses, t.Sum(sumCyclicClasses))
	sum.Facts = append(sum.Facts,
		puzzle.Fact{Column: factHistogramClasses, Map: tables.histogramOf(func(p pair) uint128.Uint128 { return p.classes })},
		puzzle.Fact{Column: factHistogramRaw, Map: tables.histogramOf(func(p pair) uint128.Uint128 { return p.raw })})
	sum.Tables = tables.show(s.shape)
	sum.Notes = append(sum.Notes, s.conjecture(&t))
	return sum, nil
}

var (
	factRaw     = counted("raw", "initial grids")
	factColours = counted("up_to_colours", "initial grids up to colour permutation")
	factClasses = counted("classes", "initial grids up to colour permutation and symmetry")

	factUnsolvableClasses = counted("unsolvable_classes", "classes without a final grid")
	factUnsolvableRaw     = counted("unsolvable_raw", "initial grids without a final grid")
	factUnsolvableShare   = worded("unsolvable_share", "unsolvable_raw / raw, four decimals, rounded down")

	factMax        = counted("max_finals", "the largest number of final grids of an initial grid")
	factMaxClasses = counted("max_finals_classes", "classes that attain max_finals")
	factMaxGrid    = worded("max_finals_grid", "the first initial grid that attains max_finals")

	factPermutable = counted("permutable_classes",
		"classes with a final that is the initial grid with its colours permuted")
	factCyclic = counted("cyclic_candidates",
		"over the canonical grids: candidates whose blocks agree in pairs but not as a whole")
	factCyclicClasses = counted("cyclic_classes", "classes that have such candidates")

	factHistogramClasses = counted("histogram_classes", "number of final grids: classes that have so many")
	factHistogramRaw     = counted("histogram_raw", "number of final grids: initial grids that have so many")
)

func counted(name, doc string) puzzle.Column {
	return puzzle.Column{Name: name, Kind: puzzle.Count, Doc: doc}
}

// summed is a column that adds up to the fact of its name.
func summed(name, doc string) puzzle.Column {
	return puzzle.Column{Name: name, Kind: puzzle.Count, Total: name, Doc: doc}
}

func numbered(name, doc string) puzzle.Column {
	return puzzle.Column{Name: name, Kind: puzzle.Number, Doc: doc}
}
func worded(name, doc string) puzzle.Column {
	return puzzle.Column{Name: name, Kind: puzzle.Text, Doc: doc}
}

// conjecture says whether agreement in pairs was enough on every grid.
func (s *Survey) conjecture(t *puzzle.Tally) string {
	if t.Sum(sumCyclic).IsZero() {
		return fmt.Sprintf("agreement in pairs of blocks was enough on every grid of %v: no candidate had a cycle", s.shape)
	}
	first := s.census.unrank(uint128.From(^t.Max(maxCyclic).Lo))
	return fmt.Sprintf("agreement in pairs of blocks is not enough for %v: %v candidates of %v classes have a cycle, the "+
		"first in grid %s; they are not counted as finals", s.shape, t.Sum(sumCyclic), t.Sum(sumCyclicClasses),
		s.shape.write(&first, plainLetters))
}

// share writes part/whole with four decimals, rounded down.
func share(part, whole uint128.Uint128) string {
	if whole.IsZero() {
		return "0.0000"
	}
	n := new(big.Int).Mul(part.Big(), big.NewInt(10000))
	n.Quo(n, whole.Big())
	return fmt.Sprintf("%d.%04d", n.Int64()/10000, n.Int64()%10000)
}

// A pair counts classes and grids.
type pair struct{ classes, raw uint128.Uint128 }

// read takes one scalar whose name ended in kind.
func (p *pair) read(kind string, v uint128.Uint128) {
	if kind == "raw" {
		p.raw = v
	} else {
		p.classes = v
	}
}

func (p *pair) add(o pair) {
	p.classes, _ = p.classes.Add(o.classes) // part of the totals, which fit
	p.raw, _ = p.raw.Add(o.raw)
}

// tables are the parts of a tally that are lists.
type tables struct {
	finals          map[[2]uint64]pair // by equal adjacent pairs and finals
	histogram       map[uint64]pair    // by finals
	grid, solvable  map[string]pair    // by grid distribution
	sorted, aligned map[[2]string]pair // by grid and tile distribution
}

func readTables(t *puzzle.Tally) (*tables, error) {
	out := &tables{
		finals: map[[2]uint64]pair{}, histogram: map[uint64]pair{}, grid: map[string]pair{}, solvable: map[string]pair{},
		sorted: map[[2]string]pair{}, aligned: map[[2]string]pair{},
	}
	for _, s := range t.Sums {
		f := strings.Split(s.Name, ".")
		kind := f[len(f)-1]
		switch {
		case f[0] == "finals" && len(f) == 4:
			e, err1 := strconv.ParseUint(f[1], 10, 64)
			n, err2 := strconv.ParseUint(f[2], 10, 64)
			if err1 != nil || err2 != nil {
				return nil, fmt.Errorf("tally has a sum named %q", s.Name)
			}
			update(out.finals, [2]uint64{e, n}, kind, s.Value)
		case f[0] == "grid" && len(f) == 3 && strings.HasPrefix(kind, "solvable_"):
			update(out.solvable, f[1], strings.TrimPrefix(kind, "solvable_"), s.Value)
		case f[0] == "grid" && len(f) == 3:
			update(out.grid, f[1], kind, s.Value)
		case f[0] == "tiles" && len(f) == 4:
			update(out.sorted, [2]string{f[1], f[2]}, kind, s.Value)
		case f[0] == "aligned" && len(f) == 4:
			update(out.aligned, [2]string{f[1], f[2]}, kind, s.Value)
		}
	}
	for key, p := range out.finals {
		h := out.histogram[key[1]]
		h.add(p)
		out.histogram[key[1]] = h
	}
	return out, nil
}

func update[K comparable](m map[K]pair, key K, kind string, v uint128.Uint128) {
	p := m[key]
	p.read(kind, v)
	m[key] = p
}

// histogramOf lists one side of the histogram by number of finals.
func (t *tables) histogramOf(side func(pair) uint128.Uint128) []puzzle.MapEntry {
	var out []puzzle.MapEntry
	for _, n := range sortedKeys(t.histogram) {
		out = append(out, puzzle.MapEntry{Key: strconv.FormatUint(n, 10), Value: side(t.histogram[n])})
	}
	return out
}

func sortedKeys(m map[uint64]pair) []uint64 {
	keys := make([]uint64, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
