package babylone

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pagoda/internal/puzzle/figure"
)

// TestGraph compares drawings with the simulation.
func TestGraph(t *testing.T) {
	for _, game := range []string{"1x3", "2x2", "3x2", "3,2,1", "2x4"} {
		bricks, err := ParseGame(game)
		if err != nil {
			t.Fatal(err)
		}
		want := expected(bricks, CountGraph)
		for _, up := range []bool{false, true} {
			suffix := map[bool]string{true: "_up_to_colours"}[up]
			a, err := ask(t, graph, []string{game}, "show=all", fmt.Sprintf("up_to_colours=%v", up))
			if err != nil {
				t.Fatal(err)
			}
			g := a.Figures[0].Graph
			levels, won := map[int]int{}, 0
			for _, n := range g.Nodes {
				levels[n.Level]++
				if n.Fill == figure.Good {
					won++
				}
			}
			var list []string
			for l := range len(levels) {
				list = append(list, strconv.Itoa(levels[l]))
			}
			if got := strings.Join(list, " "); got != want["levels"+suffix] ||
				strconv.Itoa(len(g.Edges)) != want["edges"+suffix] || strconv.Itoa(won) != want["won"+suffix] {
				t.Errorf("%s%s: levels %s, %d edges, %d won, want %v", game, suffix, got, len(g.Edges), won, want)
			}
			consistent(t, game, g, false)
		}
	}
}

// TestStrategy says that a drawn strategy is one: the winner always moves to a position that loses, and the loser's
// moves are all there.
func TestStrategy(t *testing.T) {
	for _, game := range []string{"2x2", "3x3", "4x3", "3x4", "5,2,2"} {
		for _, up := range []string{"up_to_colours=false", "up_to_colours=true"} {
			a, err := ask(t, graph, []string{game}, up, "show=strategy")
			if err != nil {
				t.Fatal(err)
			}
			consistent(t, game, a.Figures[0].Graph, true)
		}
	}
	a, err := ask(t, graph, []string{"4x3"})
	if err != nil || a.Summary.Facts[0].Value.S != "strategy" {
		t.Errorf("a large game is drawn as %v, error %v", a.Summary.Facts[0].Value, err)
	}
}

// consistent checks the colours and edges of a drawing: a position wins when one of its moves leads to one that loses.
func consistent(t *testing.T, game string, g *figure.Graph, strategy bool) {
	t.Helper()
	fill, level, moves, lost := map[string]figure.Colour{}, map[string]int{}, map[string]int{}, map[string]int{}
	for _, n := range g.Nodes {
		if fill[n.ID] != figure.None {
			t.Errorf("%s: %s is drawn twice", game, n.ID)
		}
		fill[n.ID], level[n.ID] = n.Fill, n.Level
	}
	for _, e := range g.Edges {
		moves[e.From]++
		if level[e.To] != level[e.From]+1 || fill[e.To] == figure.None {
			t.Errorf("%s: an edge from %s to %s", game, e.From, e.To)
		}
		if fill[e.To] == figure.Bad {
			lost[e.From]++
		}
	}
	for id, f := range fill {
		if (f == figure.Good) != (lost[id] > 0) {
			t.Errorf("%s: %s is drawn as %s with %d winning moves", game, id, f, lost[id])
		}
		if !strategy {
			continue
		}
		p, err := ParsePosition(id)
		if err != nil {
			t.Fatal(err)
		}
		_, after := p.moves()
		kinds := map[string]bool{}
		for _, q := range after {
			kinds[q.canonical().key()] = true
		}
		if f == figure.Good && moves[id] != 1 || f == figure.Bad && moves[id] != len(after) && moves[id] != len(kinds) {
			t.Errorf("%s: %d moves from %s, which is %s", game, moves[id], id, f)
		}
	}
}
