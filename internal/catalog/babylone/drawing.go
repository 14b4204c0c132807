package babylone

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
)

// A drawing is made level by level.
type drawing struct {
	view
	solver   *solver
	strategy bool // draw a winning strategy only
	bricks   bool // draw piles of bricks
	seen     map[string]bool
	graph    figure.Graph
	table    puzzle.Table // a row for each node
}

func (d *drawing) draw(ctx context.Context, first words) error {
	d.table = puzzle.Table{Name: "positions", Columns: []puzzle.Column{
		numbered("level", "moves made"), worded("position", "letter of the top colour and height of each pile"),
		numbered("nimber", "Grundy value: 0 when the player to move loses"),
	}}
	if d.inner {
		d.table.Columns[1].Doc = "the colours of each pile from top to bottom"
	}
	front := []words{first}
	for level := 0; len(front) > 0; level++ {
		var next []words
		for _, w := range front {
			if err := ctx.Err(); err != nil {
				return err
			}
			after, err := d.node(ctx, w, level)
			if err != nil {
				return err
			}
			next = append(next, after...)
		}
		slices.SortFunc(next, func(a, b words) int { return strings.Compare(d.id(a), d.id(b)) })
		front = next
	}
	return nil
}

// node draws a position and the moves from it, and returns the positions after these that are not drawn yet.
func (d *drawing) node(ctx context.Context, w words, level int) (fresh []words, err error) {
	nimber, err := d.solver.nimber(ctx, w.visible())
	if err != nil {
		return nil, err
	}
	if len(d.graph.Nodes) == mostNodes {
		return nil, fmt.Errorf("%w: the strategy has more than %d positions; choose a smaller game", ErrLarge, mostNodes)
	}
	fill, says := figure.Bad, "the player to move loses"
	if nimber > 0 {
		fill, says = figure.Good, "the player to move wins"
	}
	node := figure.Node{ID: d.id(w), Label: d.label(w), Level: level, Fill: fill,
		Detail: fmt.Sprintf("%s, nimber %d", says, nimber)}
	if d.bricks {
		node.Detail, node.Piles = node.Label+": "+node.Detail, w.piles()
	}
	d.graph.Nodes = append(d.graph.Nodes, node)
	d.table.Rows = append(d.table.Rows, []puzzle.Value{number(level), {S: node.ID}, number(nimber)})
	after, err := d.drawn(ctx, w, nimber)
	if err != nil {
		return nil, err
	}
	for _, q := range after {
		n, err := d.solver.nimber(ctx, q.visible())
		if err != nil {
			return nil, err
		}
		edge := figure.Edge{From: node.ID, To: d.id(q), Stroke: figure.Faint}
		if n == 0 {
			edge.Stroke = figure.Good
		}
		d.graph.Edges = append(d.graph.Edges, edge)
		if !d.seen[edge.To] {
			d.seen[edge.To] = true
			fresh = append(fresh, q)
		}
	}
	return fresh, nil
}

// drawn lists the positions after w that are drawn: all of them, or of a strategy one that wins. Of several it takes
// one that is drawn already, or the one with the fewest moves.
func (d *drawing) drawn(ctx context.Context, w words, nimber int) ([]words, error) {
	after := d.after(w)
	if !d.strategy || nimber == 0 {
		return after, nil
	}
	var best words
	least := 0
	for _, q := range after {
		n, err := d.solver.nimber(ctx, q.visible())
		if err != nil {
			return nil, err
		}
		if n != 0 {
			continue
		}
		if d.seen[d.id(q)] {
			return []words{q}, nil
		}
		if moves := len(d.after(q)); best == nil || moves < least {
			best, least = q, moves
		}
	}
	return []words{best}, nil
}

// turns leaves the positions in which one player is to move, the start and the ends of the game. An edge is a move of
// that player with an answer, the last move, or the first move of the other player. It has the colour of the player's
// move.
func (d *drawing) turns(player int) {
	after := map[string][]figure.Edge{}
	for _, e := range d.graph.Edges {
		after[e.From] = append(after[e.From], e)
	}
	var graph figure.Graph
	kept, rows := map[string]bool{}, d.table.Rows
	d.table.Rows = nil
	for i, n := range d.graph.Nodes {
		if n.Level > 0 && n.Level%2 != player-1 && len(after[n.ID]) > 0 {
			continue
		}
		kept[n.ID] = true
		if n.Level > 0 {
			n.Level = (n.Level + player) / 2 // turns that the player has had, the present one counted for the second
		}
		graph.Nodes = append(graph.Nodes, n)
		d.table.Rows = append(d.table.Rows, rows[i])
	}
	for _, n := range graph.Nodes {
		at := map[string]int{}
		add := func(e figure.Edge) {
			i, ok := at[e.To]
			if !ok {
				at[e.To] = len(graph.Edges)
				graph.Edges = append(graph.Edges, e)
			} else if e.Stroke == figure.Good {
				graph.Edges[i].Stroke = figure.Good
			}
		}
		for _, e := range after[n.ID] {
			if kept[e.To] {
				add(e)
				continue
			}
			for _, answer := range after[e.To] {
				add(figure.Edge{From: n.ID, To: answer.To, Stroke: e.Stroke})
			}
		}
	}
	d.graph = graph
}
