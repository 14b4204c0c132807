package babylone

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/puzzle/figure"
)

// TestInnerGraph compares drawings that tell inner bricks apart with the simulation: levels, edges and winners.
func TestInnerGraph(t *testing.T) {
	for _, game := range []string{"1x3", "2x2", "3x1", "3,2", "2,2,1", "5x1"} {
		bricks, err := ParseGame(game)
		if err != nil {
			t.Fatal(err)
		}
		s := simulate(bricks, false)
		nimbers := s.nimbers()
		for _, up := range []bool{false, true} {
			same := func(p string) string { return p }
			if up {
				same = func(p string) string { return renamed(p, len(bricks)) }
			}
			var levels, edges, won []string
			for l, level := range s.levels {
				nodes := map[string]int{} // with nimbers
				for p := range level {
					nodes[same(p)] = nimbers[p]
				}
				for p, nimber := range nodes {
					after := map[string]bool{}
					for q := range s.after(p) {
						after[same(q)] = true
					}
					for range after {
						edges = append(edges, p)
					}
					if nimber > 0 {
						won = append(won, p)
					}
				}
				levels = append(levels, fmt.Sprint(l, ":", len(nodes)))
			}
			a, err := ask(t, graph, []string{game}, "show=all", "inner=true", fmt.Sprintf("up_to_colours=%v", up))
			if err != nil {
				t.Fatal(err)
			}
			g := a.Figures[0].Graph
			got, good := map[int]int{}, 0
			for _, n := range g.Nodes {
				got[n.Level]++
				if n.Fill == figure.Good {
					good++
				}
			}
			var list []string
			for l := range len(got) {
				list = append(list, fmt.Sprint(l, ":", got[l]))
			}
			if !slices.Equal(list, levels) || len(g.Edges) != len(edges) || good != len(won) {
				t.Errorf("%s, up to colours %v: levels %v, %d edges, %d won, want %v, %d, %d",
					game, up, list, len(g.Edges), good, levels, len(edges), len(won))
			}
		}
	}
}

// TestTurns compares the edges of one player's turns with those of the simulation, one by one.
func TestTurns(t *testing.T) {
	for _, game := range []string{"1x4", "2x2", "2,1,1", "3x2"} {
		bricks, err := ParseGame(game)
		if err != nil {
			t.Fatal(err)
		}
		for _, inner := range []bool{false, true} {
			s := simulate(bricks, !inner)
			for player := 1; player <= 2; player++ {
				want := map[string]bool{}
				nodes := 0
				for l, level := range s.levels {
					for p := range level {
						if !turn(s, p, l, player) {
							continue
						}
						nodes++
						for q := range s.after(p) {
							if turn(s, q, l+1, player) {
								want[idOf(p, inner)+" "+idOf(q, inner)] = true
								continue
							}
							for r := range s.after(q) {
								want[idOf(p, inner)+" "+idOf(r, inner)] = true
							}
						}
					}
				}
				a, err := ask(t, graph, []string{game}, "show=all",
					fmt.Sprintf("inner=%v", inner), fmt.Sprintf("player=%d", player))
				if err != nil {
					t.Fatal(err)
				}
				g := a.Figures[0].Graph
				got, level := map[string]bool{}, map[string]int{}
				for _, n := range g.Nodes {
					level[n.ID] = n.Level
				}
				for _, e := range g.Edges {
					got[e.From+" "+e.To] = true
					if level[e.To] != level[e.From]+1 {
						t.Errorf("%s, player %d: an edge from level %d to %d", game, player, level[e.From], level[e.To])
					}
				}
				if !maps.Equal(got, want) || len(g.Nodes) != nodes || len(g.Edges) != len(want) ||
					len(a.Summary.Tables[0].Rows) != nodes {
					t.Errorf("%s, inner %v, player %d: %d nodes, %d edges, want %d, %d",
						game, inner, player, len(g.Nodes), len(g.Edges), nodes, len(want))
				}
			}
		}
	}
}

// turn says whether a position of a level is drawn for a player.
func turn(s *simulation, p string, level, player int) bool {
	return level == 0 || level%2 == player-1 || len(s.after(p)) == 0
}

// idOf is the name of a position of the simulation in drawings.
func idOf(position string, inner bool) string {
	var w words
	for _, pile := range strings.Fields(position) {
		w = append(w, strings.Map(func(c rune) rune {
			if c == '?' {
				return '.'
			}
			return rune(letters[c-'A'])
		}, pile))
	}
	slices.Sort(w)
	if !inner {
		return w.visible().String()
	}
	return strings.Join(w, ",")
}

// TestPiles says that bricks have the colours of the words, and those that are not told apart none.
func TestPiles(t *testing.T) {
	for inner, want := range map[bool]string{
		false: "[[{red } {faint }] [{white a}]]", true: "[[{red } {blue }] [{white a}]]",
	} {
		w := words{"rb", "a"}
		if !inner {
			w = words{"r.", "a"}
		}
		if got := fmt.Sprint(w.piles()); got != want {
			t.Errorf("inner %v: %s, want %s", inner, got, want)
		}
	}
}
