package babylone

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pagoda/internal/puzzle/setting"
)

// TestCount compares every column with the simulation, for the games that it plays; the ways to show piles with all
// partitions of the bricks into piles with colours.
func TestCount(t *testing.T) {
	for _, game := range []string{"1x1", "1x5", "2x2", "3x2", "2x3", "3,2,1", "4x1", "5,2", "4,1,1"} {
		bricks, err := ParseGame(game)
		if err != nil {
			t.Fatal(err)
		}
		a, err := ask(t, count, []string{game})
		if err != nil {
			t.Fatal(err)
		}
		table := a.Summary.Tables[0]
		var got []string
		for _, row := range table.Rows {
			line := ""
			for _, v := range row {
				line += v.N.String() + " "
			}
			got = append(got, line)
		}
		hidden, inner := simulate(bricks, true), simulate(bricks, false)
		var want []string
		for level, positions := range hidden.levels {
			same := map[string]bool{}
			for p := range positions {
				same[renamed(p, len(bricks))] = true
			}
			piles := sum(bricks) - level
			n, up, in := len(positions), len(same), len(inner.levels[level])
			want = append(want, fmt.Sprintln(level, piles, shown(sum(bricks), piles, len(bricks)), n, n, up, up, in, in))
			want[level] = want[level][:len(want[level])-1] + " "
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got\n%q, want\n%q", game, got, want)
		}
	}
}

// shown counts the multisets of so many piles with a top colour that add up to n bricks.
func shown(n, piles, colours int) (ways int) {
	var add func(left, piles, least int)
	add = func(left, piles, least int) {
		if piles == 0 {
			if left == 0 {
				ways++
			}
			return
		}
		for kind := least; kind/colours < left; kind++ { // height 1 + kind/colours
			add(left-1-kind/colours, piles-1, kind)
		}
	}
	add(n, piles, 0)
	return ways
}

// TestCountOfLargeGames says that games too large to be played are counted by the formula, and hopeless ones refused.
func TestCountOfLargeGames(t *testing.T) {
	a, err := ask(t, count, []string{"5x6"})
	if err != nil {
		t.Fatal(err)
	}
	if f := a.Summary.Facts; f[0].Value.N.String() != "1044219011" || f[1].Value.N.String() != "10002984" || len(f) != 2 {
		t.Errorf("5x6: %v", f)
	}
	if c := a.Summary.Tables[0].Columns; len(c) != 5 {
		t.Errorf("5x6: columns %v", c)
	}
	for _, game := range []string{"1x64", "2y2"} {
		var e *setting.Error
		if _, err := ask(t, count, []string{game}); !errors.As(err, &e) || e.Setting != "GAME" || e.Advice() == "" {
			t.Errorf("%s: %v", game, err)
		}
	}
}

// TestGrid compares the grid with the table of the source, and with the search, which has its own way of moving.
func TestGrid(t *testing.T) {
	a, err := ask(t, table, nil, "bricks=1")
	if err != nil {
		t.Fatal(err)
	}
	grid := a.Summary.Tables[2]
	if len(grid.Rows) != 6 || len(grid.Columns) != 7 {
		t.Fatalf("%d rows, %d columns", len(grid.Rows), len(grid.Columns))
	}
	for colours, row := range map[int]string{2: "112222", 3: "121121", 4: "1121", 5: "122", 6: "22"} {
		for i := range row {
			if got := grid.Rows[colours-1][i+1].S; got != row[i:i+1] {
				t.Errorf("%dx%d: winner %q, want %c", colours, i+1, got, row[i])
			}
		}
	}
	search, compared := newSolver(), 0
	for c, row := range grid.Rows {
		for i, v := range row[1:] {
			bricks := slices.Repeat([]int{i + 1}, c+1)
			if sum(bricks) > 15 {
				continue
			}
			nimber, err := search.nimber(t.Context(), start(bricks))
			if err != nil || v.S != fmt.Sprint(winnerOf(nimber)) {
				t.Errorf("%dx%d: winner %q, nimber %d, error %v", c+1, i+1, v.S, nimber, err)
			}
			compared++
		}
	}
	if compared < 24 || grid.Rows[5][6].S != "" {
		t.Errorf("%d compared; 6x6: %q", compared, grid.Rows[5][6].S)
	}
	for _, size := range []string{"6", "0x2", "2x25", "21x1", "x", "2x2x2"} {
		var e *setting.Error
		if _, err := ask(t, table, nil, "grid="+size); !errors.As(err, &e) || e.Setting != "grid" {
			t.Errorf("grid %s: %v", size, err)
		}
	}
}
