package mousetrap

import (
	"fmt"
	"slices"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
)

// summary surveys decks in memory.
func summary(t puzzletest.TB, p Params) puzzle.Summary {
	t.Helper()
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := s.Summarise(puzzletest.Play(t, s, puzzletest.Options{}))
	if err != nil {
		t.Fatalf("%+v: %v", p, err)
	}
	return sum
}

// fact writes a fact of a summary.
func fact(t puzzletest.TB, s *puzzle.Summary, name string) string {
	t.Helper()
	for _, f := range s.Facts {
		if f.Name != name {
			continue
		}
		switch {
		case f.List != nil:
			var list []string
			for _, v := range f.List {
				list = append(list, v.N.String())
			}
			return fmt.Sprint(list)
		case f.Map != nil:
			var list []string
			for _, e := range f.Map {
				list = append(list, e.Key+":"+e.Value.String())
			}
			return fmt.Sprint(list)
		case f.Kind == puzzle.Text:
			return f.Value.S
		default:
			return f.Value.N.String()
		}
	}
	t.Fatalf("the summary does not say %s", name)
	return ""
}

// TestSurveysAgainstReference compares every count of every size that can be played out, for every place to cut games.
func TestSurveysAgainstReference(t *testing.T) {
	largest := 8
	if testing.Short() {
		largest = 7
	}
	for _, isModular := range []bool{false, true} {
		for n := 1; n <= largest; n++ {
			hits, times, forever := make([]int, n+1), map[int]int{}, 0
			firsts := map[int][]int{} // the first deck for each k, -1 for ever
			permutations(n, func(deck []int) {
				removed, left := slowGame(deck, isModular)
				hits[len(removed)]++
				if len(left) > 0 {
					return
				}
				k := slowReform(deck, isModular)
				if k < 0 {
					forever++
				} else {
					times[k]++
				}
				if firsts[k] == nil || slices.Compare(deck, firsts[k]) < 0 {
					firsts[k] = slices.Clone(deck)
				}
			})
			var list []string
			for k := 1; k <= 100; k++ {
				if times[k] > 0 {
					list = append(list, fmt.Sprintf("%d:%d", k, times[k]))
				}
			}
			for rest := 1; rest <= n; rest++ {
				p := Params{Rules: Rules{Cards: n, Modular: isModular}, Count: Hits, Rest: rest}
				s := summary(t, p)
				if got := fact(t, &s, "hits"); got != fmt.Sprint(hits) {
					t.Errorf("%+v: hits %s, want %v", p, got, hits)
				}
				p.Count = Winning
				s = summary(t, p)
				if got := fact(t, &s, "winning"); got != fmt.Sprint(hits[n]) {
					t.Errorf("%+v: winning %s, want %d", p, got, hits[n])
				}
				p.Count = Reforms
				s = summary(t, p)
				if got := fact(t, &s, "reformed"); got != fmt.Sprint(list) {
					t.Errorf("%+v: reformed %s, want %v", p, got, list)
				}
				if got := fact(t, &s, "forever"); got != fmt.Sprint(forever) {
					t.Errorf("%+v: forever %s, want %d", p, got, forever)
				}
				if forever > 0 && fact(t, &s, "forever_deck") != FormatDeck(firsts[-1]) {
					t.Errorf("%+v: the first deck for ever %s, want %v", p, fact(t, &s, "forever_deck"), firsts[-1])
				}
				for _, row := range s.Tables[0].Rows {
					k := int(row[0].N.Lo)
					if got := row[2].S; got != FormatDeck(firsts[k]) {
						t.Errorf("%+v: the first %d-reformed deck %s, want %v", p, k, got, firsts[k])
					}
				}
			}
		}
	}
}
