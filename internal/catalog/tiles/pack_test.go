package tiles

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pagoda/internal/puzzle/puzzletest"
)

// TestCountPublished compares with the source: four blue cells, four white tiles, three of every other colour.
func TestCountPublished(t *testing.T) {
	a := puzzletest.Ask(t, &countQuestion,
		map[string]string{"cells": "B4,R3,V3,W3,J3", "tiles": "w4 r3 v3 b3 j3"}, "4x4")
	for i, want := range []string{"56136", "21168", "34968"} {
		if got := a.Summary.Facts[2+i].Value.N.String(); got != want {
			t.Errorf("%s is %s, want %s", a.Summary.Facts[2+i].Name, got, want)
		}
	}
}

// TestCountAgainstPlay plays every grid of a size by the rules alone, and counts those with given cells, and those of
// them that end in a grid of given tiles.
func TestCountAgainstPlay(t *testing.T) {
	const letters = "RVBWJ"
	for _, c := range []struct{ size, cells, tiles string }{
		{"2x2", "", ""}, {"2x3", "", ""}, {"2x3", "R2,V1,B1,W1,J1", ""}, {"2x3", "R2,V2,B1,W1", "J2,R1,V1,B1,W1"},
		{"3x2", "", "R2,V2,B2"}, {"2x3", "", "R2,V2,B2,W2"}, {"3x3", "R1,V2,B2,W2,J2", "R2,V2,B1,W2,J2"},
		{"3x3", "R1,V2,B2,W2,J2", "R4,V3,B4,W4,J0"}, {"2x4", "R8", ""},
	} {
		flags := map[string]string{"cells": c.cells, "tiles": c.tiles}
		a := puzzletest.Ask(t, &countQuestion, flags, c.size)
		got := fmt.Sprint(a.Summary.Facts[2].Value.N, a.Summary.Facts[3].Value.N, a.Summary.Facts[4].Value.N)
		rows, columns := int(c.size[0]-'0'), int(c.size[2]-'0')
		// number reads the number of a letter, all when there is no text.
		number := func(text string, letter byte) int {
			for f := range strings.SplitSeq(text, ",") {
				if f != "" && f[0] == letter {
					return int(f[1] - '0')
				}
			}
			if text == "" {
				return rows * columns
			}
			return 0
		}
		grids, solvable := 0, 0
		var fill func(text string)
		fill = func(text string) {
			if len(text) < rows*columns {
				for i := range letters {
					if at := len(text); at%columns == 0 || text[at-1] != letters[i] {
						fill(text + letters[i:i+1])
					}
				}
				return
			}
			for i := range letters {
				if n := strings.Count(text, letters[i:i+1]); c.cells != "" && n != number(c.cells, letters[i]) {
					return
				}
			}
			lines := make([]string, rows)
			for r := range lines {
				lines[r] = text[r*columns:][:columns]
			}
			g, err := Parse(strings.Join(lines, "/"), 5)
			if err != nil {
				return
			}
			grids++
			finals, err := Play(context.Background(), g)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range finals {
				suffice := true
				for i := range letters {
					// A letter that the grid does not show stands for the same colour in the finals.
					suffice = suffice && strings.Count(g.write(&f.cells), letters[i:i+1]) <= number(c.tiles, letters[i])
				}
				if suffice {
					solvable++
					return
				}
			}
		}
		fill("")
		if want := fmt.Sprint(grids, solvable, grids-solvable); got != want {
			t.Errorf("%v: %s, want %s", c, got, want)
		}
	}
}

// TestSolvePack: with a pack the final grids are those of all that its tiles suffice for.
func TestSolvePack(t *testing.T) {
	const grid = "RVRV/BWBW/RVRV/BWBW"
	all := solved(t, grid, 5, SolveLimits{})
	for _, text := range []string{"R4,V4,B4,W4", "R4,V4,B4,J4", "r4 v2b4,W2, J4", "R16V16B16W16J16", "J16",
		"R4,V4,B4,W4,J0"} {
		p, err := parsePack(text, all.Letters)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, f := range all.List {
			suffice := true
			for v := range all.Letters {
				suffice = suffice && strings.Count(f.Grid, all.Letters[v:v+1]) <= p[v]
			}
			if suffice {
				want = append(want, f.Grid)
			}
		}
		sol := solved(t, grid, 5, SolveLimits{Pack: p})
		var got []string
		for _, f := range sol.List {
			got = append(got, f.Grid)
		}
		if strings.Join(got, " ") != strings.Join(want, " ") || sol.Finals != fmt.Sprint(len(want)) {
			t.Errorf("%s: %s final grids %v, want %v", text, sol.Finals, got, want)
		}
		if !strings.Contains(sol.Text(), "pack         "+sol.countText(sol.Pack)+"\n") {
			t.Errorf("%s: the text does not say the pack:\n%s", text, sol.Text())
		}
	}
	for text, part := range map[string]string{
		"R": "after R comes", "R4,R4": "names R twice", "X4": "the colours are RVBWJ", "R4 V": "after V comes",
		"R4000": "0 to 1000", "R-4": "after R comes", " , ": "names none", "R99999999999999999999": "0 to 1000",
		"R4x": "the colours are",
	} {
		if _, err := parsePack(text, all.Letters); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: %v, want %q", text, err, part)
		}
	}
	if p, err := parsePack("0:4, 1:3", "01234"); err != nil || p.write("01") != "04,13" {
		t.Errorf("%v, %v", p, err)
	}
	if _, err := parsePack("04", "01234"); err == nil {
		t.Error("04 can be colour 0 four times, and is read as something else")
	}
}

// TestOrderPicture: the arrows allow as many orders as the final grid has, and lead down.
func TestOrderPicture(t *testing.T) {
	sol := solved(t, "BRBR/JWVW/VBRJ/JWVB", 5, SolveLimits{})
	for i, f := range sol.List {
		g := sol.orderPicture(i).Graph
		number, level := map[string]int{}, map[string]int{}
		for k, n := range g.Nodes {
			number[n.ID], level[n.ID] = k, n.Level
		}
		before := make([]int, len(g.Nodes))
		for _, e := range g.Edges {
			before[number[e.To]] |= 1 << number[e.From]
			if level[e.From] >= level[e.To] {
				t.Errorf("final %d: an arrow from level %d to %d", i, level[e.From], level[e.To])
			}
		}
		ways := make([]uint64, 1<<len(before))
		ways[0] = 1
		for done, n := range ways {
			for c := range before {
				if n > 0 && done>>c&1 == 0 && before[c]&^done == 0 {
					ways[done|1<<c] += n
				}
			}
		}
		if got := fmt.Sprint(ways[len(ways)-1]); got != f.Orders {
			t.Errorf("final %d: the arrows allow %s orders, want %s", i, got, f.Orders)
		}
	}
}

// TestGameOfFinal: the game leads to the final grid that was chosen.
func TestGameOfFinal(t *testing.T) {
	for final := range 4 {
		sol := solved(t, "BRBR/JWVW/VBRJ/JWVB", 5, SolveLimits{Game: final})
		if got, want := sol.Play[len(sol.Play)-1].Grid, sol.List[final].Grid; got != want ||
			!strings.Contains(sol.Text(), fmt.Sprintf("one game, to final %d\n", final+1)) {
			t.Errorf("the game to final %d ends in %s, want %s", final+1, got, want)
		}
	}
}

// TestOrdersOfMany: when the orders of a final grid have taken all the sets of cells, later ones have none.
func TestOrdersOfMany(t *testing.T) {
	sol := solved(t, "RVRV/BWBW/RVRV/BWBW", 5, SolveLimits{Ideals: maxIdeals, Sets: 2000})
	all := solved(t, "RVRV/BWBW/RVRV/BWBW", 5, SolveLimits{})
	counted := 0
	for i, f := range sol.List {
		if f.Orders != "" {
			if counted++; counted != i+1 || f.Orders != all.List[i].Orders {
				t.Errorf("final %d has %s orders, want %s", i+1, f.Orders, all.List[i].Orders)
			}
		}
	}
	if counted == 0 || counted == len(sol.List) || sol.Orders != "" {
		t.Errorf("%d of %d final grids have their orders, the total is %q", counted, len(sol.List), sol.Orders)
	}
}

// TestStartOfAnySize: a grid of any size is drawn, and its final grid can be reached by the rules.
func TestStartOfAnySize(t *testing.T) {
	for size, colours := range map[string]string{"8x8": "5", "2x8": "5", "8x3": "5", "7x6": "5", "5x4": "6", "6x8": "6"} {
		flags := map[string]string{"colours": colours, "seed": "3"}
		text := puzzletest.Ask(t, &startQuestion, flags, size).Summary.Facts[0].Value.S
		g := mustParse(t, text, int(colours[0]-'0'))
		solver, err := g.solver()
		if err != nil {
			t.Fatal(err)
		}
		solver.limit = drawnLevel
		ctx, stop := context.WithCancel(context.Background())
		reached := false
		err = solver.solve(ctx, &g.cells, func(f *planes) {
			c := solver.unturn(f)
			_, reached = newOrder(g.shape, &g.cells, &c)
			stop()
		})
		stop()
		if !reached {
			t.Errorf("%s: no final grid of %s (%v)", size, text, err)
		}
		if want := fmt.Sprintf("%dx%d", g.shape.Rows, g.shape.Cols); want != size {
			t.Errorf("%s: a grid of %s", size, want)
		}
	}
}
