package tiles

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
)

// A table game is the game by its rules alone, on rows of letters: tiles has a dot for each cell without a tile.
type tableGame struct {
	grid, tiles []string
	letters     string
	known       map[string]map[string]bool // the finals of a state
}

func (g *tableGame) shows(r, c int) byte {
	if g.tiles[r][c] != '.' {
		return g.tiles[r][c]
	}
	return g.grid[r][c]
}

// moves lists the tiles that can be laid, as r0c0=X.
func (g *tableGame) moves() (list []string) {
	for r := range g.grid {
		for c := range g.grid[r] {
			for k := range g.letters {
				can := g.tiles[r][c] == '.'
				for y := max(0, r-1); y <= r+1 && y < len(g.grid); y++ {
					for x := max(0, c-1); x <= c+1 && x < len(g.grid[0]); x++ {
						can = can && g.shows(y, x) != g.letters[k]
					}
				}
				if can {
					list = append(list, fmt.Sprintf("r%dc%d=%c", r, c, g.letters[k]))
				}
			}
		}
	}
	return list
}

func (g *tableGame) after(move string) *tableGame {
	var r, c int
	var tile byte
	if _, err := fmt.Sscanf(move, "r%dc%d=%c", &r, &c, &tile); err != nil {
		panic(err)
	}
	next := *g
	next.tiles = append([]string{}, g.tiles...)
	next.tiles[r] = next.tiles[r][:c] + string(rune(tile)) + next.tiles[r][c+1:]
	return &next
}

func (g *tableGame) finals() map[string]bool {
	key := strings.Join(g.tiles, "/")
	if f, ok := g.known[key]; ok {
		return f
	}
	f := map[string]bool{}
	if !strings.Contains(key, ".") {
		f[key] = true
	}
	for _, m := range g.moves() {
		maps.Copy(f, g.after(m).finals())
	}
	g.known[key] = f
	return f
}

// checkRefused demands that every cell and tile that is no move is refused. The cell that stands against it has a tile,
// or shows the colour and lies beside the cell of the move, or is that cell.
func (g *tableGame) checkRefused(t *testing.T, at string, list []puzzle.Refusal, moves int) {
	t.Helper()
	if want := len(g.grid)*len(g.grid[0])*len(g.letters) - moves; len(list) != want {
		t.Fatalf("%s refuses %d pairs, want %d", at, len(list), want)
	}
	for _, r := range list {
		var row, column, y, x int
		if _, err := fmt.Sscanf(r.Presses[0]+" "+r.By, "r%dc%d r%dc%d", &row, &column, &y, &x); err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		covered := row == y && column == x && g.tiles[row][column] != '.'
		beside := max(row-y, y-row) <= 1 && max(column-x, x-column) <= 1 && string(g.shows(y, x)) == r.Presses[1]
		if !covered && !beside || !strings.HasPrefix(r.Why, r.Presses[1]+" cannot be laid on "+r.Presses[0]+": ") {
			t.Fatalf("%s: %+v", at, r)
		}
	}
}

// TestGame plays games at random and compares every move's number of final grids with a search by the rules alone.
func TestGame(t *testing.T) {
	lost, finished := 0, 0
	for seed := range 24 {
		size := []string{"2x3", "3x2", "3x3", "2x4"}[seed%4]
		at := puzzletest.Ask(t, &startQuestion, map[string]string{"seed": fmt.Sprint(seed)}, size).Summary.Facts[0].Value.S
		known := map[string]map[string]bool{}
		var steps []string
		for turn := 0; ; turn++ {
			a := puzzletest.Ask(t, &playQuestion, nil, at)
			grid, tiles, has := strings.Cut(at, ":")
			if !has {
				tiles = strings.Map(func(r rune) rune {
					if r == '/' {
						return r
					}
					return '.'
				}, grid)
			}
			g := &tableGame{strings.Split(grid, "/"), strings.Split(tiles, "/"), a.Summary.Facts[1].Value.S, known}
			want := len(g.finals())
			if got := a.Summary.Facts[2].Value.N.Lo; got != uint64(want) {
				t.Fatalf("%s can end in %d final grids, want %d", at, got, want)
			}
			moves := a.Summary.Tables[0].Rows
			legal := g.moves()
			if len(moves) != len(legal) {
				t.Fatalf("%s has %d moves, want %d", at, len(moves), len(legal))
			}
			g.checkRefused(t, at, a.Moves.Refused, len(legal))
			for i, m := range moves {
				if got, want := m[2].N.Lo, len(g.after(m[0].S).finals()); got != uint64(want) {
					t.Fatalf("%s: %s leaves %d final grids, want %d", at, m[0].S, got, want)
				}
				if i > 0 && m[2].N.Lo > moves[i-1][2].N.Lo {
					t.Fatalf("%s: the moves are not sorted", at)
				}
			}
			check := puzzletest.Ask(t, &checkQuestion, nil, append([]string{grid}, append(steps, "r0c0="+grid[:1])...)...)
			if verdict := check.Summary.Facts[0].Value.S; !strings.Contains(verdict, fmt.Sprintf("step %d, r0c0", turn+1)) {
				t.Fatalf("%s, %v: %s", grid, steps, verdict)
			}
			if got := check.Summary.Facts[2].Value.N.Lo; got != uint64(want) || check.Summary.Facts[1].Value.S != at {
				t.Fatalf("%s, %v: %d final grids of %s, want %d", grid, steps, got, check.Summary.Facts[1].Value.S, want)
			}
			if len(moves) == 0 {
				if want == 0 {
					lost++
				} else {
					finished++
				}
				break
			}
			// A good game keeps to the first move, a bad one does not.
			m := moves[(seed%3)*(turn+seed)%len(moves)]
			at = m[1].S
			steps = append(steps, m[0].S)
		}
	}
	if lost == 0 || finished == 0 {
		t.Errorf("%d games were lost, %d finished: both are wanted", lost, finished)
	}
}

// TestNoGridInPlay: tiles that no order lays are refused, with the cell.
func TestNoGridInPlay(t *testing.T) {
	for text, part := range map[string]string{
		"RVRV/BWBW:R.../....":      "it shows that colour itself: r0c0",
		"RVRV/BWBW:JJ../....":      "its neighbour r0c0 shows that colour: r0c1",
		"RVRV/BWBW:B.../....":      "its neighbour r1c0 shows that colour: r0c0",
		"RVRV/BWBW:X.../....":      "X is none of the colours",
		"RVRV/BWBW:J.../...":       "row 1 of the tiles has 3 cells",
		"RVRV/BWBW:J...":           "the tiles have 1 row",
		"RVRV/BWBW:J.../..../....": "the tiles have 3 rows",
	} {
		if _, err := parseCovering(text, 5); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, want %q", text, err, part)
		}
	}
	p, err := parseCovering("rvrv / bwbw:J.../....", 5)
	if err != nil || p.String() != "RVRV/BWBW:J.../...." {
		t.Errorf("%s, %v", p.String(), err)
	}
}
