package games

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/counting"
	"pagoda/internal/counting/countingtest"
	"pagoda/internal/partition"
	"pagoda/internal/peg"
	"pagoda/internal/peg/reference"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/uint128"
)

// A setting is a way to carry out a run, and the unit of its counts; none of it may change a digit.
type setting struct {
	windowAddresses uint64
	cached          bool
	unit            uint128.Uint128 // the count of the start; 0 means 1
	last            int             // layer to stop after; 0 means all
	lead            int             // holes, see partition.NewLedSpace; 0: as the window_addresses say
	memory          uint64          // see puzzletest.Options
	merge           uint64          // addresses of a cell of several vectors; 0: every vector has a cell
}

// whole is a run in one window for each cell, its windows handed on in memory.
var whole = setting{cached: true}

func gamesOf(t puzzletest.TB, p counting.Params) *Puzzle {
	t.Helper()
	g, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// playSetting carries out a run and keeps its rows.
func playSetting(t puzzletest.TB, p counting.Params, s setting) (*Puzzle, *puzzletest.Memory, error) {
	t.Helper()
	p.WindowAddresses = s.windowAddresses
	g := gamesOf(t, p)
	if s.lead > 0 {
		g.Enumeration = led(t, p, s.lead)
	}
	g.Merge(s.merge)
	if !s.unit.IsZero() {
		g.Unit = s.unit
	}
	if s.last == 0 {
		s.last = -1
	}
	m, err := puzzletest.PlayTo(t, g, puzzletest.Options{Cached: s.cached, Stored: true, Memory: s.memory}, s.last)
	return g, m, err
}

// led is an enumeration in which so many holes decide the order of addresses first.
func led(t puzzletest.TB, p counting.Params, holes int) *counting.Enumeration {
	t.Helper()
	space, err := partition.NewLedSpace(p.Board, peg.Stabiliser(p.Board.Symmetries(), p.Start), p.Start, holes)
	if err != nil {
		t.Fatal(err)
	}
	e, err := counting.NewIn(space, p.WindowAddresses, "")
	if err != nil {
		t.Fatal(err)
	}
	if p.HasGoal {
		e.Watch(p.Goal)
	}
	return e
}

// checkRun carries out a run and compares it with the reference's layers: scalars, rows and summary.
func checkRun(t puzzletest.TB, p counting.Params, layers []reference.Layer, s setting) {
	t.Helper()
	g, m, err := playSetting(t, p, s)
	if err != nil {
		t.Fatal(err)
	}
	group := peg.Stabiliser(p.Board.Symmetries(), p.Start)
	for n := range m.Layers() {
		layer := reference.Layer{}
		if n < len(layers) {
			layer = layers[n]
		}
		checkLayer(t, g, m, n, layer, group)
		checkRows(t, g, m, n, layer, group)
		checkOut(t, m, n)
	}
	if m.Layers() < len(layers) {
		t.Fatalf("%d layers, want %d", m.Layers(), len(layers))
	}
	if s.last == 0 && s.unit.IsZero() {
		checkSummary(t, g, m, p, layers, group)
	}
}

// checkLayer compares the scalars of a layer.
func checkLayer(t puzzletest.TB, g *Puzzle, m *puzzletest.Memory, n int, layer reference.Layer, group []peg.Perm) {
	t.Helper()
	tally, ok := m.Layer(n)
	if !ok {
		t.Fatalf("layer %d does not add up", n)
	}
	most, goal := new(big.Int), new(big.Int)
	for p, paths := range layer.Paths {
		if most.Cmp(paths) < 0 {
			most = paths
		}
		if g.params.HasGoal && p == g.params.Goal {
			goal = paths
		}
	}
	classes, positions, dead := int64(len(layer.Classes(group))), int64(len(layer.Paths)), int64(len(layer.Dead))
	for _, c := range []struct {
		name      string
		got, want *big.Int
	}{
		{"classes", tally.Sum("classes").Big(), big.NewInt(classes)},
		{"positions", tally.Sum("positions").Big(), big.NewInt(positions)},
		{"dead positions", tally.Sum("dead_positions").Big(), big.NewInt(dead)},
		{"paths", tally.Sum("paths").Big(), countingtest.Times(g.Enumeration, layer.Total())},
		{"games ended", tally.Sum("games_ended").Big(), countingtest.Times(g.Enumeration, layer.GamesEnded())},
		{"most paths", tally.Max("max_paths").Big(), countingtest.Times(g.Enumeration, most)},
		{"goal paths", tally.Sum("goal_paths").Big(), countingtest.Times(g.Enumeration, goal)},
	} {
		if c.got.Cmp(c.want) != 0 {
			t.Fatalf("%s from %s, layer %d: %v %s, want %v", peg.FormatLine(g.params.Board, g.params.Board.Full()),
				peg.Hex(g.params.Start), n, c.got, c.name, c.want)
		}
	}
}

// checkRows compares the rows of a layer, stored and exported, with the reference position by position.
func checkRows(t puzzletest.TB, g *Puzzle, m *puzzletest.Memory, n int, layer reference.Layer, group []peg.Perm) {
	t.Helper()
	exported := map[peg.Position]*big.Int{}
	for _, c := range m.Cells(n) {
		position := positions(g, c)
		for _, b := range m.Rows(c.Cell) {
			checkStored(t, g, &b, layer, position)
			err := g.ExportRows(c.Cell, &b, func(row []puzzle.Value) error {
				x, err := strconv.ParseUint(strings.TrimPrefix(row[0].S, "x"), 16, 64)
				p := peg.Position(x)
				if err != nil || exported[p] != nil {
					t.Fatalf("layer %d: row %q is there twice or no number", n, row[0].S)
				}
				least, fixed := peg.Canonical(group, p)
				if row[0].S != g.params.Board.Hex(p) || p != least {
					t.Fatalf("layer %d: %q is not how the class of %s is written", n, row[0].S, peg.Hex(least))
				}
				if got, want := fmt.Sprint(row[1].N, row[2].N), fmt.Sprint(n, len(group)/fixed); got != want {
					t.Fatalf("layer %d, class of %s: jumps and orbit %s, want %s", n, row[0].S, got, want)
				}
				exported[p] = row[3].N.Big()
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for p, paths := range layer.Paths {
		least, _ := peg.Canonical(group, p)
		got := exported[least]
		if got == nil || got.Cmp(countingtest.Times(g.Enumeration, paths)) != 0 {
			t.Fatalf(
				"layer %d, position %s: %v paths to its class, want %v",
				n,
				peg.Hex(p),
				got,
				countingtest.Times(g.Enumeration, paths),
			)
		}
	}
	if want := len(layer.Classes(group)); len(exported) != want {
		t.Fatalf("layer %d: %d classes exported, want %d", n, len(exported), want)
	}
}

// positions returns the position of an address of a cell. Its vectors are neighbours in the layer. The addresses of
// each begin at the next multiple of 64.
func positions(g *Puzzle, c puzzle.CellPlan) func(at uint64) peg.Position {
	vectors := g.Layers[c.Layer]
	first := slices.IndexFunc(vectors, func(v partition.Vector) bool { return g.Key(v) == c.Key })
	var bases []uint64
	for base := uint64(0); base < c.Addresses; base = (base + 63) / 64 * 64 {
		bases = append(bases, base)
		base += g.Space.Addresses(vectors[first+len(bases)-1])
	}
	return func(at uint64) peg.Position {
		i := len(bases) - 1
		for at < bases[i] {
			i--
		}
		return g.Space.Position(g.Space.Layout(vectors[first+i]).Ordered(at - bases[i]))
	}
}

// checkStored compares every stored row, those that only repeat a class among them.
func checkStored(
	t puzzletest.TB, g *Puzzle, b *puzzle.Block, layer reference.Layer, position func(at uint64) peg.Position,
) {
	t.Helper()
	r := 0
	err := counting.EachAddress(b, func(at uint64) error {
		var n uint128.Uint128
		if lo := b.Column(0); lo != nil {
			n.Lo = lo[r]
		}
		if hi := b.Column(1); hi != nil {
			n.Hi = hi[r]
		}
		r++
		p := position(at)
		paths := layer.Paths[p]
		if paths == nil || n.Big().Cmp(countingtest.Times(g.Enumeration, paths)) != 0 {
			t.Fatalf("address %d, position %s: %v paths are stored, want %v times %v", at, peg.Hex(p), n, g.Unit, paths)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkOut demands that all paths that leave a layer arrive in the next one. The converse is checked on the way.
func checkOut(t puzzletest.TB, m *puzzletest.Memory, n int) {
	t.Helper()
	if n+1 >= m.Layers() {
		return
	}
	for _, c := range m.Cells(n) {
		tally, ok := m.Cell(c.Cell)
		if !ok {
			t.Fatalf("%v is not computed", c.Cell)
		}
		for _, out := range tally.Out {
			child, ok := m.Cell(out.Cell)
			if out.Layer != n+1 || !ok || puzzletest.Flow(child.In, c.Cell) != out.Amount {
				t.Fatalf("%v paths leave %v for %v and do not arrive", out.Amount, c.Cell, out.Cell)
			}
		}
	}
}

// checkSummary compares the summary with the reference.
func checkSummary(
	t puzzletest.TB, g *Puzzle, m *puzzletest.Memory, p counting.Params, layers []reference.Layer, group []peg.Perm,
) {
	t.Helper()
	sum, err := g.Summarise(m)
	if err != nil {
		t.Fatal(err)
	}
	classes := 0
	for _, l := range layers {
		classes += len(l.Classes(group))
	}
	want := map[string]*big.Int{
		"games":     reference.Games(layers),
		"classes":   big.NewInt(int64(classes)),
		"positions": big.NewInt(int64(reference.Positions(layers))),
	}
	if p.HasGoal {
		want["solutions"] = reference.Solutions(layers, p.Goal)
	}
	for _, f := range sum.Facts {
		if w := want[f.Name]; w != nil && f.Value.N.Big().Cmp(w) != 0 {
			t.Fatalf("%s: %v, want %v", f.Name, f.Value.N, w)
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Fatalf("the summary lacks %v", want)
	}
	if rows := sum.Tables[0].Rows; len(rows) != len(layers) {
		t.Fatalf("the table has %d layers, want %d", len(rows), len(layers))
	}
}

// drawSetting draws a setting for a board; window sizes go from the least possible upwards, as far as no cell is cut
// into more than some dozens.
func drawSetting(t *rapid.T, p counting.Params) setting {
	s := setting{cached: rapid.Bool().Draw(t, "cached")}
	if rapid.Bool().Draw(t, "merged") {
		s.merge = rapid.Uint64Range(16, 2000).Draw(t, "merge")
	}
	if rapid.IntRange(0, 3).Draw(t, "cut") > 0 {
		g := gamesOf(t, p)
		least := uint64(g.Space.MaxLow())
		for _, layer := range g.Layers {
			for _, v := range layer {
				least = max(least, g.Space.Addresses(v)/50)
			}
		}
		s.windowAddresses = least + rapid.Uint64Range(0, 4*least).Draw(t, "window_addresses")
		if rapid.Bool().Draw(t, "led") {
			s.lead = rapid.IntRange(1, 8).Draw(t, "lead")
			s.windowAddresses = max(s.windowAddresses, uint64(led(t, p, s.lead).Space.MaxLow()))
		}
		if rapid.Bool().Draw(t, "short of memory") {
			s.memory = rapid.Uint64Range(1, 64*s.windowAddresses).Draw(t, "memory")
		}
	}
	return s
}

func TestRandomBoardsAgainstReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := countingtest.Draw(t)
		checkRun(t, p, reference.Play(p.Board, p.Start, -1), drawSetting(t, p))
	})
}
