package solve

import (
	"context"
	"testing"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/peg"
)

// TestEnglishVacancies surveys the problems of one vacancy and one final peg on the English board, one of each symmetry
// class. The truth comes from the solver for those that the rule of three allows. It is known that all of them have a
// solution, so the rule of three decides everything, and the table says how much the other criteria see.
func TestEnglishVacancies(t *testing.T) {
	b, err := peg.Named("english")
	if err != nil {
		t.Fatal(err)
	}
	solvable := map[peg.Problem]bool{}
	classes := 0
	for _, class := range peg.PairClasses(b, true) {
		classes++
		p := class[0].Problem(b)
		r, err := Solve(context.Background(), p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Solvable {
			checkGame(t, p, r.Jumps)
		}
		for _, pair := range class {
			solvable[pair.Problem(b)] = r.Solvable
		}
	}
	group := b.Symmetries()
	problems := func(yield func(peg.Problem) bool) {
		seen := map[peg.Pair]bool{}
		for s := range uint8(b.Size()) {
			for g := range uint8(b.Size()) {
				if seen[peg.Pair{Start: s, Goal: g}] {
					continue
				}
				for _, m := range group {
					seen[peg.Pair{Start: m[s], Goal: m[g]}] = true
				}
				if !yield((peg.Pair{Start: s, Goal: g}).Problem(b)) {
					return
				}
			}
		}
	}
	truth := func(p peg.Problem) bool { return solvable[p] }
	survey, err := feasible.New(b).Survey(context.Background(), problems, truth, feasible.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d problems, %d solvable, %d undecided", survey.Problems, survey.Solvable, survey.Undecided)
	for _, row := range survey.Rows {
		t.Logf("%+v", row)
	}
	if classes != 16 || survey.Undecided != 0 {
		t.Errorf("%d classes, %d undecided; want 16 and 0", classes, survey.Undecided)
	}
	for _, row := range survey.Rows {
		if row.Criterion == feasible.RuleOfThree && row.Alone != survey.Problems-survey.Solvable {
			t.Errorf("the rule of three forbids %d of %d", row.Alone, survey.Problems-survey.Solvable)
		}
	}
}
