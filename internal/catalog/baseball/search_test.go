package baseball

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
)

func search(t testing.TB, p Params) *Search {
	t.Helper()
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSearchAgainstReference: the rows of a search are the distances that the reference finds, with windows of every
// size, read from blocks or from the cache.
func TestSearchAgainstReference(t *testing.T) {
	for _, board := range []Board{Ring, Line} {
		for n := 2; n <= 6; n++ {
			if n == 6 && board == Line { // slow, and like 5
				continue
			}
			want := reference(n, board)
			windows := []uint64{0, 1, newOrder(n).ranks() / 5}
			if n == 6 {
				windows = windows[2:]
			}
			for _, window := range windows {
				for _, o := range []puzzletest.Options{{Stored: true}, {Stored: true, Cached: true}} {
					if n == 6 && o.Cached {
						continue
					}
					t.Run(fmt.Sprintf("%v/%d/%d/%v", board, n, window, o.Cached), func(t *testing.T) {
						s := search(t, Params{Bases: n, Board: board, WindowAddresses: window})
						got := map[Configuration]int{}
						o.Each = func(w puzzle.Window, b *puzzle.Block) error {
							return s.each(w.Cell, b, func(c Configuration, distance int) error {
								if _, ok := got[c]; ok {
									return fmt.Errorf("%v is found twice", c)
								}
								got[c] = distance
								return nil
							})
						}
						puzzletest.Play(t, s, o)
						if len(got) != len(want) {
							t.Errorf("%d configurations, want %d", len(got), len(want))
						}
						for c, d := range want {
							if got[c] != d {
								t.Fatalf("%v at distance %d, want %d", c, got[c], d)
							}
						}
					})
				}
			}
		}
	}
}

// known are figures from outside: the source's numbers of configurations and most moves, and the layers of small rings
// and lines that a program in another language found.
var known = []struct {
	bases     int
	board     Board
	all       string
	worst     string
	distances string
}{
	{2, Ring, "4", "3", "1 1 1 1"},
	{3, Ring, "33", "5", "1 2 4 9 10 7"},
	{4, Ring, "480", "14", "1 2 4 8 18 40 69 96 95 76 45 16 7 2 1"},
	{5, Ring, "11010", "18", "1 2 4 8 16 36 76 152 306 568 972 1408 1767 1888 1665 1157 665 281 38"},
	{6, Ring, "367560", "33", "1 2 4 8 16 34 73 144 288 568 1123 2144 3893 6720 11139 17669 26319 36171 44969 49724 " +
		"48982 42643 32338 21228 12049 5752 2285 858 276 104 23 10 2 1"},
	{3, Line, "33", "10", "1 1 2 2 4 3 7 3 6 2 2"},
	{4, Line, "480", "21", "1 1 2 3 5 8 15 20 24 33 42 48 48 50 51 43 31 23 19 9 2 2"},
	{5, Line, "11010", "36", "1 1 2 3 6 9 21 29 58 67 129 141 270 249 439 394 692 536 859 639 1026 680 971 606 877 " +
		"479 595 305 399 177 174 66 74 21 11 2 2"},
}

func TestKnownDistances(t *testing.T) {
	for _, k := range known {
		t.Run(fmt.Sprintf("%v/%d", k.board, k.bases), func(t *testing.T) {
			s := search(t, Params{Bases: k.bases, Board: k.board})
			m := puzzletest.Play(t, s, puzzletest.Options{Stored: true})
			sum, err := s.Summarise(m)
			if err != nil {
				t.Fatal(err)
			}
			if got := puzzletest.Fact(t, s, m, "configurations"); got != k.all {
				t.Errorf("%s configurations, want %s", got, k.all)
			}
			if got := puzzletest.Fact(t, s, m, "worst"); got != k.worst {
				t.Errorf("at most %s moves, want %s", got, k.worst)
			}
			if got := list(sum, "distances"); got != k.distances {
				t.Errorf("distances %s, want %s", got, k.distances)
			}
		})
	}
}

func fact(s puzzle.Summary, name string) puzzle.Fact {
	for _, f := range s.Facts {
		if f.Name == name {
			return f
		}
	}
	return puzzle.Fact{}
}

func list(s puzzle.Summary, name string) string {
	var out []string
	for _, v := range fact(s, name).List {
		out = append(out, v.N.String())
	}
	return strings.Join(out, " ")
}

// TestMethodsOfASearch demands the same figures of a search as of playing the methods from every configuration.
func TestMethodsOfASearch(t *testing.T) {
	for _, board := range []Board{Ring, Line} {
		for n := 2; n <= 5; n++ {
			s := search(t, Params{Bases: n, Board: board, Methods: true, WindowAddresses: 1})
			m := puzzletest.Play(t, s, puzzletest.Options{Stored: true})
			sum, err := s.Summarise(m)
			if err != nil {
				t.Fatal(err)
			}
			all := reference(n, board)
			for method := range methods {
				moves, worst, optimal := 0, 0, 0
				for c, d := range all {
					way, err := method.Play(c, DefaultLimit)
					if err != nil {
						t.Fatal(err)
					}
					moves, worst = moves+len(way), max(worst, len(way))
					if len(way) == d {
						optimal++
					}
				}
				divisor := gcd(moves, len(all))
				want := fmt.Sprintf("%v %d %d/%d %d", method, worst, moves/divisor, len(all)/divisor, optimal)
				f := fact(sum, "methods").Fields[method]
				got := fmt.Sprint(f.Name, " ", f.Fields[0].Value.N, " ", f.Fields[1].Value.S, " ", f.Fields[2].Value.N)
				if got != want {
					t.Errorf("%d bases on the %v: %s, want %s", n, board, got, want)
				}
			}
		}
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// TestWindowsChangeNothing: however a search is cut and handed on, layers have the same tallies.
func TestWindowsChangeNothing(t *testing.T) {
	base := search(t, Params{Bases: 5, Methods: true})
	want := puzzletest.Play(t, base, puzzletest.Options{Stored: true}).Tallies()
	for _, window := range []uint64{1, 100, 500, 1000} {
		s := search(t, Params{Bases: 5, Methods: true, WindowAddresses: window})
		if got := puzzletest.Play(t, s, puzzletest.Options{Stored: true}).Tallies(); !reflect.DeepEqual(got, want) {
			t.Errorf("windows of %d: %v, want %v", window, got, want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, n := range []int{-1, 0, 1, MaxBases + 1} {
		if _, err := New(Params{Bases: n}); !errors.Is(err, ErrBases) {
			t.Errorf("%d bases: %v", n, err)
		}
	}
}

// TestForeignAndMissingWindows: a window of another search is refused, and a missing one is named.
func TestForeignAndMissingWindows(t *testing.T) {
	s := search(t, Params{Bases: 4})
	m := puzzletest.Play(t, s, puzzletest.Options{Stored: true})
	plan := s.planCell(2, 0)
	w := plan.Window(0)
	w.Addresses--
	if _, err := puzzletest.Compute(t.Context(), t, m, s, w, m); err == nil || !strings.Contains(err.Error(), "belong") {
		t.Errorf("a window too short: %v", err)
	}
	gone, err := puzzletest.PlayTo(t, s, puzzletest.Options{Cached: true}, 2)
	if !errors.Is(err, puzzle.ErrMissing) {
		t.Errorf("without rows of two layers before: %v, after %d layers", err, gone.Layers())
	}
}

// TestPlans: every plan names its parents once, and each is a cell of a layer before.
func TestPlans(t *testing.T) {
	for _, board := range []Board{Ring, Line} {
		for n := 2; n <= MaxBases; n++ {
			s := search(t, Params{Bases: n, Board: board})
			for layer := range 2*n + 3 {
				for h := range s.cells {
					if !s.exists(layer, h) {
						continue
					}
					p := s.planCell(layer, h)
					if !puzzle.ValidKey(p.Key) || p.Cuts[0] != 0 || p.MemoryBytes == 0 || p.MemoryBytes > 1<<30 {
						t.Errorf("%d bases on the %v: cell %v", n, board, p)
					}
					seen := map[puzzle.Cell]bool{}
					for _, c := range p.Parents {
						if seen[c] || c.Layer >= layer || c.Layer < 0 {
							t.Errorf("%d bases on the %v: %v reads %v", n, board, p.Cell, c)
						}
						seen[c] = true
					}
					if layer > 0 && len(seen) == 0 {
						t.Errorf("%d bases on the %v: %v reads nothing", n, board, p.Cell)
					}
				}
			}
		}
	}
}
