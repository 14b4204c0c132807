package solitaire

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/peg/reference"
	"pagoda/internal/puzzle/puzzletest"
)

func describe(t *testing.T, board, lattice, position string) positionReport {
	t.Helper()
	flags := map[string]string{"board": board}
	if lattice != "" {
		flags["lattice"] = lattice
	}
	return puzzletest.Ask(t, &positionQuestion, flags, position).Document.(positionReport)
}

// TestPositionKnown pins what the literature says of the English and the French board.
func TestPositionKnown(t *testing.T) {
	doc := describe(t, "english", "", "center")
	if got := fmt.Sprintln(labels(doc.SinglePegGoals), doc.Classes, doc.Invariants, len(doc.Pegs), *doc.Smallest); got !=
		"[41 14 44 74 47] [12 8 8 4] [{row+column 1} {row-column 1}] 32 --.o./--.../......./......./......./--.../--...\n" {
		t.Error(got)
	}
	doc = describe(t, "french", "", "center")
	for _, c := range doc.Criteria {
		outside := slices.Contains([]string{"rule of three", "lattice", "integer cone"}, c.Criterion)
		if outside != (len(c.Holes) == 0) {
			t.Errorf("french: %+v", c)
		}
	}
	if len(doc.SinglePegGoals) != 0 {
		t.Errorf("french: %+v", doc.SinglePegGoals)
	}
}

// TestPositionAgainstBruteForce compares every position of small boards with games and with sets of pegs. Every
// criterion allows the single pegs that games end on. Jumps lead to and from the neighbours, which have the same
// invariants. No position with fewer pegs than the smallest agrees in all parities.
func TestPositionAgainstBruteForce(t *testing.T) {
	for _, test := range []struct{ lattice, drawing string }{
		{"square", "ooooo"}, {"square", "-o-/ooo/-o-"}, {"square", "ooo/o--/o--"}, {"triangular", "o/oo/ooo"},
	} {
		l, err := peg.ParseLattice(test.lattice)
		if err != nil {
			t.Fatal(err)
		}
		b := pegtest.Drawn(t, l, test.drawing)
		masks := b.Invariants()
		for p := peg.Position(0); p <= b.Full(); p++ {
			doc := describe(t, test.drawing, test.lattice, b.Hex(p))
			ends, allowed := map[string]bool{}, labels(doc.SinglePegGoals)
			for _, layer := range reference.Play(b, p, -1) {
				for q := range layer.Paths {
					if h, ok := q.Only(); ok {
						ends[b.Label(h)] = true
					}
				}
			}
			for h := range ends {
				missing := !slices.Contains(allowed, h)
				for _, c := range doc.Criteria {
					missing = missing || !slices.Contains(c.Holes, h)
				}
				if missing {
					t.Errorf("%s: a game from %b ends on %s: %+v", test.drawing, p, h, doc)
				}
			}
			var smaller []peg.Position
			for q := peg.Position(1); q <= b.Full(); q++ {
				if peg.Parities(masks, q) == peg.Parities(masks, p) {
					smaller = append(smaller, q)
				}
			}
			if len(smaller) == 0 != (doc.Smallest == nil) {
				t.Errorf("%s: smallest of %b is %v", test.drawing, p, doc.Smallest)
			} else if doc.Smallest != nil {
				s, err := peg.ParseGoal(b, *doc.Smallest)
				if err != nil || !slices.Contains(smaller, s) || slices.ContainsFunc(smaller, func(q peg.Position) bool {
					return q.Pegs() < s.Pegs()
				}) {
					t.Errorf("%s: smallest of %b is %b: %v", test.drawing, p, s, err)
				}
			}
			next := reference.Play(b, p, 1)
			if len(next) > 1 && len(next[1].Paths) != len(doc.Successors) || len(next) == 1 && len(doc.Successors) != 0 {
				t.Errorf("%s: %b has successors %v", test.drawing, p, doc.Successors)
			}
			for _, n := range doc.Successors {
				after := describe(t, test.drawing, test.lattice, n.Position)
				if fmt.Sprint(after.Invariants) != fmt.Sprint(doc.Invariants) {
					t.Errorf("%s: %s changes the invariants %v", test.drawing, n.Jump, doc.Invariants)
				}
				if !slices.ContainsFunc(after.Predecessors, func(m neighbour) bool {
					return m.Jump == n.Jump && m.Position == peg.FormatLine(b, p)
				}) {
					t.Errorf("%s: %s leads from %b, and not back", test.drawing, n.Jump, p)
				}
			}
		}
	}
}

// TestPositionOfRun compares the counts with those of games, layer by layer.
func TestPositionOfRun(t *testing.T) {
	r, err := positionQuestion.Request([]string{"start"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Run = runOfSolutions(t)
	b := pegtest.Named(t, "triangle4")
	run, err := solutionsThrough(r.Run)
	if err != nil {
		t.Fatal(err)
	}
	problem := run.Problem()
	layers := reference.Play(b, problem.Start, -1)
	towards := reference.Ways(b, layers, problem.Goal)
	asked := 0
	for i, layer := range layers {
		for q, paths := range layer.Paths {
			r.Args = []string{b.Hex(q)}
			a, err := positionQuestion.Answer(context.Background(), r)
			if err != nil {
				t.Fatal(err)
			}
			c := a.Document.(positionReport).Counts
			n := "0"
			if w := towards[i][q]; w != nil {
				n = w.String()
			}
			if c.Paths == nil || c.Paths.String() != paths.String() || c.Ways == nil || c.Ways.String() != n {
				t.Errorf("%s: %s, want %v paths and %s ways", b.Hex(q), a.Text, paths, n)
			}
			for _, next := range a.Document.(positionReport).Successors {
				if next.Paths == nil || next.Paths.IsZero() {
					t.Errorf("%s: %+v", b.Hex(q), next)
				}
			}
			asked++
		}
	}
	if asked < 50 {
		t.Errorf("%d positions were asked for", asked)
	}
}
