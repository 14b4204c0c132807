package solutions

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/counting"
	"pagoda/internal/counting/countingtest"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/puzzle/puzzletest"
)

func TestProblemInParts(t *testing.T) {
	reduced, halves := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		b := pegtest.Board(6, 14).Draw(t, "board")
		start := pegtest.Start(b).Draw(t, "start")
		game := pegtest.Play(t, b, start, 12)
		goal := game[len(game)-1]
		if goal.Pegs() >= start.Pegs() {
			return // no jump was made
		}
		s, err := New(counting.Params{
			Board: b, Start: start, Goal: goal, WindowAddresses: rapid.Uint64Range(70, 300).Draw(t, "window"),
		})
		if err != nil {
			t.Skip(err) // smaller windows than the board allows
		}
		q := s.problems[0]
		n := rapid.IntRange(0, q.Jumps()).Draw(t, "jumps")
		q.join.Jumps, q.join.FarJumps = n, q.Jumps()-n
		q.join.Slow = rapid.Bool().Draw(t, "slow")
		s.arrange()
		if s.meetings[0].halves {
			halves++
		}
		reduced += countingtest.SameInParts(t, s, rapid.Uint64Range(1, 16<<10).Draw(t, "memory"))
	})
	t.Logf("%d cells reduced, %d runs with half of the jumps", reduced, halves)
}

func TestPairsInParts(t *testing.T) {
	for _, c := range []struct {
		board  string
		window uint64
	}{{"triangle5", 40}, {"hexagon19", 400}} {
		b, err := peg.Named(c.board)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewPairs(counting.Params{Board: b, WindowAddresses: c.window})
		if err != nil {
			t.Fatal(err)
		}
		for _, memory := range []uint64{1, 48 * c.window} {
			if countingtest.SameInParts(t, s, memory) == 0 {
				t.Errorf("%s: no window read its parents in parts", c.board)
			}
		}
	}
}

// TestHalvesInParts is TestProblemInParts where a game is its own reverse, so that half of the jumps of the join
// suffice.
func TestHalvesInParts(t *testing.T) {
	b, err := peg.Named("triangle5")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for hole := range b.Holes {
		s, err := New(counting.Params{Board: b, Start: b.Complement(1 << hole), Goal: 1 << hole, WindowAddresses: 40})
		if err != nil {
			t.Fatal(err)
		}
		q := s.problems[0]
		if q.join == nil || q.Jumps()%2 == 0 {
			continue
		}
		q.join.Jumps, q.join.FarJumps = (q.Jumps()+1)/2, (q.Jumps()-1)/2
		s.arrange()
		if s.meetings[0].halves && countingtest.SameInParts(t, s, 1) > 0 {
			tried++
		}
	}
	if tried == 0 {
		t.Error("no problem that has half of its jumps, and reads in parts")
	}
}

// TestWindowsJoinedTogether: where cells have many windows, joins go through several of them as one, whether their
// layer is stored or not, and the solutions of all pairs are the same.
func TestWindowsJoinedTogether(t *testing.T) {
	for _, c := range []struct {
		board   string
		lattice peg.Lattice
		window  uint64
		stored  bool
	}{
		{"ooo/oooo/ooooo/oooo/ooo", peg.Triangular, 64, false},
		{"ooooo/ooooo/ooooo/ooooo", peg.Square, 32, true},
	} {
		b, err := peg.Draw("drawn", c.lattice, c.board)
		if err != nil {
			t.Fatal(err)
		}
		var want string
		for _, window := range []uint64{0, c.window} {
			s, err := NewPairs(counting.Params{Board: b, WindowAddresses: window})
			if err != nil {
				t.Fatal(err)
			}
			if together := s.stride > 1; together != (window > 0) || s.meetings[0].stored != c.stored {
				t.Errorf("%s in windows of %d: %d are joined as one, stored %t", c.board, window, s.stride, s.meetings[0].stored)
			}
			m := puzzletest.Play(t, s, puzzletest.Options{Stored: true})
			var got []string
			for _, q := range s.problems {
				n, _ := s.solutions(q, m)
				got = append(got, n.String())
			}
			if text := strings.Join(got, " "); want == "" {
				want = text
			} else if text != want {
				t.Errorf("%s in windows of %d: %s solutions, uncut %s", c.board, window, text, want)
			}
		}
	}
}
