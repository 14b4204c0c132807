package survey

import (
	"context"
	"errors"
	"math/bits"
	"testing"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/catalog/solitaire/feasible/feasibletest"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/peg/reference"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/uint128"
)

// survey carries out a survey in memory.
func survey(t testing.TB, p Params) ([]Result, Result) {
	t.Helper()
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	m := puzzletest.New(puzzletest.Options{})
	if err := m.Play(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	list, total, err := s.Results(m)
	if err != nil {
		t.Fatal(err)
	}
	return list, total
}

func TestRank(t *testing.T) {
	const n = 13
	for k := 1; k <= n; k++ {
		r := uint64(0)
		for p := peg.Position(0); p < 1<<n; p++ {
			if p.Pegs() != k {
				continue
			}
			if rank(p) != r || unrank(r, n, k) != p {
				t.Fatalf("%s has rank %d and %d gives %s", peg.Hex(p), rank(p), r, peg.Hex(unrank(r, n, k)))
			}
			if r++; r < choose(n, k) && next(p) != unrank(r, n, k) {
				t.Fatalf("after %s comes %s", peg.Hex(p), peg.Hex(next(p)))
			}
		}
		if r != choose(n, k) {
			t.Fatalf("%d of %d: %d, want %d", k, n, choose(n, k), r)
		}
	}
	high := peg.Position(3) << 62
	if rank(high) != choose(64, 2)-1 || unrank(choose(64, 2)-1, 64, 2) != high {
		t.Errorf("the largest pair of 64: %d", rank(high))
	}
}

// TestPositions compares a survey of all pairs with the one of package feasible, which visits every pair by itself, and
// takes the truth from another table.
func TestPositions(t *testing.T) {
	for _, c := range []struct {
		lattice peg.Lattice
		drawing string
	}{
		{peg.Square, "oooooooo"}, {peg.Square, "ooo/ooo/ooo"}, {peg.Square, "--o/--o/ooooo/--o"},
		{peg.Triangular, "o/oo/ooo"},
		{peg.Square, "-o-/ooo/-o-"},
	} {
		b := pegtest.Drawn(t, c.lattice, c.drawing)
		truth, err := feasibletest.Truth(b)
		if err != nil {
			t.Fatal(err)
		}
		want, err := feasible.New(b).Survey(context.Background(), feasibletest.AllPairs(b), truth, feasible.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, window := range []uint64{0, 7} {
			_, got := survey(t, Params{Board: b, Kind: Positions, WindowAddresses: window})
			if got.Problems != uint128.From(uint64(want.Problems)) || got.Solvable != uint128.From(uint64(want.Solvable)) ||
				got.Open != uint128.From(uint64(want.Undecided)) {
				t.Errorf("%s: %v problems, %v solvable, %v open; want %d, %d, %d", c.drawing, got.Problems, got.Solvable,
					got.Open, want.Problems, want.Solvable, want.Undecided)
			}
			for i, row := range want.Rows {
				if got.Forbids[i] != uint128.From(uint64(row.First)) {
					t.Errorf("%s: %s forbids %v, want %d", c.drawing, row.Criterion, got.Forbids[i], row.First)
				}
			}
		}
	}
}

// TestOnePeg compares with games that the slow reference plays from every position.
func TestOnePeg(t *testing.T) {
	for _, b := range []*peg.Board{
		pegtest.Drawn(t, peg.Square, "ooo/ooo/ooo"), pegtest.Drawn(t, peg.Triangular, "o/oo/ooo/oooo"),
	} {
		list, total := survey(t, Params{Board: b, Kind: OnePeg})
		solvable := map[int]uint64{}
		all := uint64(0)
		for start := peg.Position(1); start <= b.Full(); start++ {
			ends := map[peg.Position]bool{}
			for _, layer := range reference.Play(b, start, -1) {
				for q := range layer.Paths {
					ends[q] = true
				}
			}
			for hole := range b.Size() {
				if ends[1<<hole] && start.Pegs() > 1 {
					solvable[start.Pegs()]++
					all++
				}
			}
		}
		if total.Solvable != uint128.From(all) {
			t.Errorf("%v solvable, want %d", total.Solvable, all)
		}
		for _, r := range list {
			if r.Solvable != uint128.From(solvable[r.Pegs]) ||
				r.Problems != uint128.From(choose(b.Size(), r.Pegs)*uint64(b.Size())) {
				t.Errorf("%d pegs: %v of %v solvable, want %d", r.Pegs, r.Solvable, r.Problems, solvable[r.Pegs])
			}
		}
	}
}

// TestKindsAgree: two kinds of survey agree on the problems that both count.
func TestKindsAgree(t *testing.T) {
	b := pegtest.Drawn(t, peg.Square, "oooo/oooo/oooo")
	one, _ := survey(t, Params{Board: b, Kind: OnePeg})
	_, vacancies := survey(t, Params{Board: b, Kind: Vacancies})
	last := one[len(one)-2] // all but one hole filled
	if last.Problems != vacancies.Problems || last.Solvable != vacancies.Solvable || last.Open != vacancies.Open {
		t.Errorf("%+v and %+v", last, vacancies)
	}
	fewer, _ := survey(t, Params{Board: b, Kind: OnePeg, MostPegs: 5})
	if len(fewer) != 4 {
		t.Fatalf("%d numbers of pegs, want 2 to 5", len(fewer))
	}
	for i := range fewer {
		if fewer[i].Open != one[i].Open || fewer[i].Solvable != one[i].Solvable {
			t.Errorf("%d pegs: %+v and %+v", i+2, fewer[i], one[i])
		}
	}
}

// TestSolver compares the truth from the solver with that from the lists.
func TestSolver(t *testing.T) {
	b := pegtest.Named(t, "triangle5")
	s, err := New(Params{Board: b, Kind: Vacancies})
	if err != nil {
		t.Fatal(err)
	}
	without, err := New(Params{Board: b, Kind: Vacancies})
	if err != nil {
		t.Fatal(err)
	}
	without.truth = nil
	for address := range uint64(b.Size() * b.Size()) {
		p, orbit := s.vacancy(address)
		if orbit == 0 {
			continue
		}
		want, ok1, err1 := s.solvable(t.Context(), p, false)
		got, ok2, err2 := without.solvable(t.Context(), p, false)
		if err1 != nil || err2 != nil || !ok1 || !ok2 || got != want {
			t.Errorf("%s to %s: %v %v %v, want %v %v %v", peg.Hex(p.Start), peg.Hex(p.Goal), got, ok2, err2, want, ok1, err1)
		}
	}
}

// TestEnglish pins a part of the survey of the English board that takes no second, and its symmetry: by the complement
// the starts of two pegs are the goals of 31.
func TestEnglish(t *testing.T) {
	list, _ := survey(t, Params{Board: pegtest.Named(t, "english"), Kind: OnePeg, MostPegs: 3})
	if n := list[0].Solvable; n != uint128.From(76) { // one for each jump
		t.Errorf("%v problems of two pegs can be solved, want one for each of the 76 jumps", n)
	}
	for _, r := range list {
		if r.Problems != uint128.From(33*choose(33, r.Pegs)) {
			t.Errorf("%d pegs: %v problems", r.Pegs, r.Problems)
		}
	}
}

// TestRows: the rows of a survey sum to its tally, and stand for all starts.
func TestRows(t *testing.T) {
	b := pegtest.Drawn(t, peg.Square, "ooo/ooo/ooo")
	for _, kind := range []Kind{OnePeg, Positions, Vacancies} {
		s, err := New(Params{Board: b, Kind: kind, WindowAddresses: 10})
		if err != nil {
			t.Fatal(err)
		}
		m := puzzletest.New(puzzletest.Options{Stored: true})
		if err := m.Play(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		_, total, err := s.Results(m)
		if err != nil {
			t.Fatal(err)
		}
		var starts, problems, solvable, open uint64
		for _, c := range s.cells {
			windows, err := m.Windows(s.cell(c))
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range windows {
				err := m.Blocks(t.Context(), w, w.First, w.Addresses, func(block *puzzle.Block) error {
					return s.ExportRows(w.Cell, block, func(row []puzzle.Value) error {
						n := row[len(row)-columns:]
						starts += n[0].N.Lo
						problems += n[0].N.Lo * n[1].N.Lo
						solvable += n[0].N.Lo * n[2].N.Lo
						open += n[0].N.Lo * n[3].N.Lo
						if len(row) != len(s.RowColumns()) {
							t.Errorf("%d columns, want %d", len(row), len(s.RowColumns()))
						}
						return nil
					})
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		want := uint64(1<<b.Size() - 1 - b.Size())
		if kind == Vacancies {
			want = uint64(b.Size() * b.Size())
		}
		if starts != want || uint128.From(problems) != total.Problems || uint128.From(solvable) != total.Solvable ||
			uint128.From(open) != total.Open {
			t.Errorf("%s: rows of %d starts, %d problems, %d solvable, %d open; the tally is %+v", kind, starts, problems,
				solvable, open, total)
		}
	}
}

// TestWrongTruth: a criterion that forbids a problem with a game ends the survey.
func TestWrongTruth(t *testing.T) {
	b := pegtest.Named(t, "square5")
	s, err := New(Params{Board: b, Kind: OnePeg, MostPegs: 2})
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.onePeg(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	list[0] = 1 << (bits.Len64(uint64(b.Full())) - 1)
	if err := puzzletest.New(puzzletest.Options{}).Play(t.Context(), s); err == nil {
		t.Error("a survey with a wrong truth is complete")
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		params Params
		want   error
	}{
		{Params{Board: pegtest.Named(t, "square5"), Kind: Positions}, ErrTooLarge},
		{Params{Board: pegtest.Named(t, "english"), Kind: OnePeg}, ErrTooLarge},
		{Params{Board: pegtest.Named(t, "square5"), Kind: OnePeg, WindowAddresses: 1}, ErrWindowAddresses},
	} {
		if _, err := New(c.params); !errors.Is(err, c.want) {
			t.Errorf("%s %s: %v", c.params.Board.Name, c.params.Kind, err)
		}
	}
	if _, err := New(Params{Board: pegtest.Named(t, "hexagon61"), Kind: Vacancies}); err != nil {
		t.Error(err)
	}
}
