package baseball

import (
	"math"
	"slices"
	"strings"
)

// reference finds the distances of all configurations from the goal.
func reference(n int, board Board) map[Configuration]int { return within(math.MaxInt, n, board) }

// within finds the configurations at most so many moves from the goal, with their distances, in the plainest way: by
// strings, a queue and a map. It shares no code with the search but Parse.
func within(most, n int, board Board) map[Configuration]int {
	goal := []string{"0_"}
	for i := 1; i < n; i++ {
		goal = append(goal, strings.Repeat(string(symbols[i]), 2))
	}
	distance := map[string]int{strings.Join(goal, "|"): 0}
	queue := []string{strings.Join(goal, "|")}
	for len(queue) > 0 {
		text := queue[0]
		queue = queue[1:]
		if distance[text] == most {
			continue
		}
		places := strings.ReplaceAll(text, "|", "")
		hole := strings.IndexByte(places, '_')
		for i := range places {
			apart := i/2 - hole/2
			next := apart == 1 || apart == -1 || board == Ring && (apart == n-1 || apart == 1-n)
			if !next {
				continue
			}
			p := []byte(places)
			p[i], p[hole] = p[hole], p[i]
			var groups []string
			for b := range n {
				g := p[2*b : 2*b+2]
				slices.Sort(g)
				if g[0] == '_' {
					panic("'_' sorts behind the digits")
				}
				groups = append(groups, string(g))
			}
			after := strings.Join(groups, "|")
			if _, ok := distance[after]; !ok {
				distance[after] = distance[text] + 1
				queue = append(queue, after)
			}
		}
	}
	out := make(map[Configuration]int, len(distance))
	for text, d := range distance {
		c, err := Parse(text)
		if err != nil {
			panic(err)
		}
		out[c] = d
	}
	return out
}
