package solve

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
)

// TestTwin: problems that a symmetry maps to themselves played backwards are decided by half a search as by a whole
// one, and as by trying all games; with budgets for which the layers meet, and for which beams have to.
func TestTwin(t *testing.T) {
	twins := map[bool]int{}
	for _, board := range []string{"triangle5", "square5", "hexagon19"} {
		b := pegtest.Named(t, board)
		for start := range b.Size() {
			for goal := range b.Size() {
				p := peg.Problem{Board: b, Start: b.Complement(1 << start), Goal: 1 << goal}
				if newSearch(p, feasible.New(b), 1<<20).twin == nil || start > 4 {
					continue
				}
				if _, forbidden := p.Forbidden(); forbidden {
					continue
				}
				want := board != "square5" && hasGame(p) // there a game is found by both or by none
				for i, budgets := range [][]budget{{{1 << 22, 1}}, {{500, 400}, {1 << 22, 1}}} {
					var found [2]bool
					for k := range found {
						s := newSearch(p, feasible.New(b), 1<<23)
						s.budgets = budgets
						if k > 0 {
							s.twin = nil
							s.sides[1].exact = [][]peg.Position{{s.sides[1].start}}
						}
						game, err := s.run(context.Background(), len(budgets))
						if err != nil {
							t.Fatal(err)
						}
						if found[k] = game != nil; found[k] {
							checkGame(t, p, game)
						}
					}
					if found[0] != found[1] || board != "square5" && found[0] != want {
						t.Errorf("%s, %s to %s, budgets %d: %v and %v", board, b.Label(start), b.Label(goal), i, found[0], found[1])
					}
					twins[found[0]]++
				}
			}
		}
	}
	if twins[true] == 0 || twins[false] == 0 {
		t.Errorf("with a game and without: %v", twins)
	}
}

// TestMerge: merged layers are the same as sorted ones.
func TestMerge(t *testing.T) {
	b := pegtest.Named(t, "english")
	rapid.Check(t, func(t *rapid.T) {
		p := peg.Problem{Board: b, Start: pegtest.Position(b).Draw(t, "start"), Goal: 1 << 7}
		s := newSearch(p, feasible.New(b), 1<<20)
		s.group = nil
		layer := rapid.SliceOfN(pegtest.Position(b), 0, 60).Draw(t, "layer")
		slices.Sort(layer)
		layer = slices.Compact(layer)
		d := s.sides[0]
		d.prunings = []pruning{{newWeighing([]int32{1, 1, 1, 1, 1, 1, 1, 1}), 2}}
		want, err1 := s.next(context.Background(), d, layer)
		got, err2 := s.merge(context.Background(), d, layer)
		if err1 != nil || err2 != nil || !slices.Equal(got, want) {
			t.Fatalf("%d positions, %v, want %d, %v", len(got), err2, len(want), err1)
		}
	})
}
