package counting

import (
	"testing"

	"pagoda/internal/peg"
)

func newSolutionsOf(t testing.TB, board, start, goal string, windowSlots uint64) *Solutions {
	t.Helper()
	b, err := peg.Named(board)
	if err != nil {
		t.Fatal(err)
	}
	p := Params{Board: b, WindowSlots: windowSlots}
	if p.Start, err = peg.ParseStart(b, start); err != nil {
		t.Fatal(err)
	}
	if p.Goal, err = peg.ParseGoal(b, goal); err != nil {
		t.Fatal(err)
	}
	s, err := NewSolutions(p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEnglishSolutions(t *testing.T) {
	for _, c := range []struct{ start, goal, want string }{
		{"center", "center", "40861647040079968"},
		{"r0c3", "r3c3", "10215411760019992"},
		{"r0c3", "r0c3", "841594661434808"},
	} {
		s := newSolutionsOf(t, "english", c.start, c.goal, 0)
		m := newMemory(true)
		play(t, s, m)
		sum, err := s.Summarise(m)
		if err != nil {
			t.Fatal(err)
		}
		if got := sum.Facts[len(sum.Facts)-1].Value.N.String(); got != c.want {
			t.Errorf("%s to %s: %s solutions, want %s", c.start, c.goal, got, c.want)
		}
	}
}
