package explore_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

// A line is a part of a problem as it was understood.
type line struct{ Name, Text string }

// TestProblemsAreSaid demands that runs and answers say how they were understood.
func TestProblemsAreSaid(t *testing.T) {
	s := newSite(t)
	var list []struct {
		Title   string
		Problem []line
	}
	s.get("/runs", &list)
	want := []line{
		{"board", "triangle5, 15 holes, 18 triplets, 36 jumps, 6 symmetries"},
		{"start", "----./---o-o/--o-o-o/-o-o-o-o/o-o-o-o-o, 14 pegs, all but a1"},
		{"goal", "----o/---.-./--.-.-./-.-.-.-./.-.-.-.-., 1 peg, a1"},
	}
	if len(list) != 2 || !slices.Equal(list[0].Problem, want) || !slices.Equal(list[1].Problem, want[:2]) {
		t.Errorf("the runs are %v", list)
	}
	var said struct {
		Problem  []line
		Text     string
		Document struct {
			Board, Start string
			Holes, Jumps int
		}
	}
	s.get("/puzzles/peg/feasible?"+url.Values{"arg": {"oo.", "..o"}, "board": {"ooo"}}.Encode(), &said)
	want = []line{{"board", "drawn, ooo on the square lattice, 3 holes, 1 triplet, 2 jumps, 2 symmetries"},
		{"start", "oo., 2 pegs, all but 31"}, {"goal", "..o, 1 peg, 31"}}
	if !slices.Equal(said.Problem, want) || !strings.HasPrefix(said.Text, "board  "+want[0].Text+"\nstart  oo., 2 pegs") ||
		said.Document.Holes != 3 || said.Document.Jumps != 2 || said.Document.Start != "oo." {
		t.Errorf("the answer is %+v", said)
	}
}
