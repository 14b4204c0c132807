package reach

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/peg/reference"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
)

// winnableLayers is the winnable positions of every number of jumps by the reference, none where the goal cannot be
// reached.
func winnableLayers(p Params) []map[peg.Position]bool {
	return winnableOf(p, reference.Play(p.Board, p.Start, -1))
}

// checkWinnable compares the table of layers and the exported rows with the reference.
func checkWinnable(t puzzletest.TB, w *Winnable, m *puzzletest.Memory) {
	t.Helper()
	s, err := w.Summarise(m)
	if err != nil {
		t.Fatal(err)
	}
	group := setStabiliser(peg.Stabiliser(w.params.Board.Symmetries(), w.params.Start), w.params.goals())
	layers := winnableLayers(w.params)
	rows := s.Tables[0].Rows
	if len(rows) == 0 {
		if n := w.RowLayers(); n != 0 {
			t.Fatalf("no layer is counted, but %d are exported", n)
		}
		if len(layers[0]) > 0 {
			t.Fatalf("nothing is counted (%s), but the goal can be reached", w.reason)
		}
		return
	}
	if len(rows) != w.jumps+1 || w.RowLayers() != len(rows) {
		t.Fatalf("%d layers, %d exported ones, of %d jumps", len(rows), w.RowLayers(), w.jumps)
	}
	for n, row := range rows {
		want := map[peg.Position]int{} // orbit by the smallest of the class
		positions := 0
		if n < len(layers) {
			positions = len(layers[n])
			for q := range layers[n] {
				least, fixed := peg.Canonical(group, q)
				want[least] = len(group) / fixed
			}
		}
		if got := fmt.Sprint(row[0].N, row[1].N, row[2].N, row[3].N); got != fmt.Sprint(n, w.params.Start.Pegs()-n, len(want),
			positions) {
			t.Fatalf("after %d jumps: got %s, want %d classes, %d positions", n, got, len(want), positions)
		}
		for _, c := range m.Cells(w.RowLayer(n)) {
			for _, b := range m.Rows(c.Cell) {
				err := w.ExportRows(c.Cell, &b, func(row []puzzle.Value) error {
					if row[w.RowLayerColumn()].N.Lo != uint64(n) {
						return nil
					}
					p, err := peg.ParseGoal(w.params.Board, row[0].S)
					if err != nil {
						return err
					}
					if orbit, ok := want[p]; !ok || row[2].N.Lo != uint64(orbit) {
						return fmt.Errorf("%s with an orbit of %v is no class, or there twice (want %d)", row[0].S, row[2].N, orbit)
					}
					delete(want, p)
					return nil
				})
				if err != nil {
					t.Fatalf("after %d jumps: %v", n, err)
				}
			}
		}
		if len(want) > 0 {
			t.Fatalf("after %d jumps %d classes are not exported", n, len(want))
		}
	}
}

// TestWinnableSmallBoards compares on boards with many symmetries: both sides are one, or two, for odd and even numbers
// of jumps, and goals that fewer symmetries fix than the start.
func TestWinnableSmallBoards(t *testing.T) {
	for _, test := range []struct{ board, start, goal string }{
		{"triangle5", "r0c0", "r0c0"}, {"triangle5", "r2c1", "r2c1"}, {"triangle5", "r1c0", "r4c0"},
		{"triangle4", "r1c0", "r1c1"}, {"hexagon19", "center", "center"}, {"hexagon19", "r0c0", "r0c0"},
		{"square5", "0x1000ff", "0x4"},
	} {
		for _, narrow := range []bool{false, true} {
			t.Run(fmt.Sprint(test, narrow), func(t *testing.T) {
				w, err := NewWinnable(newReach(t, test.board, test.start, test.goal, 0).params)
				if err != nil {
					t.Fatal(err)
				}
				if narrow {
					makeNarrow(w.enumerations())
				}
				checkWinnable(t, w, puzzletest.Play(t, w, puzzletest.Options{Stored: true, Cached: !narrow}))
			})
		}
	}
}

func (w *Winnable) enumerations() (list []*enumeration) {
	for _, s := range w.sides {
		list = append(list, s.all, s.winnable)
	}
	return list
}

// TestWinnableRandomBoards compares with the reference on random boards, starts and goals, with cells of one vector and
// of several, cut, cached and read at random.
func TestWinnableRandomBoards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawStart(t)
		p.HasGoal = true
		switch path := pegtest.Play(t, p.Board, p.Start, 15); rapid.IntRange(0, 5).Draw(t, "goal") {
		case 4, 5:
			p.Goal, p.HasGoal = path[len(path)-1], false
			if drawGoals(t, &p); p.Goals == nil {
				t.Skip("no jump is possible")
			}
		case 0:
			p.Goal = pegtest.Position(p.Board).Draw(t, "position")
		case 1:
			p.Goal = p.Board.Complement(p.Start)
		default:
			p.Goal = path[len(path)-1]
		}
		if p.HasGoal && (peg.Problem{Board: p.Board, Start: p.Start, Goal: p.Goal}).Check() != nil {
			t.Skip("the goal has as many pegs as the start")
		}
		p.WindowAddresses = rapid.SampledFrom([]uint64{0, 64, 100, 640, 4096, 1 << 16}).Draw(t, "window addresses")
		w, err := NewWinnable(p)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "narrow") {
			makeNarrow(w.enumerations())
		}
		if rapid.Bool().Draw(t, "slabs") {
			stored := rapid.SampledFrom([]int{0, 1, 4, 16, 64, storedWords}).Draw(t, "words of cells that are read as stored")
			readSlabs(w.enumerations(), rapid.Bool().Draw(t, "shared"), stored)
		}
		checkWinnable(t, w, puzzletest.Play(t, w, puzzletest.Options{Stored: true, Cached: rapid.Bool().Draw(t, "cached")}))
	})
}

// TestWinnableEnglish demands of every layer of the English centre game what the run of all positions has there.
func TestWinnableEnglish(t *testing.T) {
	r := newReach(t, "english", "center", "center", 1<<22)
	w, err := NewWinnable(r.params)
	if err != nil {
		t.Fatal(err)
	}
	m := puzzletest.Play(t, w, puzzletest.Options{Cached: true, Hoard: true})
	for name, want := range map[string]string{
		"winnable_classes_start_goal": "1679072", "winnable_positions": "13428122",
	} {
		if got := puzzletest.Fact(t, w, m, name); got != want {
			t.Errorf("%s %s, want %s", name, got, want)
		}
	}
	s, err := w.Summarise(m)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, row := range s.Tables[0].Rows {
		got = append(got, fmt.Sprint(row[0].N, row[1].N, row[2].N, row[3].N))
	}
	for line := range strings.Lines(readGolden(t, "english_center.txt")) {
		f := strings.Fields(line)
		want = append(want, strings.Join([]string{f[0], f[1], f[5], f[6]}, " "))
	}
	if !slices.Equal(got, want) {
		t.Errorf("layers\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
