package baseball

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A hand plays the first method as the source tells it, and keeps an eye on the token that it has taken.
type hand struct{ known map[string][2]int }

// taken marks the token that the hand has taken: its colour plus taken.
const taken = 100

func (h *hand) costs(bases [][]int) (least, most int) {
	key := fmt.Sprint(bases)
	if v, ok := h.known[key]; ok {
		return v[0], v[1]
	}
	least, most = h.play(bases)
	h.known[key] = [2]int{least, most}
	return least, most
}

func (h *hand) play(bases [][]int) (least, most int) {
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
		return 0, 0
	}
	if token < 0 { // take the rightmost token of colour d that is not in d
		token = taken + d
		for j := len(bases) - 1; ; j-- {
			if k := slices.Index(bases[j], d); k >= 0 && j != d {
				b := change(bases, j, d, token)
				return h.costs(b)
			}
		}
	}
	at, hole := find(token), find(-1)
	if hole == at+1 {
		b := swapTokens(bases, at, token, hole)
		if hole == d {
			b = change(b, d, token, d)
		}
		l, m := h.costs(b)
		return l + 1, m + 1
	}
	next := hole + 1
	if hole > at+1 {
		next = hole - 1
	}
	first := true
	for _, t := range bases[next] {
		if t == token || t == d && next != at { // the other token of the colour moves only if it was with this one
			continue
		}
		l, m := h.costs(swapTokens(bases, next, t, hole))
		if first || l+1 < least {
			least = l + 1
		}
		if first || m+1 > most {
			most = m + 1
		}
		first = false
	}
	return least, most
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
		h := hand{map[string][2]int{}}
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
			best, worst := h.costs(bases)
			for m, want := range map[Method]int{OneBaseBest: best, OneBaseWorst: worst, BestPush: pushing(c.String())} {
				way, err := m.Play(c, DefaultLimit)
				if err != nil || len(way) != want {
					t.Fatalf("%v of %v: %d moves, want %d; %v", m, c, len(way), want, err)
				}
				follow(t, c, Line, way)
			}
		}
	}
}
