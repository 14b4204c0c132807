package solitaire

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pagoda/internal/counting/sweeps"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/uint128"
)

// mostShortest is how many edges are drawn at most.
const mostShortest = 20_000

// A shortest is the graph of the solutions with the fewest sweeps. Nodes are positions before and after sweeps, up to
// the symmetries that fix start and goal, by the least of each class. An edge is a sweep from the least of a class.
type shortest struct {
	board   *peg.Board
	level   map[peg.Position]int // sweeps made
	edges   map[shortestEdge]bool
	longest int // jumps of the longest sweep
}

type shortestEdge struct {
	from, to peg.Position
	sweep    string
}

// answerShortest draws the graph. Every path of the graph is a solution, for no solution has fewer sweeps. So the
// number of paths must be that of the run.
func answerShortest(ctx context.Context, r puzzle.Request, s *sweeps.Puzzle, least, want uint128.Uint128) (
	*puzzle.Answer, error,
) {
	p := s.Problem()
	g := &shortest{board: p.Board, level: map[peg.Position]int{p.Start: 0}, edges: map[shortestEdge]bool{}}
	group := p.Symmetries()
	orbits, classes := peg.NewOrbits(group), uint64(0)
	err := s.EachFewest(ctx, r.Run.Results, r.Run.Rows, int(least.Lo), func(jumps []peg.Jump, _ int) error {
		classes++
		for _, image := range group {
			g.add(p.Start, jumps, image, group, orbits)
		}
		if len(g.edges) > mostShortest {
			return &puzzle.NotAskedError{Reason: fmt.Sprintf("the graph has more than %d edges", mostShortest),
				Hint: "list the solutions without --graph"}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	paths, figures, table := g.draw()
	if found := paths[p.Goal]; found != want {
		return nil, fmt.Errorf("the graph has %v paths and the run says %v solutions; verify the run", found, want)
	}
	var sum puzzle.Summary
	sum.Problem = withoutJumps(understood(p))
	sum.AddCount("least_sweeps", least, "sweeps of each solution")
	sum.AddCount("solutions", want, "solutions of so many sweeps, each a path of the graph")
	sum.AddNumber("classes", classes, "the same up to the symmetries that fix start and goal")
	sum.AddNumber("longest_sweep", uint64(g.longest), "jumps of the longest sweep of any of them")
	sum.AddNumber("nodes", uint64(len(figures.Nodes)), "positions up to symmetry, before and after sweeps")
	sum.AddNumber("edges", uint64(len(figures.Edges)), "pairs of them with a sweep from one to the other")
	sum.Tables = append(sum.Tables, table)
	return &puzzle.Answer{Summary: sum, Figures: []figure.Figure{{Name: "shortest", Graph: figures,
		Title: fmt.Sprintf("%s: solutions with %v sweeps", titled(p.Board, p.Start, p.Goal), least)}}}, nil
}

// add adds the image of a solution.
func (g *shortest) add(start peg.Position, jumps []peg.Jump, image peg.Perm, group []peg.Perm, orbits *peg.Orbits) {
	at := start
	for made := 0; len(jumps) > 0; made++ {
		n := 1
		for n < len(jumps) && jumps[n-1].To == jumps[n].From {
			n++
		}
		from, by := orbits.LeastBy(image.Apply(at))
		var sweep []peg.Jump
		for _, j := range jumps[:n] {
			at = j.Play(at)
			sweep = append(sweep, group[by].Jump(image.Jump(j)))
		}
		text, _ := peg.FormatSweeps(g.board, sweep)
		to := orbits.Least(at)
		g.level[to] = made + 1
		g.edges[shortestEdge{from, to, text}] = true
		g.longest = max(g.longest, n)
		jumps = jumps[n:]
	}
}

// draw returns the paths to every node, the graph, and its sweeps as a table. Several sweeps between two nodes are one
// edge.
func (g *shortest) draw() (map[peg.Position]uint128.Uint128, *figure.Graph, puzzle.Table) {
	edges := slices.SortedFunc(maps.Keys(g.edges), func(a, b shortestEdge) int {
		return cmp.Or(g.level[a.from]-g.level[b.from], cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to),
			strings.Compare(a.sweep, b.sweep))
	})
	paths, graph := map[peg.Position]uint128.Uint128{}, &figure.Graph{}
	table := puzzle.Table{Name: "graph", Columns: []puzzle.Column{
		{Name: "sweeps", Kind: puzzle.Number, Doc: "sweeps made before"},
		{Name: "from", Kind: puzzle.Text, Doc: "position before the sweep, the least of its class"},
		{Name: "to", Kind: puzzle.Text, Doc: "least position of the class of the position after it"},
		{Name: "sweep", Kind: puzzle.Text, Doc: "the sweep"},
	}}
	for i, e := range edges {
		from, to, level := g.board.Hex(e.from), g.board.Hex(e.to), g.level[e.from]
		table.Rows = append(table.Rows, []puzzle.Value{{N: uint128.From(uint64(level))}, {S: from}, {S: to}, {S: e.sweep}})
		if level == 0 {
			paths[e.from] = uint128.From(1)
		}
		paths[e.to], _ = paths[e.to].Add(paths[e.from])
		if i > 0 && edges[i-1].from == e.from && edges[i-1].to == e.to {
			graph.Edges[len(graph.Edges)-1].Label += ", " + e.sweep
			continue
		}
		graph.Edges = append(graph.Edges, figure.Edge{From: from, To: to, Label: e.sweep})
	}
	for p, level := range g.level {
		graph.Nodes = append(graph.Nodes, figure.Node{ID: g.board.Hex(p), Label: g.board.Hex(p), Level: level,
			Detail: peg.FormatLine(g.board, p)})
	}
	slices.SortFunc(graph.Nodes, func(a, b figure.Node) int {
		return cmp.Or(a.Level-b.Level, strings.Compare(a.ID, b.ID))
	})
	return paths, graph, table
}
