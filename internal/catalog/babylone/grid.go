package babylone

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
)

// Bounds of the grid of winners.
const (
	mostInGrid  = 1 << 17 // positions of a game up to colours
	mostPerEach = 24      // bricks of each colour
)

func validGrid(text string) error {
	_, _, err := parseGrid(text)
	return err
}

// parseGrid reads "6x6", the most colours and the most bricks of each.
func parseGrid(text string) (colours, each int, err error) {
	a, b, _ := strings.Cut(text, "x")
	colours, err1 := strconv.Atoi(a)
	each, err2 := strconv.Atoi(b)
	if err1 != nil || err2 != nil || colours < 1 || colours > MaxColours || each < 1 || each > mostPerEach {
		return 0, 0, fmt.Errorf("%s is not a size such as 6x6, with 1 to %d colours and 1 to %d bricks of each",
			setting.Quote(text), MaxColours, mostPerEach)
	}
	return colours, each, nil
}

// winners is a table with a row for each number of colours and a column for each number of bricks of a colour. It has 1
// where the first player wins, 2 where the second does, and nothing where the game is too large.
func winners(ctx context.Context, size string) (t puzzle.Table, err error) {
	colours, each, err := parseGrid(size)
	if err != nil {
		return t, &setting.Error{Setting: "grid", Err: err, Hint: "write 6x6"}
	}
	t = puzzle.Table{Name: "grid", Columns: []puzzle.Column{numbered("colours", "colours of the game")}}
	for n := 1; n <= each; n++ {
		t.Columns = append(t.Columns, worded(strconv.Itoa(n), "who wins with so many bricks of each colour"))
	}
	for c := 1; c <= colours; c++ {
		row := []puzzle.Value{number(c)}
		for n := 1; n <= each; n++ {
			s, ok := equalSpace(c, n)
			if !ok {
				row = append(row, puzzle.Value{})
				continue
			}
			l, err := s.label(ctx)
			if err != nil {
				return t, err
			}
			row = append(row, puzzle.Value{S: strconv.FormatUint(winnerOf(int(l.nimbers[0][0])), 10)})
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// equalSpace is the space of a game with n bricks of each colour, when it is small enough for the grid.
func equalSpace(colours, n int) (*space, bool) {
	if colours*n > MaxBricks {
		return nil, false
	}
	bricks, err := ParseBricks(strconv.Itoa(n), colours)
	if err != nil {
		return nil, false
	}
	s, err := newSpace(bricks)
	return s, err == nil && s.positions() <= mostInGrid
}
