package baseball

import (
	"fmt"
	"strings"
	"testing"

	"pagoda/internal/puzzle/puzzletest"
)

// distances finds how far every configuration of n bases is from the goal, by breadth-first search over texts with the
// rules alone.
func distances(n int, ring bool) map[string]int {
	sorted := func(bases []string) string {
		for i, b := range bases {
			if b[0] == '_' || b[1] != '_' && b[0] > b[1] {
				bases[i] = string([]byte{b[1], b[0]})
			}
		}
		return strings.Join(bases, "|")
	}
	bases := []string{"0_"}
	for i := 1; i < n; i++ {
		bases = append(bases, fmt.Sprintf("%d%d", i, i))
	}
	goal := strings.Join(bases, "|")
	far, list := map[string]int{goal: 0}, []string{goal}
	for k := 0; k < len(list); k++ {
		now := strings.Split(list[k], "|")
		for to := range now {
			free := strings.IndexByte(now[to], '_')
			for from := range now {
				apart := (to - from + n) % n
				near := to-from == 1 || from-to == 1 || ring && (apart == 1 || apart == n-1)
				if free < 0 || !near {
					continue
				}
				for place := range 2 {
					next := append([]string{}, now...)
					a, b := []byte(next[to]), []byte(next[from])
					a[free], b[place] = b[place], '_'
					next[to], next[from] = string(a), string(b)
					if text := sorted(next); far[text] == 0 && text != goal {
						far[text] = far[list[k]] + 1
						list = append(list, text)
					}
				}
			}
		}
	}
	return far
}

// TestPlay compares every move of every configuration with a search over texts.
func TestPlay(t *testing.T) {
	for _, test := range []struct {
		bases int
		board string
	}{{2, "ring"}, {2, "line"}, {3, "ring"}, {3, "line"}, {4, "ring"}, {4, "line"}} {
		far := distances(test.bases, test.board == "ring")
		if want := Configurations(test.bases).String(); fmt.Sprint(len(far)) != want {
			t.Fatalf("%v: %d configurations, want %s", test, len(far), want)
		}
		k := 0
		for text, n := range far {
			if k++; test.bases == 4 && k%10 != 0 { // any tenth
				continue
			}
			a := puzzletest.Ask(t, &playQuestion, map[string]string{"board": test.board}, text)
			moves := a.Summary.Tables[0].Rows
			if got := a.Summary.Facts[2].Value.N.Lo; got != uint64(n) {
				t.Fatalf("%v: %s is %d away, want %d", test, text, got, n)
			}
			for i, m := range moves {
				want, ok := far[m[1].S]
				if !ok || m[2].N.Lo != uint64(want) || i > 0 && m[2].N.Lo < moves[i-1][2].N.Lo {
					t.Fatalf("%v: %s: %v, want a distance of %d, sorted", test, text, m, want)
				}
			}
			if n > 0 && moves[0][2].N.Lo != uint64(n-1) {
				t.Fatalf("%v: the best move of %s leads to %d", test, text, moves[0][2].N.Lo)
			}
		}
	}
}

// TestStart: all configurations of three bases are drawn, and the same seed gives the same one.
func TestStart(t *testing.T) {
	far, met := distances(3, true), map[string]bool{}
	for seed := range 2000 {
		flags := map[string]string{"seed": fmt.Sprint(seed)}
		c := puzzletest.Ask(t, &startQuestion, flags, "3").Summary.Facts[0].Value.S
		if again := puzzletest.Ask(t, &startQuestion, flags, "3").Summary.Facts[0].Value.S; again != c {
			t.Fatalf("seed %d gives %s and %s", seed, c, again)
		}
		if _, ok := far[c]; !ok {
			t.Fatalf("seed %d gives %s", seed, c)
		}
		met[c] = true
	}
	if len(met) != len(far) {
		t.Errorf("%d of %d configurations were drawn", len(met), len(far))
	}
}
