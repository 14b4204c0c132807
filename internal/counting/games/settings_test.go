package games

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/counting"
	"pagoda/internal/counting/countingtest"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/peg/reference"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/uint128"
)

// rows lists the exported rows of a run. They say the same whatever the order of addresses and the cells.
func rows(t puzzletest.TB, g *Puzzle, m *puzzletest.Memory) []string {
	t.Helper()
	var list []string
	for n := range m.Layers() {
		for _, c := range m.Cells(n) {
			for _, b := range m.Rows(c.Cell) {
				err := g.ExportRows(c.Cell, &b, func(row []puzzle.Value) error {
					list = append(list, fmt.Sprint(row))
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// TestSettingsChangeNothing carries out the same run in two ways: windows of any size, with and without a cache.
// Exported rows are equal, and so are the tallies of cells, or of layers where cells are merged.
func TestSettingsChangeNothing(t *testing.T) {
	boards := []counting.Params{
		countingtest.Params(
			t,
			"triangle5",
			"r2c0",
		),
		countingtest.Params(t, "hexagon19", "0x6d2b0"),
		countingtest.Params(t, "square5", "0x0739c0"),
		countingtest.Params(
			t,
			"triangle5",
			"r2c1",
		),
		countingtest.Params(t, "square6", "0x0180e0300"),
		countingtest.Params(t, "english", "0x000038c10"),
	}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(boards).Draw(t, "board")
		if rapid.Bool().Draw(t, "a random board") {
			p = countingtest.Draw(t)
		}
		g, m, err := playSetting(t, p, whole)
		if err != nil {
			t.Fatal(err)
		}
		s := drawSetting(t, p)
		g2, m2, err := playSetting(t, p, s)
		if err != nil {
			t.Fatal(err)
		}
		if s.merge == 0 && !reflect.DeepEqual(m.Tallies(), m2.Tallies()) {
			t.Fatalf("tallies differ with %+v", s)
		}
		for n := range max(m.Layers(), m2.Layers()) {
			one, ok1 := m.Layer(n)
			two, ok2 := m2.Layer(n)
			if !ok1 || !ok2 || !reflect.DeepEqual(one.Totals(), two.Totals()) {
				t.Fatalf("tallies of layer %d differ with %+v", n, s)
			}
		}
		if !slices.Equal(rows(t, g, m), rows(t, g2, m2)) {
			t.Fatalf("rows differ with %+v", s)
		}
	})
}

// limit is the first number that 128 bits do not hold.
var limit = new(big.Int).Lsh(big.NewInt(1), 128)

// bounds gives the limits of a run in 128 bits: up to safe times one path nothing can overflow, not even the sums of
// flows; from sure times one path on some position's count does. peak is the most paths to one position.
func bounds(b *peg.Board, layers []reference.Layer) (safe, sure, peak *big.Int) {
	most, peak := new(big.Int), new(big.Int)
	for _, l := range layers {
		if n := l.Total(); most.Cmp(n) < 0 {
			most = n
		}
		for _, n := range l.Paths {
			if peak.Cmp(n) < 0 {
				peak = n
			}
		}
	}
	safe = new(big.Int).Div(limit, most.Mul(most, big.NewInt(int64(len(b.Jumps)+1))))
	sure = new(big.Int).Add(new(big.Int).Div(limit, peak), big.NewInt(1))
	return safe, sure, peak
}

// drawNear draws a number of 1..most whose length is close to that of target.
func drawNear(t *rapid.T, target, most *big.Int) uint128.Uint128 {
	n := new(big.Int).Lsh(target, uint(rapid.IntRange(0, 5).Draw(t, "longer")))
	n.Rsh(n, uint(rapid.IntRange(0, 5).Draw(t, "shorter")))
	n.Add(n, new(big.Int).SetUint64(rapid.Uint64().Draw(t, "plus")))
	n.Sub(n, new(big.Int).SetUint64(rapid.Uint64().Draw(t, "minus")))
	if n.Cmp(most) > 0 {
		n.Set(most)
	}
	if n.Sign() <= 0 {
		n.SetInt64(1)
	}
	return fromBig(t, n)
}

// TestWideCounts compares runs whose counts have up to 128 bits with the reference: the narrow and the wide kernel, and
// the way from one to the other, on the same boards.
func TestWideCounts(t *testing.T) {
	wide, narrow, both := 0, 0, 0
	pegtest.CheckUntil(t, func() bool { return wide > 0 && narrow > 0 && both > 0 }, func(t *rapid.T) {
		p := countingtest.Draw(t)
		layers := reference.Play(p.Board, p.Start, -1)
		safe, _, peak := bounds(p.Board, layers)
		safe.Sub(safe, big.NewInt(1))
		target := safe // all counts wide
		if rapid.Bool().Draw(t, "around 64 bits") {
			target = new(big.Int).Div(new(big.Int).Lsh(big.NewInt(1), 64), peak)
		}
		s := drawSetting(t, p)
		s.unit = drawNear(t, target, safe)
		checkRun(t, p, layers, s)
		switch {
		case s.unit.Hi > 0:
			wide++
		case peak.Mul(peak, s.unit.Big()).BitLen() > 64:
			both++
		default:
			narrow++
		}
	})
	t.Logf("%d runs narrow, %d wide, %d both", narrow, wide, both)
}

// TestTriangleWide is whole runs with counts around and past 64 bits: every window in the wide kernel, and runs that
// pass over to it on the way.
func TestTriangleWide(t *testing.T) {
	for _, c := range []struct{ board, start string }{{"triangle5", "r2c0"}, {"hexagon19", "0x6d2b0"}} {
		p := countingtest.Params(t, c.board, c.start)
		layers := reference.Play(p.Board, p.Start, -1)
		for _, unit := range []uint128.Uint128{{Lo: 1 << 52}, {Lo: 1<<64 - 1}, {Hi: 1}, {Hi: 1<<24 + 1, Lo: 1<<63 + 5}} {
			checkRun(t, p, layers, setting{unit: unit, windowAddresses: 2000})
			checkRun(t, p, layers, setting{unit: unit, cached: true})
			checkRun(t, p, layers, setting{unit: unit, merge: 1000})
		}
	}
}

// TestOverflow makes counts that 128 bits cannot hold: the run ends with an error that names a window, and never with a
// number. Below the point where a position's count overflows it may end with one too, as sums do first. A result that
// it then reports is right.
func TestOverflow(t *testing.T) {
	ended := 0
	pegtest.CheckUntil(t, func() bool { return ended > 0 }, func(t *rapid.T) {
		p := countingtest.Draw(t)
		layers := reference.Play(p.Board, p.Start, -1)
		_, sure, _ := bounds(p.Board, layers)
		if sure.Cmp(limit) >= 0 {
			t.Skip("every position has one path only")
		}
		s := drawSetting(t, p)
		s.unit = drawNear(t, sure, new(big.Int).Sub(limit, big.NewInt(1)))
		unit := s.unit.Big()
		_, m, err := playSetting(t, p, s)
		switch {
		case err != nil:
			ended++
			if !errors.Is(err, puzzle.ErrOverflow) {
				t.Fatal(err)
			}
			c := m.Cells(m.Layers() - 1)
			if !slices.ContainsFunc(c, func(c puzzle.CellPlan) bool { return strings.Contains(err.Error(), c.Key) }) {
				t.Fatalf("%q does not name a window of layer %d", err, m.Layers()-1)
			}
		case unit.Cmp(sure) >= 0:
			t.Fatalf("with %v a count leaves 128 bits, and nobody noticed", unit)
		default:
			for n, l := range layers {
				tally, ok := m.Layer(n)
				if want := new(big.Int).Mul(l.Total(), unit); ok && tally.Sum("paths").Big().Cmp(want) != 0 {
					t.Fatalf("layer %d: %v paths, want %v", n, tally.Sum("paths"), want)
				}
			}
		}
	})
	t.Logf("%d runs ended with an overflow", ended)
}

// TestOverflowOfOnePosition has two jumps that are legal in either order: every sum fits in 128 bits, only the count of
// the position after both does not.
func TestOverflowOfOnePosition(t *testing.T) {
	b, err := peg.Draw("two jumps", peg.Square, "ooo--o\n-----o\n-----o")
	if err != nil {
		t.Fatal(err)
	}
	start, err := peg.ParseStart(b, "oo.--o\n-----o\n-----.")
	if err != nil {
		t.Fatal(err)
	}
	g, _, err := playSetting(t, counting.Params{Board: b, Start: start}, setting{unit: uint128.Uint128{Hi: 1 << 63}})
	if !errors.Is(err, puzzle.ErrOverflow) {
		t.Fatalf("got %v, want an overflow", err)
	}
	want := fmt.Sprintf("window 2/%s/0:", g.Layers[2][0].Key())
	if !strings.HasPrefix(err.Error(), want) {
		t.Fatalf("%q does not begin with %q", err, want)
	}
	fits := setting{unit: uint128.Uint128{Hi: 1<<63 - 1}}
	if _, _, err := playSetting(t, counting.Params{Board: b, Start: start}, fits); err != nil {
		t.Fatal(err)
	}
}

// reading is a source without a cache that counts how often windows are read.
type reading struct {
	*puzzletest.Memory
	reads map[puzzle.WindowID]int
}

func (r reading) Blocks(ctx context.Context, w puzzle.Window, first, n uint64, fn func(*puzzle.Block) error) error {
	r.reads[w.ID()]++
	return r.Memory.Blocks(ctx, w, first, n, fn)
}

// TestParentsAreReadOnce: a window of many vectors reads a parent of many once, where no cache keeps it. With less
// memory than is planned it reads the parent again for the next vector.
func TestParentsAreReadOnce(t *testing.T) {
	for _, memory := range []uint64{0, 1} { // 0 is what is planned, 1 the least
		g, m, err := playSetting(t, countingtest.Params(t, "triangle5", "r0c0"), setting{merge: 1 << 10, memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		read, again := 0, 0
		for n := range m.Layers() {
			for _, c := range m.Cells(n) {
				r := reading{m, map[puzzle.WindowID]int{}}
				if _, err := puzzletest.Compute(t.Context(), t, m, g, c.Window(0), r); err != nil {
					t.Fatal(err)
				}
				for id, times := range r.reads {
					if _, err := g.Vector(id.Cell); err != nil { // it has several vectors
						read, again = read+1, again+times-1
					}
				}
			}
		}
		if read == 0 || (again > 0) != (memory > 0) {
			t.Errorf("with a memory of %d bytes %d parents are read, %d times again", memory, read, again)
		}
	}
}

// TestEarlier: the puzzle of earlier programs has a cell for each vector, and does not have the parameter. Where cells
// were never merged, it is the same.
func TestEarlier(t *testing.T) {
	for board, same := range map[string]bool{"triangle5": false, "diamond": true} {
		start := map[bool]string{false: "r0c0", true: "center"}[same]
		params := countingtest.Params(t, board, start)
		params.WindowAddresses = 1 << 22
		g := gamesOf(t, params)
		p, err := g.Earlier()
		if err != nil {
			t.Fatal(err)
		}
		had, has := p.Identity(), g.Identity()
		if !reflect.DeepEqual(g.EarlierIdentity(), had) {
			t.Errorf("%s: %v is said to be the earlier identity, and it is %v", board, g.EarlierIdentity(), had)
		}
		isMerged := func(x puzzle.Param) bool { return x.Name == "merged_addresses" }
		if reflect.DeepEqual(had, has) != same || slices.ContainsFunc(had.Params, isMerged) {
			t.Errorf("%s: %v, and earlier %v", board, has, had)
		}
		has.Params = slices.DeleteFunc(has.Params, isMerged)
		if !reflect.DeepEqual(had, has) {
			t.Errorf("%s: beside the cells, %v differs from %v", board, has, had)
		}
		for n, vectors := range p.(*Puzzle).Layers {
			if cells := p.(*Puzzle).Plan(n); len(cells) != len(vectors) {
				t.Fatalf("%s: layer %d has %d cells of %d vectors", board, n, len(cells), len(vectors))
			}
		}
	}
}

// lost is a source one of whose windows cannot be read.
type lost struct {
	*puzzletest.Memory
	err error
}

func (l lost) Blocks(context.Context, puzzle.Window, uint64, uint64, func(*puzzle.Block) error) error {
	return l.err
}

func TestErrorsOfTheSource(t *testing.T) {
	for _, merge := range []uint64{0, 1000} {
		checkErrors(t, setting{merge: merge})
	}
}

func checkErrors(t *testing.T, s setting) {
	p := countingtest.Params(t, "triangle5", "r0c0")
	g, m, err := playSetting(t, p, s)
	if err != nil {
		t.Fatal(err)
	}
	cell := m.Cells(3)[0]
	if several := cell.Addresses > g.Space.Addresses(g.Layers[3][0]); several != (s.merge > 0) {
		t.Fatalf("%+v gives a cell of %d addresses", s, cell.Addresses)
	}
	missing := &puzzle.MissingError{Window: puzzle.WindowID{Cell: cell.Parents[0]}}
	_, err = puzzletest.Compute(context.Background(), t, m, g, cell.Window(0), lost{m, missing})
	var got *puzzle.MissingError
	if !errors.As(err, &got) || got != missing {
		t.Errorf("a window that is lost gives %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err = puzzletest.Compute(ctx, t, m, g, cell.Window(0), m); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled computation gives %v", err)
	}
	for _, w := range []puzzle.Window{
		{Cell: puzzle.Cell{Layer: 3, Key: "1.1.1.1"}, Addresses: 1},
		{Cell: puzzle.Cell{Layer: 4, Key: cell.Key}, Addresses: 1},
		{Cell: puzzle.Cell{Layer: 3, Key: "x"}, Addresses: 1},
		{Cell: cell.Cell, First: cell.Addresses, Addresses: 1},
		{Cell: cell.Cell, Addresses: cell.Addresses + 1},
	} {
		if _, err := puzzletest.Compute(context.Background(), t, m, g, w, m); err == nil {
			t.Errorf("window %s %d+%d was computed", w, w.First, w.Addresses)
		}
	}
}

// ailing is a source that reads so many blocks of windows and no more.
type ailing struct {
	*puzzletest.Memory
	left *int
	err  error
}

func (a ailing) Blocks(
	ctx context.Context, w puzzle.Window, first, addresses uint64, fn func(*puzzle.Block) error,
) error {
	if *a.left--; *a.left < 0 {
		return a.err
	}
	return a.Memory.Blocks(ctx, w, first, addresses, fn)
}

// TestFailureLeavesNothing computes windows after computations that broke off at each of the windows that they read:
// the memory that kernels keep from window to window must not hold anything of those.
func TestFailureLeavesNothing(t *testing.T) {
	p := countingtest.Params(t, "english", "center")
	p.WindowAddresses = uint64(gamesOf(t, p).Space.MaxLow())
	g := gamesOf(t, p)
	const layers = 9
	m, err := puzzletest.PlayTo(t, g, puzzletest.Options{Stored: true}, layers)
	if err != nil {
		t.Fatal(err)
	}
	broken := 0
	for n := range layers {
		for _, c := range m.Cells(n) {
			var again puzzle.Tally
			for i := range c.Windows() {
				for reads := 0; ; reads++ {
					left := reads
					_, err := puzzletest.Compute(t.Context(), t, m, g, c.Window(i), ailing{m, &left, errors.New("gone")})
					if err == nil {
						break
					}
					broken++
				}
				tally, err := puzzletest.Compute(t.Context(), t, m, g, c.Window(i), m)
				if err == nil {
					err = again.Merge(&tally)
				}
				if err != nil {
					t.Fatalf("window %s: %v", c.Window(i), err)
				}
			}
			if want, _ := m.Cell(c.Cell); !reflect.DeepEqual(again, want) {
				t.Fatalf("cell %v: %+v, want %+v", c.Cell, again, want)
			}
		}
	}
	t.Logf("%d computations were broken off", broken)
	if broken == 0 {
		t.Error("no computation was broken off")
	}
}

// TestWindowAddresses refuses windows that a run does not fit, and takes the least that it does. In short mode on a
// smaller board: there are many of the least windows on the English one.
func TestWindowAddresses(t *testing.T) {
	board := "english"
	if testing.Short() {
		board = "square5"
	}
	p := countingtest.Params(t, board, "center")
	least := uint64(gamesOf(t, p).Space.MaxLow())
	p.WindowAddresses = least - 1
	if _, err := New(p); !errors.Is(err, counting.ErrWindowAddresses) {
		t.Errorf("%d addresses give %v", p.WindowAddresses, err)
	}
	p.WindowAddresses = least
	g := gamesOf(t, p)
	for n := range g.Layers {
		cells, err := g.Layer(n, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cells {
			for i := range c.Windows() {
				if w := c.Window(i); w.Addresses > least || w.Addresses == 0 {
					t.Fatalf("window %s has %d addresses, the limit is %d", w, w.Addresses, least)
				}
			}
		}
	}
}

func fromBig(t puzzletest.TB, n *big.Int) uint128.Uint128 {
	t.Helper()
	u, err := uint128.Parse(n.String())
	if err != nil {
		t.Fatal(err)
	}
	return u
}
