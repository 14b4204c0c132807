package mousetrap

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/setting"
)

// build makes a puzzle from settings as a config gives them.
func build(given map[string]string) (puzzle.Puzzle, error) {
	window := setting.Setting{Name: "window_addresses", Kind: setting.Integer, Default: "4194304", Max: 1 << 40}
	v, err := setting.NewSet(append([]setting.Setting{window}, Definition.Settings...), given)
	if err != nil {
		return nil, err
	}
	return Definition.New(v)
}

func TestDefinitionErrors(t *testing.T) {
	for _, c := range []struct {
		given      map[string]string
		name, want string
	}{
		{map[string]string{"cards": "23"}, "cards", "between 1 and 22"},
		{map[string]string{"cards": "0"}, "cards", "between 1 and 22"},
		{map[string]string{"cards": "19", "count": "hits"}, "cards", "1 to 18 cards"},
		{map[string]string{"cards": "17", "variant": "modular"}, "cards", "1 to 16 cards"},
		{map[string]string{"cards": "5", "variant": "round"}, "variant", "plain or modular"},
		{map[string]string{"cards": "5", "count": "all"}, "count", "hits, winning or reformed"},
		{map[string]string{"cards": "20", "window_addresses": "1"}, "window_addresses", "choose 3 or more"},
	} {
		_, err := build(c.given)
		var e *setting.Error
		if !errors.As(err, &e) || e.Setting != c.name || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want %s: %s", c.given, err, c.name, c.want)
		}
	}
}

// ask asks a question without a run, or about one.
func ask(q puzzle.Question, run puzzle.RunView, flags map[string]string, args ...string) (*puzzle.Answer, error) {
	v, err := setting.NewSet(q.Flags, flags)
	if err != nil {
		return nil, err
	}
	return q.Answer(context.Background(), puzzle.Request{Args: args, Flags: v, Run: run})
}

func TestPlayQuestion(t *testing.T) {
	a, err := ask(playQuestion, puzzle.RunView{}, nil, "4", "2", "3", "5", "1")
	if err != nil {
		t.Fatal(err)
	}
	want := `hit 1     1:4 2:2 leaves; 3 5 1 4 are left
hit 2     1:3 2:5 3:1 4:4 leaves; 3 5 1 are left
hit 3     1:3 2:5 3:1 4:3 5:5 leaves; 1 3 are left
hit 4     1:1 leaves; 3 is left
hit 5     1:3 2:3 3:3 leaves; no card is left
order     2 4 5 1 3
result    wins, and is 1-reformed
`
	if a.Text != want {
		t.Errorf("%s\nwant\n%s", a.Text, want)
	}
	if p := a.Summary.Problem.Lines; len(p) != 1 || p[0].Text != "4 2 3 5 1, 5 cards, plain game" {
		t.Errorf("it is understood as %v", p)
	}
	for name, value := range map[string]string{
		"deck": "[4 2 3 5 1]", "hits": "5", "order": "[2 4 5 1 3]", "left": "[]", "reformed": "1", "variant": "plain",
	} {
		if got := fact(t, &a.Summary, name); got != value {
			t.Errorf("%s: %s, want %s", name, got, value)
		}
	}
	a, err = ask(playQuestion, puzzle.RunView{}, nil, "4,2,5,3,1")
	if err != nil || !strings.Contains(a.Text, "no hit    1:5 2:3 3:1 4:5 5:3\n") ||
		!strings.Contains(a.Text, "loses: 2 of 5 cards are hit") {
		t.Errorf("%v %v", a, err)
	}
	a, err = ask(playQuestion, puzzle.RunView{}, map[string]string{"variant": "modular"}, "4 2 5 3 1")
	if err != nil || fact(t, &a.Summary, "order") != "[2 4 1 5 3]" {
		t.Errorf("%v %v", a, err)
	}
	a, err = ask(playQuestion, puzzle.RunView{}, nil, "1", "2")
	if err != nil || fact(t, &a.Summary, "reformed") != "forever" {
		t.Errorf("%v %v", a, err)
	}
}

func TestQuestionErrors(t *testing.T) {
	for _, c := range []struct {
		question   puzzle.Question
		arg        string
		name, want string
	}{
		{playQuestion, "1 2 2", "CARD", "cards 2 and 3 are both 2"},
		{inOrderQuestion, "0", "N", "between 1 and 1000000"},
		{inOrderQuestion, "ten", "N", `"ten" is not a whole number`},
		{sharesQuestion, "13", "N", "between 1 and 12"},
	} {
		_, err := ask(c.question, puzzle.RunView{}, nil, c.arg)
		var e *setting.Error
		if !errors.As(err, &e) || e.Setting != c.name || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %s: %s", c.question.Name, c.arg, err, c.name, c.want)
		}
	}
}

func TestInOrderQuestion(t *testing.T) {
	a, err := ask(inOrderQuestion, puzzle.RunView{}, nil, "8")
	if err != nil || a.Text != "1 6 2 4 5 3 7 8\n" || fact(t, &a.Summary, "deck") != "[1 6 2 4 5 3 7 8]" {
		t.Errorf("%v %v", a, err)
	}
}

func TestSharesQuestion(t *testing.T) {
	a, err := ask(sharesQuestion, puzzle.RunView{}, nil, "4")
	if err != nil {
		t.Fatal(err)
	}
	chart := a.Figures[0].Chart
	if len(chart.Series) != 5 || chart.Series[3].Name != "4 cards" || chart.Series[4].Name != "limit" {
		t.Fatalf("%+v", chart)
	}
	var shares []string
	for _, p := range chart.Series[3].Points {
		shares = append(shares, p.Exact)
	}
	// 9, 6, 3, 0 and 6 of 24 decks.
	if got := strings.Join(shares, " "); got != "3/8 1/4 1/8 0/1 1/4" {
		t.Errorf("shares of 4 cards: %s", got)
	}
	rows := a.Summary.Tables[0].Rows
	if last := rows[len(rows)-1]; len(rows) != 2+3+4+5 || last[2].N.Lo != 6 || last[3].S != "1/4" ||
		last[4].S != "0.250000" {
		t.Errorf("%d rows, the last %v", len(rows), last)
	}
}

// TestDecksQuestion compares the decks listed with those found by playing all.
func TestDecksQuestion(t *testing.T) {
	p, err := build(map[string]string{"cards": "7", "count": "reformed"})
	if err != nil {
		t.Fatal(err)
	}
	run := puzzle.RunView{Puzzle: p, Results: puzzletest.Play(t, p, puzzletest.Options{})}
	list := func(flags map[string]string) []string {
		a, err := ask(decksQuestion, run, flags)
		if err != nil {
			t.Fatal(err)
		}
		var decks []string
		if err := a.Stream.Each(context.Background(), func(row []puzzle.Value) error {
			decks = append(decks, row[0].S+" > "+row[1].S)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		slices.Sort(decks)
		return decks
	}
	var all, twice []string
	permutations(7, func(deck []int) {
		order, left := slowGame(deck, false)
		if len(left) > 0 {
			return
		}
		line := FormatDeck(deck) + " > " + FormatDeck(order)
		all = append(all, line)
		if slowReform(deck, false) == 2 {
			twice = append(twice, line)
		}
	})
	if got := list(nil); !slices.Equal(got, all) || len(all) != 330 {
		t.Errorf("%d decks, want %d", len(got), len(all))
	}
	if got := list(map[string]string{"reformed": "2"}); !slices.Equal(got, twice) || len(twice) != 14 {
		t.Errorf("2-reformed: %q, want %q", got, twice)
	}
	// A second list counts anew, also in the same worker.
	if got := list(map[string]string{"reformed": "2"}); !slices.Equal(got, twice) {
		t.Errorf("2-reformed once more: %q, want %q", got, twice)
	}
	stop := errors.New("stop")
	a, err := ask(decksQuestion, run, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Stream.Each(context.Background(), func([]puzzle.Value) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the error of emit is lost: %v", err)
	}
	// In the modular game all but the derangements win.
	run.Puzzle, err = build(map[string]string{"cards": "7", "variant": "modular"})
	if err != nil {
		t.Fatal(err)
	}
	run.Results = puzzletest.Play(t, run.Puzzle, puzzletest.Options{})
	if got := list(nil); len(got) != 5040-1854 || len(slices.Compact(got)) != 5040-1854 {
		t.Errorf("%d decks win the modular game of 7 cards", len(got))
	}
	run.Puzzle, _ = build(map[string]string{"cards": "7", "count": "hits"})
	if _, err := ask(decksQuestion, run, nil); !errors.Is(err, puzzle.ErrNotAsked) {
		t.Errorf("decks of a run that counts hits: %v", err)
	}
}
