package baseball

import (
	"errors"
	"testing"
)

func TestShortestAgainstReference(t *testing.T) {
	for _, board := range []Board{Ring, Line} {
		for n := 2; n <= 5; n++ {
			some := 0
			for c, d := range reference(n, board) {
				if some++; n == 5 && some%10 != 0 { // a tenth of them, others each time
					continue
				}
				way, err := Shortest(t.Context(), c, board, DefaultLimit)
				if err != nil || len(way) != d {
					t.Fatalf("%v on the %v: %d moves, want %d; %v", c, board, len(way), d, err)
				}
				follow(t, c, board, way)
			}
		}
	}
}

// TestShortestGivesUp: a search that gives up says so, and is right about the number of moves that it has ruled out.
func TestShortestGivesUp(t *testing.T) {
	c, err := Parse("34|4_|13|22|01")
	if err != nil {
		t.Fatal(err)
	}
	way, err := Shortest(t.Context(), c, Line, DefaultLimit)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Shortest(t.Context(), c, Line, 200)
	var limit *LimitError
	if !errors.As(err, &limit) || !errors.Is(err, ErrLimit) || limit.Moves >= len(way) {
		t.Errorf("%v, and the way has %d moves", err, len(way))
	}
}

// TestShortestOfManyBases: where a shortest way is near the bound, many bases are no obstacle.
func TestShortestOfManyBases(t *testing.T) {
	for _, n := range []int{9, 20, MaxNotation} {
		c := Goal(n)
		for range 3 * n { // to the right all the time: the colours go once around and a little
			c = c.After(c.Moves(Ring)[len(c.Moves(Ring))-1])
		}
		way, err := Shortest(t.Context(), c, Ring, DefaultLimit)
		if err != nil || len(way) > 3*n {
			t.Fatalf("%v: %d moves, want %d or fewer; %v", c, len(way), 3*n, err)
		}
		follow(t, c, Ring, way)
	}
}

// follow plays a way, which must lead to the goal by moves of the board.
func follow(t *testing.T, c Configuration, board Board, way []Move) {
	t.Helper()
	start := c
	for i, m := range way {
		found := false
		for _, allowed := range c.Moves(board) {
			found = found || allowed == m
		}
		if !found {
			t.Fatalf("%v: move %d, %v, is not a move of %v", start, i, m, c)
		}
		c = c.After(m)
	}
	if !c.Solved() {
		t.Fatalf("%v: the way ends at %v", start, c)
	}
}

// TestExampleOfFiveBases plays the source's example.
func TestExampleOfFiveBases(t *testing.T) {
	c, err := Parse("44|0_|11|22|33")
	if err != nil {
		t.Fatal(err)
	}
	way, err := Shortest(t.Context(), c, Ring, DefaultLimit)
	if err != nil || len(way) != 9 {
		t.Errorf("shortest: %d moves, want 9; %v", len(way), err)
	}
	follow(t, c, Ring, way)
	for m, want := range map[Method]int{OneBaseBest: 25, OneBaseWorst: 25, BestPush: 39} {
		way, err := m.Play(c, DefaultLimit)
		if err != nil || len(way) != want {
			t.Errorf("%v: %d moves, want %d; %v", m, len(way), want, err)
		}
		follow(t, c, Line, way)
	}
}
