package baseball

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/puzzletest"
)

// A hand plays the first method as the source tells it, and keeps an eye on the token that it has taken.
type hand struct{ known map[string]costsByHand }

// costsByHand are the fewest and the most moves, and the mean when each choice is made at random.
type costsByHand struct {
	least, most int
	mean        *big.Rat
}

// taken marks the token that the hand has taken: its colour plus taken.
const taken = 100

func (h *hand) costs(bases [][]int) costsByHand {
	key := fmt.Sprint(bases)
	if v, ok := h.known[key]; ok {
		return v
	}
	after, moves := h.play(bases)
	c := costsByHand{mean: new(big.Rat)}
	for i, b := range after {
		n := h.costs(b)
		if i == 0 || n.least+moves < c.least {
			c.least = n.least + moves
		}
		c.most = max(c.most, n.most+moves)
		c.mean.Add(c.mean, new(big.Rat).Quo(n.mean, big.NewRat(int64(len(after)), 1)))
	}
	c.mean.Add(c.mean, big.NewRat(int64(moves), 1))
	h.known[key] = c
	return c
}

// play returns the positions that can be next, one for each token that may move, and the moves to them: 1, or 0 where
// the hand takes a token.
func (h *hand) play(bases [][]int) (after [][][]int, moves int) {
	find := func(token int) int {
		return slices.IndexFunc(bases, func(b []int) bool { return slices.Contains(b, token) })
	}
	// Which base is to be filled, and is a token on its way already?
	d, token := -1, -1
	for i, b := range bases {
		if slices.ContainsFunc(b, func(t int) bool { return t != i && (i > 0 || t != -1) }) ||
			i > 0 && slices.Contains(b, -1) {
			d = i
		}
		for _, t := range b {
			if t >= taken {
				token = t
			}
		}
	}
	if d < 0 {
		return nil, 0
	}
	if token < 0 { // take the rightmost token of colour d that is not in d
		token = taken + d
		for j := len(bases) - 1; ; j-- {
			if k := slices.Index(bases[j], d); k >= 0 && j != d {
				return [][][]int{change(bases, j, d, token)}, 0
			}
		}
	}
	at, hole := find(token), find(-1)
	if hole == at+1 {
		b := swapTokens(bases, at, token, hole)
		if hole == d {
			b = change(b, d, token, d)
		}
		return [][][]int{b}, 1
	}
	next := hole + 1
	if hole > at+1 {
		next = hole - 1
	}
	for _, t := range bases[next] {
		if t == token || t == d && next != at { // the other token of the colour moves only if it was with this one
			continue
		}
		after = append(after, swapTokens(bases, next, t, hole))
	}
	return after, 1
}

func change(bases [][]int, i, from, to int) [][]int {
	out := make([][]int, len(bases))
	for k, b := range bases {
		out[k] = slices.Clone(b)
	}
	out[i][slices.Index(out[i], from)] = to
	slices.Sort(out[i])
	return out
}

func swapTokens(bases [][]int, i, token, hole int) [][]int {
	return change(change(bases, i, token, -1), hole, -1, token)
}

// pushing counts the moves of the second method, on the text of a configuration.
func pushing(text string) int {
	bases := strings.Split(text, "|")
	goal := strings.Split(Goal(len(bases)).String(), "|")
	at := slices.IndexFunc(bases, func(b string) bool { return strings.Contains(b, "_") })
	moves, step := 0, 1
	for !slices.Equal(bases, goal) {
		if at+step < 0 || at+step == len(bases) {
			step = -step
		}
		from := []byte(bases[at+step])
		k := 0 // the smaller colour stands first
		if step < 0 {
			k = 1
		}
		to := []byte{bases[at][0], from[k]}
		slices.Sort(to)
		bases[at], bases[at+step] = string(to), string(from[1-k])+"_"
		at += step
		moves++
	}
	return moves
}

func TestMethodsAgainstReference(t *testing.T) {
	for n := 2; n <= 5; n++ {
		h, all := hand{map[string]costsByHand{}}, spreads{DefaultLimit, map[Configuration]*spread{}}
		total := new(big.Rat)
		for c := range reference(n, Line) {
			var bases [][]int
			for _, g := range strings.Split(c.String(), "|") {
				var b []int
				for _, r := range g {
					b = append(b, strings.IndexRune(symbols, r)) // -1: free
				}
				slices.Sort(b)
				bases = append(bases, b)
			}
			by := h.costs(bases)
			total.Add(total, by.mean)
			if s, err := all.of(c); err != nil || s.best != by.least || s.worst != by.most || s.mean.Cmp(by.mean) != 0 {
				t.Fatalf("%v: %v, want %v; %v", c, s, by, err)
			}
			follow(t, c, Line, playRandom(c, rand.New(rand.NewPCG(1, 2))))
			for m, want := range map[Method]int{OneBaseBest: by.least, OneBaseWorst: by.most, BestPush: pushing(c.String())} {
				way, err := m.Play(c, DefaultLimit)
				if err != nil || len(way) != want {
					t.Fatalf("%v of %v: %d moves, want %d; %v", m, c, len(way), want, err)
				}
				follow(t, c, Line, way)
			}
		}
		total.Quo(total, new(big.Rat).SetInt(Configurations(n)))
		a := puzzletest.Ask(t, &methodsQuestion, nil, fmt.Sprint(n))
		if got := a.Summary.Tables[0].Rows[1]; got[0].S != randomName || got[2].S != total.String() {
			t.Errorf("%d bases: the mean of random play is %v, want %v", n, got, total)
		}
	}
}

// TestMethodsPublished compares with the costs that runs of all configurations gave.
func TestMethodsPublished(t *testing.T) {
	a := puzzletest.Ask(t, &methodsQuestion, nil, "4")
	var got []string
	for _, row := range a.Summary.Tables[0].Rows {
		got = append(got, fmt.Sprint(row[0].S, " ", row[1].N, " ", row[2].Shown[:6]))
	}
	if want := []string{"one_base_at_a_time_best 23 12.896", "one_base_at_a_time_random 29 13.809",
		"one_base_at_a_time_worst 29 14.900", "best_push 23 15.288"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRandomPlay: seeds play different games between the best and the worst one, the same seed the same game, and the
// answer has the mean.
func TestRandomPlay(t *testing.T) {
	const text = "33|22|11|0_"
	all := spreads{DefaultLimit, map[Configuration]*spread{}}
	c, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	s, err := all.of(c)
	if err != nil {
		t.Fatal(err)
	}
	lengths := map[uint64]bool{}
	for seed := range 30 {
		flags := map[string]string{"method": randomName, "seed": fmt.Sprint(seed)}
		a := puzzletest.Ask(t, &solveQuestion, flags, text)
		facts := map[string]puzzle.Value{}
		for _, f := range a.Summary.Facts {
			facts[f.Name] = f.Value
		}
		n := facts["moves"].N.Lo
		if lengths[n] = true; n < uint64(s.best) || n > uint64(s.worst) || facts["mean"].S != s.mean.String() {
			t.Errorf("seed %d: %d moves, mean %s; want %d to %d, mean %v", seed, n, facts["mean"].S, s.best, s.worst, s.mean)
		}
		if again := puzzletest.Ask(t, &solveQuestion, flags, text); !reflect.DeepEqual(again, a) {
			t.Errorf("seed %d gives two games", seed)
		}
	}
	if len(lengths) < 2 {
		t.Errorf("all games have as many moves: %v", lengths)
	}
}

// TestFull compares P(n) with OEIS A000681.
func TestFull(t *testing.T) {
	for i, want := range []string{"1", "3", "21", "282", "6210", "202410", "9135630"} {
		a := puzzletest.Ask(t, &countQuestion, map[string]string{"full": "true"}, fmt.Sprint(i+1))
		if a.Text != want+"\n" || a.Summary.Facts[2].Value.S != want {
			t.Errorf("P(%d) is %s, want %s", i+1, a.Text, want)
		}
	}
}

// TestBaseZeroIsBlack: the bases stand above the tokens, base 0 black as its token.
func TestBaseZeroIsBlack(t *testing.T) {
	a := puzzletest.Ask(t, &solveQuestion, nil, "44|0_|11|22|33")
	fills := map[string]figure.Colour{}
	for _, c := range a.Figures[0].Board.Cells {
		if c.Label != "" && fills[c.Label] == figure.None {
			fills[c.Label] = c.Fill
		} else if c.Label != "" && fills[c.Label] != c.Fill {
			t.Errorf("%s is %s and %s", c.Label, fills[c.Label], c.Fill)
		}
		if (c.Shape == figure.Square) != (c.Row == 0) {
			t.Errorf("%+v is a base among tokens, or a token among bases", c)
		}
	}
	if fills["0"] != figure.Black || len(fills) != 5 {
		t.Errorf("the colours are %v", fills)
	}
}
