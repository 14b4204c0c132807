package solitaire

import (
	"context"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
)

// TestBattle demands that the pictures of an army's game are those of a game: each has one peg less than the one
// before, and the last one has a peg at the top, above the line.
func TestBattle(t *testing.T) {
	for level, pegs := range map[string]int{"1": 2, "2": 4, "3": 8} {
		a, err := armyQuestion.Answer(context.Background(), puzzle.Request{Args: []string{level}})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Figures) != pegs {
			t.Errorf("level %s: %d pictures, want %d", level, len(a.Figures), pegs)
		}
		for i, f := range a.Figures {
			left, high := 0, 0
			for _, c := range f.Board.Cells {
				if c.Fill != figure.Accent {
					continue
				}
				left++
				if c.Row == 0 && strings.HasPrefix(c.Detail, "0,"+level) {
					high++
				}
			}
			if last := i == pegs-1; left != pegs-i || (high == 1) != last {
				t.Errorf("level %s, picture %d: %d pegs, %d at the target", level, i, left, high)
			}
		}
	}
}
