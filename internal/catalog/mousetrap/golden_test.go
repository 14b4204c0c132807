package mousetrap

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/uint128"
)

// golden reads lines "n value" of a file of testdata; # begins a comment.
func golden(t *testing.T, name string) map[int]string {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	lines := map[int]string{}
	for in := bufio.NewScanner(f); in.Scan(); {
		key, value, ok := strings.Cut(in.Text(), " ")
		n, err := strconv.Atoi(key)
		if strings.HasPrefix(key, "#") {
			continue
		}
		if !ok || err != nil {
			t.Fatalf("%s: line %q", name, in.Text())
		}
		lines[n] = value
	}
	return lines
}

// largest is the largest deck that is surveyed in tests.
func largest() int {
	if testing.Short() {
		return 9
	}
	return 12
}

func TestGoldenWinning(t *testing.T) {
	want := golden(t, "winning.txt")
	most := largest()
	if !testing.Short() {
		most = 13
	}
	for n := 1; n <= most; n++ {
		s := summary(t, Params{Rules: Rules{Cards: n}, Count: Winning})
		if got := fact(t, &s, "winning"); got != want[n] {
			t.Errorf("%d cards: %s decks win, want %s", n, got, want[n])
		}
	}
}

func TestGoldenHits(t *testing.T) {
	rows, winning := golden(t, "hits.txt"), golden(t, "winning.txt")
	for n, row := range rows {
		values := strings.Fields(row)
		if len(values) != n+1 {
			t.Fatalf("row %d: %s", n, row)
		}
		decks, sum := 1, 0
		for k, value := range values {
			count, err := strconv.Atoi(value)
			if err != nil {
				t.Fatalf("row %d: %v", n, err)
			}
			decks, sum = decks*max(k, 1), sum+count
		}
		if sum != decks {
			t.Errorf("%d cards: the row adds up to %d of %d decks", n, sum, decks)
		}
		if n >= 2 && values[n-1] != "0" {
			t.Errorf("%d cards: %s decks have all hits but one", n, values[n-1])
		}
		if values[n] != winning[n] {
			t.Errorf("%d cards: %s decks win, and %s in the row", n, winning[n], values[n])
		}
		if n <= largest() {
			s := summary(t, Params{Rules: Rules{Cards: n}, Count: Hits})
			if got := fact(t, &s, "hits"); got != "["+row+"]" {
				t.Errorf("%d cards: %s, want %s", n, got, row)
			}
		}
	}
}

// TestGoldenModular checks rows of the modular game; with a prime number of cards there are no hits, or all.
func TestGoldenModular(t *testing.T) {
	for n, row := range golden(t, "modular.txt") {
		values := strings.Fields(row)
		if n == 2 || n == 3 || n == 5 || n == 7 || n == 11 || n == 13 {
			for k, v := range values[1:n] {
				if v != "0" {
					t.Errorf("%d cards: %s decks have %d hits", n, v, k+1)
				}
			}
		}
		if n <= min(largest(), 10) || n == 11 || n == 13 {
			s := summary(t, Params{Rules: Rules{Cards: n, Modular: true}, Count: Hits})
			if got := fact(t, &s, "hits"); got != "["+row+"]" {
				t.Errorf("%d cards: %s, want %s", n, got, row)
			}
		}
	}
}

func TestGoldenReformed(t *testing.T) {
	winning := golden(t, "winning.txt")
	for n, want := range golden(t, "reformed.txt") {
		decks := 0
		for _, count := range strings.FieldsFunc(want, func(r rune) bool { return strings.ContainsRune("[] ", r) }) {
			_, value, ok := strings.Cut(count, ":")
			if !ok {
				value = count // those reformed for ever
			}
			k, err := strconv.Atoi(value)
			if err != nil {
				t.Fatalf("%d cards: %s: %v", n, want, err)
			}
			decks += k
		}
		if strconv.Itoa(decks) != winning[n] {
			t.Errorf("%d cards: %d decks in %s, and %s win", n, decks, want, winning[n])
		}
		if n > largest() {
			continue
		}
		s := summary(t, Params{Rules: Rules{Cards: n}, Count: Reforms})
		if got := fact(t, &s, "reformed") + " " + fact(t, &s, "forever"); got != want {
			t.Errorf("%d cards: %s, want %s", n, got, want)
		}
	}
	s := summary(t, Params{Rules: Rules{Cards: 6}, Count: Reforms})
	if got := fact(t, &s, "most_reformed"); got != "1 6 5 3 4 2" {
		t.Errorf("6 cards: %s is reformed most often", got)
	}
	s = summary(t, Params{Rules: Rules{Cards: 5}, Count: Reforms})
	if got := fact(t, &s, "most_reformed"); got != "2 5 1 4 3" {
		t.Errorf("5 cards: %s is reformed most often", got)
	}
	s = summary(t, Params{Rules: Rules{Cards: 2}, Count: Reforms})
	if got := fact(t, &s, "forever_deck"); got != "1 2" {
		t.Errorf("2 cards: %s reforms for ever", got)
	}
}

// TestWindowsChangeNothing cuts a survey in other ways.
func TestWindowsChangeNothing(t *testing.T) {
	for _, count := range []Count{Hits, Winning, Reforms} {
		p := Params{Rules: Rules{Cards: 9}, Count: count}
		want := summary(t, p)
		for _, addresses := range []uint64{1, 5, 7} {
			p.WindowAddresses = addresses
			s, err := New(p)
			if err != nil {
				t.Fatal(err)
			}
			plans, err := s.Layer(0, nil)
			if err != nil || uint64(plans[0].Windows()) != (binomial(9, s.p.Rest)+addresses-1)/addresses {
				t.Errorf("%s: %d windows of %d addresses, %v", count, plans[0].Windows(), addresses, err)
			}
			if got := summary(t, p); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s in windows of %d: %v, want %v", count, addresses, got, want)
			}
		}
	}
}

// TestNamesAreUnique looks for facts and tables with one name, which a JSON document cannot have.
func TestNamesAreUnique(t *testing.T) {
	for _, count := range []Count{Hits, Winning, Reforms} {
		s := summary(t, Params{Rules: Rules{Cards: 6}, Count: count})
		seen := map[string]bool{"run": true, "puzzle": true}
		for _, f := range s.Facts {
			if seen[f.Name] {
				t.Errorf("%s: two are named %s", count, f.Name)
			}
			seen[f.Name] = true
		}
		for _, table := range s.Tables {
			if seen[table.Name] {
				t.Errorf("%s: two are named %s", count, table.Name)
			}
			seen[table.Name] = true
		}
	}
}

// TestSummaryOfAnUnfinishedRun demands the parameters of the run in the summary, and no other fact.
func TestSummaryOfAnUnfinishedRun(t *testing.T) {
	s, err := New(Params{Rules: Rules{Cards: 5}, Count: Hits})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := s.Summarise(puzzletest.New(puzzletest.Options{}))
	if err != nil || len(sum.Facts) != 3 || fact(t, &sum, "cards") != "5" {
		t.Errorf("%v %v", sum, err)
	}
}

// TestSummaryRefusesWrongSums changes a sum of a finished run.
func TestSummaryRefusesWrongSums(t *testing.T) {
	s, err := New(Params{Rules: Rules{Cards: 6}, Count: Hits})
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]uint64{"at_least.01": 1, "at_least.02": 1, "hits.05": 1, "hits.06": 1 << 20} {
		tally, _ := puzzletest.Play(t, s, puzzletest.Options{}).Layer(0)
		wrong := puzzle.Tally{Maxima: tally.Maxima}
		for _, v := range tally.Sums {
			if v.Name == name {
				v.Value = uint128.From(value)
			}
			if err := wrong.AddSum(v.Name, v.Value); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.row(&wrong); err == nil {
			t.Errorf("%s is %d, and the row is believed", name, value)
		}
	}
}

// stopAfter is a context that is cancelled when it has been asked so often.
type stopAfter struct {
	context.Context
	looks int
}

func (c *stopAfter) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// TestComputeLooksAtItsContext cancels in the middle of the only address of a window.
func TestComputeLooksAtItsContext(t *testing.T) {
	for _, p := range []Params{
		{Rules: Rules{Cards: 11}, Count: Winning, Rest: 1},
		{Rules: Rules{Cards: 11}, Count: Winning, Rest: 11},
		{Rules: Rules{Cards: 11}, Count: Reforms, Rest: 1},
		{Rules: Rules{Cards: 12, Modular: true}, Count: Hits, Rest: 2},
	} {
		s, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		plan := s.plan(p.Rest)
		w := plan.Window(0)
		w.Addresses = 1
		if _, err := s.Compute(&stopAfter{context.Background(), 2}, w, nil, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

func TestComputeRefusesForeignWindows(t *testing.T) {
	s, err := New(Params{Rules: Rules{Cards: 6}, Count: Winning})
	if err != nil {
		t.Fatal(err)
	}
	plan := s.plan(s.p.Rest)
	good := plan.Window(0)
	for _, change := range []func(*puzzle.Window){
		func(w *puzzle.Window) { w.Key = "hits-09" },
		func(w *puzzle.Window) { w.Layer = 1 },
		func(w *puzzle.Window) { w.Addresses = 0 },
		func(w *puzzle.Window) { w.Addresses = 21 },
		func(w *puzzle.Window) { w.First = 20 },
	} {
		w := good
		change(&w)
		if _, err := s.Compute(context.Background(), w, nil, nil); err == nil {
			t.Errorf("window %+v is computed", w)
		}
	}
}
