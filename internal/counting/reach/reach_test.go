package reach

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
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

func newReach(t puzzletest.TB, board, start, goal string, windowAddresses uint64) *Reach {
	t.Helper()
	b, err := peg.Named(board)
	if err != nil {
		t.Fatal(err)
	}
	p := Params{Board: b, WindowAddresses: windowAddresses}
	if p.Start, err = peg.ParseStart(b, start); err != nil {
		t.Fatal(err)
	}
	if goal != "" {
		p.HasGoal = true
		if p.Goal, err = peg.ParseGoal(b, goal); err != nil {
			t.Fatal(err)
		}
	}
	r, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// readSlabs has every window read slabs where the symmetries let it, as windows of large cells do, but of cells of so
// many words at most: from decoded windows that are shared, or from blocks.
func readSlabs(list []*enumeration, shared bool, stored int) {
	for _, w := range list {
		w.wholeWords, w.storedWords, w.sharedWords = 0, stored, 0
		if shared {
			w.sharedWords = sharedWords
		}
	}
}

// makeNarrow has a run read unfolded rows and move bits, as on machines that cannot permute them in one instruction.
func makeNarrow(list []*enumeration) {
	for _, w := range list {
		w.permutes = false
	}
}

func (r *Reach) enumerations() []*enumeration {
	if r.join == nil {
		return []*enumeration{r.near}
	}
	return []*enumeration{r.near, r.join.far}
}

// layers writes the table of layers as text: jumps, pegs, classes, positions, dead positions; with a goal, the classes
// and positions that are winnable.
func layers(t puzzletest.TB, r *Reach, m *puzzletest.Memory) string {
	t.Helper()
	s, err := r.Summarise(m)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, row := range s.Tables[0].Rows {
		for i, v := range row {
			if i > 0 {
				text.WriteByte(' ')
			}
			text.WriteString(v.N.String())
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// expected is layers, the obvious way.
func expected(p Params) string {
	var text strings.Builder
	group := peg.Stabiliser(p.Board.Symmetries(), p.Start)
	layers := reference.Play(p.Board, p.Start, -1)
	var winnable []map[peg.Position]bool
	if p.hasGoals() {
		winnable = winnableOf(p, layers)
	}
	for n, l := range layers {
		fmt.Fprint(&text, l.Jumps, " ", l.Pegs, " ", len(l.Classes(group)), " ", len(l.Paths), " ", len(l.Dead))
		if p.hasGoals() {
			classes := map[peg.Position]bool{}
			for q := range winnable[n] {
				least, _ := peg.Canonical(setStabiliser(group, p.goals()), q)
				classes[least] = true
			}
			fmt.Fprint(&text, " ", len(classes), " ", len(winnable[n]))
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// winnableOf is the positions from which a goal can be reached, by layer.
func winnableOf(p Params, layers []reference.Layer) []map[peg.Position]bool {
	all := make([]map[peg.Position]bool, len(layers))
	for _, goal := range p.goals() {
		for n, list := range reference.Winnable(p.Board, layers, goal) {
			if all[n] == nil {
				all[n] = map[peg.Position]bool{}
			}
			maps.Copy(all[n], list)
		}
	}
	return all
}

// drawGoals draws several goals with as many pegs: the images of the end of a game, all positions of so many pegs that
// games come to, or any positions, some of which can be reached.
func drawGoals(t *rapid.T, p *Params) {
	path := pegtest.Play(t, p.Board, p.Start, 15)
	if len(path) == 1 {
		return
	}
	at := path[rapid.IntRange(1, len(path)-1).Draw(t, "jumps to the goals")]
	p.GoalText = "drawn"
	switch rapid.IntRange(0, 2).Draw(t, "goals") {
	case 0:
		for _, g := range p.Board.Symmetries() {
			if q := g.Apply(at); !slices.Contains(p.Goals, q) {
				p.Goals = append(p.Goals, q)
			}
		}
	case 1:
		layers := reference.Play(p.Board, p.Start, p.Start.Pegs()-at.Pegs())
		p.Goals = slices.Sorted(maps.Keys(layers[len(layers)-1].Paths))
	case 2:
		p.Goals = []peg.Position{at}
		for range rapid.IntRange(0, 6).Draw(t, "others") {
			q := pegtest.Position(p.Board).Draw(t, "other")
			if q.Pegs() == at.Pegs() && !slices.Contains(p.Goals, q) {
				p.Goals = append(p.Goals, q)
			}
		}
	}
}

func TestSmallBoards(t *testing.T) {
	for _, test := range []struct{ board, start, goal string }{
		{"triangle4", "r1c0", "r1c1"}, {"triangle4", "r0c0", ""}, {"triangle5", "r0c0", "r0c0"},
		{"triangle5", "r2c1", "r2c1"}, {"triangle5", "r1c0", "r4c0"},
		{"hexagon19", "center", "center"}, {"hexagon19", "r0c0", "r0c0"}, {"square5", "0x1000ff", ""},
	} {
		t.Run(test.board+" "+test.start+" "+test.goal, func(t *testing.T) {
			r := newReach(t, test.board, test.start, test.goal, 0)
			m := puzzletest.Play(t, r, puzzletest.Options{Cached: true, Hoard: r.params.HasGoal})
			if got, want := layers(t, r, m), expected(r.params); got != want {
				t.Fatalf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// TestDrawnBoards compares on boards that random ones are too small to be like: symmetries that move the word class,
// rows of several planes, more symmetries than start and goal have in common.
func TestDrawnBoards(t *testing.T) {
	for _, test := range []struct{ name, board, start, goal string }{
		{"4x4 centre", "oooo/oooo/oooo/oooo", "oooo/o..o/o..o/oooo", "o..o/.oo./.oo./o..o"},
		{"4x4 centre to one side", "oooo/oooo/oooo/oooo", "oooo/o..o/o..o/oooo", "oooo/o.../o.../o..."},
		{"4x4 corners", "oooo/oooo/oooo/oooo", ".oo./oooo/oooo/.oo.", ""},
		{"4x4 forbidden", "oooo/oooo/oooo/oooo", "oooo/o..o/o..o/oooo", "..../.oo./.oo./...."},
		{"line of 25", "ooooooooooooooooooooooooo", "oo.ooo.oo.ooo.oooo.o.oo.o", "ooo..o..o.o....o......o.."},
		{"line of 24", "oooooooooooooooooooooooo", "oo.oo.oo.oo..oo.oo.oo.oo", "....o.o..oo..oo..o.o...."},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := Params{HasGoal: test.goal != ""}
			lines := func(s string) string { return strings.ReplaceAll(s, "/", "\n") }
			var err error
			if p.Board, err = peg.Draw("drawn", peg.Square, lines(test.board)); err != nil {
				t.Fatal(err)
			}
			if p.Start, err = peg.ParseStart(p.Board, lines(test.start)); err != nil {
				t.Fatal(err)
			}
			if p.HasGoal {
				if p.Goal, err = peg.ParseGoal(p.Board, lines(test.goal)); err != nil {
					t.Fatal(err)
				}
			}
			r, err := New(p)
			if err != nil {
				t.Fatal(err)
			}
			m := puzzletest.Play(t, r, puzzletest.Options{Stored: true})
			if got, want := layers(t, r, m), expected(p); got != want {
				t.Fatalf("got\n%swant\n%s", got, want)
			}
			checkRows(t, r, m)
			for _, shared := range []bool{false, true} {
				if r, err = New(p); err != nil {
					t.Fatal(err)
				}
				if shared {
					makeNarrow(r.enumerations())
				}
				readSlabs(r.enumerations(), shared, 0)
				m := puzzletest.Play(t, r, puzzletest.Options{Stored: true, Cached: shared})
				if got, want := layers(t, r, m), expected(p); got != want {
					t.Fatalf("by slab: got\n%swant\n%s", got, want)
				}
				checkRows(t, r, m)
			}
		})
	}
}

// drawStart draws a board and a start, both symmetric or both of any kind.
func drawStart(t *rapid.T) (p Params) {
	if rapid.Bool().Draw(t, "symmetric") {
		p.Board = pegtest.SymmetricBoard(16).Draw(t, "board")
		p.Start = pegtest.SymmetricStart(p.Board).Draw(t, "start")
	} else {
		p.Board = pegtest.Board(3, 15).Draw(t, "board")
		p.Start = pegtest.Start(p.Board).Draw(t, "start")
	}
	return p
}

// TestRandomBoards compares with the reference on random boards, symmetric ones and others, with and without a goal,
// cut and cached at random.
func TestRandomBoards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawStart(t)
		switch rapid.IntRange(0, 4).Draw(t, "goal") {
		case 4:
			drawGoals(t, &p)
		case 0:
			path := pegtest.Play(t, p.Board, p.Start, 15)
			p.Goal, p.HasGoal = path[len(path)-1], len(path) > 1
		case 1:
			p.Goal, p.HasGoal = p.Board.Complement(p.Start), 2*p.Start.Pegs() > p.Board.Size() && p.Start != p.Board.Full()
		}
		slabs := rapid.Bool().Draw(t, "slabs")
		p.WindowAddresses = rapid.SampledFrom([]uint64{0, 64, 100, 640, 1 << 16}).Draw(t, "window addresses")
		r, err := newMerged(p, rapid.SampledFrom([]int{0, 2, 5, 30, mergedWords}).Draw(t, "words of merged cells"))
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "narrow") {
			makeNarrow(r.enumerations())
		}
		if slabs {
			stored := rapid.SampledFrom([]int{0, 1, 4, 16, 64, storedWords}).Draw(t, "words of cells that are read as stored")
			readSlabs(r.enumerations(), rapid.Bool().Draw(t, "shared"), stored)
		}
		m := puzzletest.Play(t, r, puzzletest.Options{Stored: true, Cached: rapid.Bool().Draw(t, "cached")})
		if got, want := layers(t, r, m), expected(p); got != want {
			t.Fatalf("%s from %s to %v (%v): got\n%swant\n%s", peg.FormatLine(p.Board, p.Board.Full()),
				peg.FormatLine(p.Board, p.Start), p.goals(), p.hasGoals(), got, want)
		}
		checkRows(t, r, m)
	})
}

// checkRows compares the exported rows with the classes of the reference.
func checkRows(t puzzletest.TB, r *Reach, m *puzzletest.Memory) {
	t.Helper()
	group := peg.Stabiliser(r.params.Board.Symmetries(), r.params.Start)
	for n, l := range reference.Play(r.params.Board, r.params.Start, -1) {
		classes := l.Classes(group)
		for _, c := range m.Cells(n) {
			for _, b := range m.Rows(c.Cell) {
				err := r.ExportRows(c.Cell, &b, func(row []puzzle.Value) error {
					p, err := peg.ParseGoal(r.params.Board, row[0].S)
					if err != nil {
						return err
					}
					if classes[p] == nil || row[0].S != r.params.Board.Hex(p) {
						return fmt.Errorf("%s is not reached, not the canonical position of its class, or there twice", row[0].S)
					}
					delete(classes, p)
					_, fixed := peg.Canonical(group, p)
					if want := fmt.Sprint(n, len(group)/fixed); fmt.Sprint(row[1].N, row[2].N) != want {
						return fmt.Errorf("%s has jumps and orbit %v %v, want %s", row[0].S, row[1].N, row[2].N, want)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if len(classes) > 0 {
			t.Fatalf("%d classes after %d jumps are not exported", len(classes), n)
		}
	}
}

// TestEarlier: the puzzle of earlier programs has a cell for each vector, and does not have the parameter. Cells that
// are merged have one window. Where vectors are large, nothing is merged.
func TestEarlier(t *testing.T) {
	for _, c := range []struct {
		board, start    string
		windowAddresses uint64
		merged          int // addresses
	}{
		{"square5", "r0c0", 0, 64 * mergedWords}, {"french", "center", 0, 64 * mergedWords}, {"square5", "r0c0", 1000, 960},
		{"triangle8", "r0c0", 0, 0}, {"diamond", "center", 1 << 22, 0},
	} {
		r := newReach(t, c.board, c.start, "", c.windowAddresses)
		p, err := r.Earlier()
		if err != nil {
			t.Fatal(err)
		}
		had, has := p.Identity(), r.Identity()
		if !reflect.DeepEqual(r.EarlierIdentity(), had) || strings.Contains(fmt.Sprint(had), "merged") {
			t.Errorf("%s: %v is said to be the earlier identity, and it is %v", c.board, r.EarlierIdentity(), had)
		}
		if c.merged > 0 {
			had.Params = append(had.Params, puzzle.Param{Name: "merged_addresses", Value: fmt.Sprint(c.merged)})
		}
		if !reflect.DeepEqual(had, has) {
			t.Errorf("%s: identity %v, want %v", c.board, has, had)
		}
		cells, several := 0, false
		for n, vectors := range r.near.layers {
			for _, b := range r.near.bound(n).list {
				cells++
				if len(b.vectors) > 1 {
					several = true
					if 64*b.words > c.merged {
						t.Errorf("%s: cell %v has %d vectors and %d words", c.board, b.cell, len(b.vectors), b.words)
					}
				}
			}
			if e := p.(*Reach).near.bound(n).list; len(e) != len(vectors) {
				t.Errorf("%s: %d vectors after %d jumps, earlier %d cells", c.board, len(vectors), n, len(e))
			}
		}
		if several != (c.merged > 0) {
			t.Errorf("%s: %d cells, of several vectors: %t", c.board, cells, several)
		}
	}
}

// TestTooLarge names boards whose classes are too large for tables.
func TestTooLarge(t *testing.T) {
	for _, name := range []string{"hexagon61", "triangle10"} {
		b, err := peg.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = New(Params{Board: b, Start: b.Full() &^ 1})
		if !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	// Classes of 16, 13, 13 and 9 holes fit each, but not the positions with half of each.
	b, err := peg.Draw("square7 and two", peg.Square, strings.Repeat("o", 8)+strings.Repeat("\nooooooo-", 6)+"\no-------")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(Params{Board: b, Start: b.Full() &^ 1}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%d holes: error %v", b.Size(), err)
	}
	b, _ = peg.Named("english")
	if _, err := New(Params{Board: b, Start: b.Full() &^ 1, WindowAddresses: 63}); !errors.Is(err, ErrWindowAddresses) {
		t.Errorf("windows of 63 addresses: error %v", err)
	}
}

// TestWays demands the same rows in all ways that this machine has: reading the stored cell or unfolding it, as a whole
// or by slab.
func TestWays(t *testing.T) {
	for _, test := range []struct{ board, start, goal string }{
		{"hexagon19", "center", "center"}, {"triangle6", "r2c1", ""}, {"square5", "0x1000ff", ""},
	} {
		rows := func(r *Reach) (all [][]puzzle.Block) {
			m := puzzletest.Play(t, r, puzzletest.Options{Stored: true, Cached: true, Hoard: r.params.HasGoal})
			for n := range m.Layers() {
				for _, c := range m.Cells(n) {
					all = append(all, m.Rows(c.Cell))
				}
			}
			return all
		}
		want := rows(newReach(t, test.board, test.start, test.goal, 0))
		for _, narrow := range []bool{false, true} {
			for _, stored := range []int{storedWords, 0, 64, 1024} {
				r := newReach(t, test.board, test.start, test.goal, 0)
				if narrow {
					makeNarrow(r.enumerations())
				}
				if stored < storedWords {
					readSlabs(r.enumerations(), true, stored)
				}
				if got := rows(r); !reflect.DeepEqual(got, want) {
					t.Errorf("%s from %s: other rows, narrow %v, cells of %d words as stored", test.board, test.start, narrow, stored)
				}
			}
		}
	}
}

func readGolden(t *testing.T, name string) string {
	t.Helper()
	golden, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(golden)
}

// TestEnglishCentre compares with the known numbers of positions and classes, and of those from which a peg in the
// centre can be left alone.
func TestEnglishCentre(t *testing.T) {
	r := newReach(t, "english", "center", "center", 0)
	m := puzzletest.Play(t, r, puzzletest.Options{Cached: true, Hoard: true})
	for name, want := range map[string]string{
		"positions":                   "187636299",
		"classes":                     "23475688",
		"winnable_classes_start_goal": "1679072", "winnable_positions": "13428122",
	} {
		if got := puzzletest.Fact(t, r, m, name); got != want {
			t.Errorf("%s %s, want %s", name, got, want)
		}
	}
	if got, golden := layers(t, r, m), readGolden(t, "english_center.txt"); got != golden {
		t.Errorf("layers\n%swant\n%s", got, golden)
	}
	// Playing backwards from the centre is playing forwards from it: winnable layers read the same both ways.
	var winnable []string
	for line := range strings.Lines(layers(t, r, m)) {
		winnable = append(winnable, strings.Join(strings.Fields(line)[5:], " "))
	}
	back := slices.Clone(winnable)
	slices.Reverse(back)
	if !slices.Equal(winnable, back) {
		t.Errorf("winnable layers are not palindromic: %v", winnable)
	}
}
