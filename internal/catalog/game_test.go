package catalog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
)

// begun are the arguments of the starts of games.
var begun = map[string][]string{
	"tiles": {"2x3", "3x3", "2x4"}, "baseball": {"2", "3", "5"}, "babylone": {"2x2", "3x2", "2,3,1"},
	"mousetrap": {"1", "2", "5", "12"},
}

// factOf is a text among the facts of an answer.
func factOf(a *puzzle.Answer, name string) string {
	for _, f := range a.Summary.Facts {
		if f.Name == name {
			return f.Value.S
		}
	}
	return ""
}

// TestGames plays every puzzle that is played as a page does, which knows its Game alone: at random until the game is
// over, or for 40 moves. Each move has presses of its own, of parts that are drawn, and leads to the position that it
// names.
func TestGames(t *testing.T) {
	for i := range All {
		d := &All[i]
		if (d.Game == nil) != (len(begun[d.Name]) == 0) {
			t.Errorf("%s: is it played?", d.Name)
		}
		if d.Game == nil {
			continue
		}
		ends := 0
		for seed := range 30 {
			random := rand.New(rand.NewPCG(uint64(seed), 0))
			start := begun[d.Name][seed%len(begun[d.Name])]
			a := puzzletest.Ask(t, d.Question(d.Game.Start), map[string]string{"seed": fmt.Sprint(seed)}, start)
			position := factOf(a, "position")
			for range 40 {
				a = puzzletest.Ask(t, d.Question(d.Game.Play), nil, position)
				if got := factOf(a, "position"); got != position {
					t.Fatalf("%s: asked about %s, told about %s", d.Name, position, got)
				}
				rows := checkMoves(t, d.Name, a)
				checkMore(t, d, position)
				if a.Moves.Over || len(rows) == 0 {
					if !a.Moves.Over || a.Moves.Best > 0 || len(a.Summary.Notes) == 0 {
						t.Errorf("%s: the end, %s, is %+v, %q", d.Name, position, a.Moves, a.Summary.Notes)
					}
					ends++
					break
				}
				if n := a.Moves.Best; n > 0 && random.IntN(4) > 0 {
					rows = rows[:n]
				}
				position = rows[random.IntN(len(rows))][1].S
			}
		}
		if ends < 20 {
			t.Errorf("%s: %d of 30 games ended", d.Name, ends)
		}
	}
}

// checkMoves compares the presses of an answer with its table, whose rows it returns, and its pictures.
func checkMoves(t *testing.T, name string, a *puzzle.Answer) [][]puzzle.Value {
	t.Helper()
	parts, drawn := map[string]int{}, map[int]bool{}
	for i, f := range a.Figures {
		for _, p := range f.Board.Parts {
			parts[p.Name]++
			for _, c := range p.Cells {
				if c < 0 || c >= len(f.Board.Cells) || drawn[i<<20+c] {
					t.Fatalf("%s: cell %d of part %s is not there, or of another part, too", name, c, p.Name)
				}
				drawn[i<<20+c] = true
			}
			if p.Title == "" || len(p.Cells) == 0 {
				t.Fatalf("%s: part %s has %d cells and the title %q", name, p.Name, len(p.Cells), p.Title)
			}
		}
	}
	at := slices.IndexFunc(a.Summary.Tables, func(t puzzle.Table) bool { return t.Name == "moves" })
	if at < 0 || a.Moves == nil || len(a.Moves.Presses) != len(a.Summary.Tables[at].Rows) {
		t.Fatalf("%s: the moves are %+v, of %+v", name, a.Moves, a.Summary.Tables)
	}
	table := a.Summary.Tables[at]
	if table.Columns[0].Name != "move" || table.Columns[1].Name != "position" || len(table.Columns) < 3 {
		t.Fatalf("%s: the columns are %+v", name, table.Columns)
	}
	seen := map[string]bool{}
	for i, presses := range a.Moves.Presses {
		key := strings.Join(presses, "\n")
		if seen[key] || len(presses) == 0 {
			t.Fatalf("%s: move %s has the presses %q, as another one", name, table.Rows[i][0].S, presses)
		}
		seen[key] = true
		for _, press := range presses {
			need := 0 // of two equal parts both are pressed
			for _, other := range presses {
				if other == press {
					need++
				}
			}
			if parts[press] < need {
				t.Fatalf("%s: move %s presses %q, and %d of %s are drawn", name, table.Rows[i][0].S, presses, parts[press], press)
			}
		}
		// A move that is made by its first press hides longer ones.
		if len(presses) > 1 && seen[presses[0]] {
			t.Fatalf("%s: press %s makes a move, and begins another one", name, presses[0])
		}
	}
	for _, r := range a.Moves.Refused {
		one, other := strings.Join(r.Presses[:], "\n"), r.Presses[1]+"\n"+r.Presses[0]
		if seen[one] || seen[other] || r.Why == "" || parts[r.Presses[0]]*parts[r.Presses[1]]*parts[r.By] == 0 {
			t.Fatalf("%s: %+v is refused, and a move or not drawn", name, r)
		}
		seen[one] = true
	}
	if a.Moves.Best < 0 || a.Moves.Best > len(table.Rows) {
		t.Fatalf("%s: %d moves of %d are the best", name, a.Moves.Best, len(table.Rows))
	}
	return table.Rows
}

// checkMore asks the other questions of a game about a position.
func checkMore(t *testing.T, d *puzzle.Definition, position string) {
	t.Helper()
	for _, name := range d.Game.More {
		a := puzzletest.Ask(t, d.Question(name), nil, position)
		for _, f := range a.Figures {
			for _, p := range f.Board.Parts {
				if b := puzzletest.Ask(t, d.Question(d.Game.Play), nil, p.Name); factOf(b, "position") != p.Name {
					t.Errorf("%s %s: %s is no position", d.Name, name, p.Name)
				}
			}
		}
	}
}
