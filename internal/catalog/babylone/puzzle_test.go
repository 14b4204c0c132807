package babylone

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
)

func newPuzzle(t puzzletest.TB, bricks []int, count string, window uint64) *Puzzle {
	t.Helper()
	p, err := New(Params{Bricks: bricks, Count: count, WindowAddresses: window})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// facts writes all facts of a run, one a line.
func facts(t puzzletest.TB, p *Puzzle, m *puzzletest.Memory) map[string]string {
	t.Helper()
	s, err := p.Summarise(m)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, table := range s.Tables { // they share the names of one document
		if slices.ContainsFunc(s.Facts, func(f puzzle.Fact) bool { return f.Name == table.Name }) {
			t.Fatalf("%s is a fact and a table", table.Name)
		}
	}
	for _, f := range s.Facts {
		text := f.Value.S
		if f.Kind != puzzle.Text {
			text = f.Value.N.String()
		}
		if f.List != nil {
			var list []string
			for _, v := range f.List {
				list = append(list, v.N.String())
			}
			text = strings.Join(list, " ")
		}
		out[f.Name] = text
	}
	return out
}

// expected returns the facts by simulation.
func expected(bricks []int, count string) map[string]string {
	s := simulate(bricks, true)
	nimbers := s.nimbers()
	n := map[string]int{}
	var levels, levelsUp []string
	for _, level := range s.levels {
		up := map[string]bool{}
		for p := range level {
			kinds := []string{"positions"}
			after := s.after(p)
			if len(after) == 0 {
				kinds = append(kinds, "terminal")
			}
			if nimbers[p] > 0 {
				kinds = append(kinds, "won")
			}
			name := renamed(p, len(bricks))
			images := map[string]bool{}
			for q := range after {
				images[renamed(q, len(bricks))] = true
			}
			n["edges"] += len(after)
			for _, k := range kinds {
				n[k]++
			}
			if !up[name] {
				up[name] = true
				n["edges_up_to_colours"] += len(images)
				for _, k := range kinds {
					n[k+"_up_to_colours"]++
				}
			}
		}
		levels, levelsUp = append(levels, strconv.Itoa(len(level))), append(levelsUp, strconv.Itoa(len(up)))
	}
	want := map[string]string{
		"count": count, "bricks": strings.ReplaceAll(writeBricks(bricks), ",", " "),
		"levels": strings.Join(levels, " "), "levels_up_to_colours": strings.Join(levelsUp, " "), "winner": "2",
	}
	for _, k := range []string{"positions", "terminal", "won", "edges"} {
		if k != "edges" || count == CountGraph {
			want[k], want[k+"_up_to_colours"] = strconv.Itoa(n[k]), strconv.Itoa(n[k+"_up_to_colours"])
		}
	}
	for p := range s.levels[0] {
		if nimbers[p] > 0 {
			want["winner"] = "1"
		}
		if count != CountWinner {
			want["nimber"] = strconv.Itoa(nimbers[p])
		}
	}
	return want
}

// TestSimulation compares runs of all small games with playing them in every way.
func TestSimulation(t *testing.T) {
	for n := 1; n <= 8; n++ {
		for _, bricks := range allSplits(n, 4) {
			want := expected(bricks, CountGraph)
			if smallInside(bricks) && n <= 7 {
				addInside(want, bricks)
			}
			p := newPuzzle(t, bricks, CountGraph, 0)
			m := puzzletest.Play(t, p, puzzletest.Options{Cached: true})
			for cell, tally := range m.Tallies() {
				for _, sum := range tally.Sums {
					if strings.ContainsAny(sum.Name, ` /\"<>&`) {
						t.Fatalf("%v: cell %v has a sum named %s", bricks, cell, sum.Name)
					}
				}
			}
			got := facts(t, p, m)
			if n > 7 {
				for k := range got {
					if strings.HasSuffix(k, "_inside") {
						delete(got, k)
					}
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%v: got\n%v, want\n%v", bricks, got, want)
			}
		}
	}
}

// addInside adds the facts of the simulation about positions with inner colours.
func addInside(want map[string]string, bricks []int) {
	s := simulate(bricks, false)
	positions, terminal := 0, 0
	var levels []string
	for _, level := range s.levels {
		for p := range level {
			positions++
			if len(s.after(p)) == 0 {
				terminal++
			}
		}
		levels = append(levels, strconv.Itoa(len(level)))
	}
	want["positions_inside"], want["terminal_inside"] = strconv.Itoa(positions), strconv.Itoa(terminal)
	want["levels_inside"] = strings.Join(levels, " ")
}

// TestCounts compares every count, with the colours in any order and windows of any size, with the simulation.
func TestCounts(t *testing.T) {
	for _, bricks := range [][]int{{3, 3, 3}, {1, 4, 2}, {2, 2, 2, 2}} {
		for _, count := range []string{CountWinner, CountNimbers, CountGraph} {
			want := expected(bricks, count)
			for _, window := range []uint64{0, 1, 3, 16, 100} {
				for _, o := range []puzzletest.Options{{Stored: true}, {Cached: true}} {
					p := newPuzzle(t, bricks, count, window)
					got := facts(t, p, puzzletest.Play(t, p, o))
					for _, k := range []string{"positions_inside", "levels_inside", "terminal_inside"} {
						delete(got, k)
					}
					if !reflect.DeepEqual(got, want) {
						t.Errorf("%v %s, windows of %d: got\n%v, want\n%v", bricks, count, window, got, want)
					}
				}
			}
		}
	}
}

// TestPublished holds runs to the table of the source: 1 where the first player wins, for 1, 2, ... bricks of each
// colour.
func TestPublished(t *testing.T) {
	for colours, row := range map[int]string{2: "112222", 3: "121121", 4: "1121", 5: "122", 6: "22"} {
		for i := range row {
			bricks := slices.Repeat([]int{i + 1}, colours)
			for _, count := range []string{CountWinner, CountNimbers} {
				p := newPuzzle(t, bricks, count, 0)
				if got := facts(t, p, puzzletest.Play(t, p, puzzletest.Options{Cached: true}))["winner"]; got != row[i:i+1] {
					t.Errorf("%v, %s: winner %s, want %c", bricks, count, got, row[i])
				}
			}
		}
	}
	for game, want := range map[string]string{"2x2": "1 4 5 2", "3x2": "1 9 27 34 18 3"} {
		bricks, err := ParseGame(game)
		if err != nil {
			t.Fatal(err)
		}
		p := newPuzzle(t, bricks, CountGraph, 0)
		if got := facts(t, p, puzzletest.Play(t, p, puzzletest.Options{Cached: true}))["levels"]; got != want {
			t.Errorf("%s: levels %s, want %s", game, got, want)
		}
	}
}

// TestInside settles the levels of 2 colours of 2 with inner colours: the source has 10 positions at the third of them.
func TestInside(t *testing.T) {
	p := newPuzzle(t, []int{2, 2}, CountGraph, 0)
	got := facts(t, p, puzzletest.Play(t, p, puzzletest.Options{Cached: true}))
	if got["levels_inside"] != "1 4 8 6" || got["positions_inside"] != "19" {
		t.Errorf("levels %s, positions %s", got["levels_inside"], got["positions_inside"])
	}
	var third []string
	for position := range simulate([]int{2, 2}, false).levels[2] {
		third = append(third, position)
	}
	slices.Sort(third)
	if want := "A BAB,A BBA,AA BB,AAB B,AB AB,AB BA,ABA B,BA BA"; strings.Join(third, ",") != want {
		t.Errorf("third level %v, want %s", third, want)
	}
	if smallInside([]int{6, 6, 6, 6}) || !smallInside([]int{3, 3, 2}) {
		t.Error("the wrong games are small enough for inner colours")
	}
}

// TestSummaryBeforeTheEnd demands the facts that are known before a run is complete.
func TestSummaryBeforeTheEnd(t *testing.T) {
	p := newPuzzle(t, []int{2, 2}, CountNimbers, 0)
	m, err := puzzletest.PlayTo(t, p, puzzletest.Options{Cached: true}, 1)
	if err != nil {
		t.Fatal(err)
	}
	got := facts(t, p, m)
	want := map[string]string{
		"bricks": "2 2", "count": "nimbers", "levels": "1 4 5 2", "levels_up_to_colours": "1 2 3 1",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestSummaryChecks says that a run whose windows do not account for all positions is refused.
func TestSummaryChecks(t *testing.T) {
	p, q := newPuzzle(t, []int{2, 2}, CountNimbers, 0), newPuzzle(t, []int{3, 1}, CountNimbers, 0)
	m := puzzletest.Play(t, q, puzzletest.Options{Cached: true})
	if _, err := p.Summarise(m); err == nil || !strings.Contains(err.Error(), "verify the run") {
		t.Errorf("positions of another game: %v", err)
	}
}

// TestForeignWindow says that windows of other games are refused.
func TestForeignWindow(t *testing.T) {
	p := newPuzzle(t, []int{2, 2}, CountWinner, 0)
	m := puzzletest.Play(t, p, puzzletest.Options{Cached: true})
	for _, w := range []puzzle.Window{
		{Cell: puzzle.Cell{Layer: 4, Key: "positions"}, Addresses: 1},
		{Cell: puzzle.Cell{Layer: 0, Key: "other"}, Addresses: 1},
		{Cell: puzzle.Cell{Layer: 0, Key: "positions"}},
		{Cell: puzzle.Cell{Layer: 0, Key: "positions"}, Addresses: 2},
	} {
		if _, err := p.Compute(t.Context(), w, m, nil); err == nil {
			t.Errorf("%v with %d addresses is computed", w, w.Addresses)
		}
	}
}

// TestRandomGames compares random games of more bricks than TestSimulation with the search of positions.
func TestRandomGames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bricks := rapid.SliceOfN(rapid.IntRange(1, 4), 1, 4).Draw(t, "bricks")
		p := newPuzzle(t, bricks, CountNimbers, rapid.Uint64Range(0, 200).Draw(t, "window"))
		got := facts(t, p, puzzletest.Play(t, p, puzzletest.Options{Cached: true}))["nimber"]
		want, err := newSolver().nimber(t.Context(), start(bricks))
		if err != nil {
			t.Fatal(err)
		}
		if got != strconv.Itoa(want) {
			t.Fatalf("%v: nimber %s, want %d", bricks, got, want)
		}
	})
}
