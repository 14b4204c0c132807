package babylone

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

// Bounds of a drawing, in positions.
const (
	goodNodes = 200  // from more on, only the winning strategy is drawn unless all is asked for
	mostNodes = 2000 // more are refused
)

var graph = puzzle.Question{
	Name:  "graph",
	Short: "the graph of a small game, drawn in levels",
	Long: `Draws all positions of a game, the start on top and a level for each number of piles. Positions that the player
to move wins and loses have different colours, and so have moves that win. Of a game of more than 200 positions only a
winning strategy is drawn: one winning move where the winner is to move, and all moves where the loser is.`,
	Examples: []string{
		"2x2 --output svg --out 2x2.svg", "3x2 --up-to-colours --output dot", "3,2,2 --show strategy",
	},
	Args: []puzzle.Argument{
		{Name: "GAME", Doc: "colours x bricks of each, such as 2x2, or bricks colour by colour, such as 3,2,2"},
	},
	Flags: []setting.Setting{
		{Name: "show", Kind: setting.Choice, Default: "auto", Choices: []string{"auto", "all", "strategy"},
			Doc: "all positions, or a winning strategy; auto: all when they are at most 200"},
		{Name: "up_to_colours", Kind: setting.Boolean, Default: "false",
			Doc: "draw positions that are the same up to permutation of colours once"},
	},
	Outputs: []puzzle.Output{puzzle.Pictures, puzzle.Graphs, puzzle.Tables},
	Answer:  answerGraph,
}

func answerGraph(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	bricks, err := ParseGame(r.Args[0])
	if err != nil {
		return nil, &setting.Error{Setting: "GAME", Err: err, Hint: "write 2x2 or 3,2,2"}
	}
	show, up := r.Flags.Text("show"), r.Flags.Bool("up_to_colours")
	positions, err := positionsOf(bricks, up)
	if err != nil {
		return nil, &setting.Error{Setting: "GAME", Err: err, Hint: "choose a smaller game"}
	}
	if show == "auto" {
		show = "all"
		if positions.Cmp(uint128.From(goodNodes)) > 0 {
			show = "strategy"
		}
	}
	if show == "all" && positions.Cmp(uint128.From(mostNodes)) > 0 {
		return nil, &setting.Error{Setting: "show", Hint: "choose strategy, a smaller game, or --up-to-colours",
			Err: fmt.Errorf("%w: %s has %v positions, at most %d are drawn", ErrLarge, gameName(bricks), positions, mostNodes)}
	}
	d := &drawing{solver: newSolver(), strategy: show == "strategy", up: up, seen: map[string]bool{}}
	if err := d.draw(ctx, start(bricks)); errors.Is(err, ErrLarge) {
		return nil, &setting.Error{Setting: "GAME", Err: err, Hint: "choose a smaller game, or --up-to-colours"}
	} else if err != nil {
		return nil, err
	}
	nimber, err := d.solver.nimber(ctx, start(bricks))
	if err != nil {
		return nil, err
	}
	a := &puzzle.Answer{Figures: []figure.Figure{{
		Name: "graph", Title: "Babylone " + gameName(bricks) + ": " + map[bool]string{
			true: "a winning strategy", false: "all positions"}[d.strategy],
		Graph: &d.graph,
	}}}
	a.Summary.Problem = understood(bricks)
	a.Summary.AddText("show", show, "all positions, or a winning strategy")
	a.Summary.AddNumber("winner", winnerOf(nimber), "1 when the first player wins, otherwise 2")
	a.Summary.AddNumber("nodes", uint64(len(d.graph.Nodes)), "positions drawn")
	a.Summary.AddNumber("edges", uint64(len(d.graph.Edges)), "moves drawn")
	a.Summary.Tables = []puzzle.Table{d.table}
	return a, nil
}

// positionsOf counts the positions of a game, up to colours or not. The error wraps ErrGame, or ErrLarge when they are
// too many to be searched.
func positionsOf(bricks []int, up bool) (n uint128.Uint128, err error) {
	s, err := newSpace(bricks)
	if err != nil {
		return n, err
	}
	searched := s.positions()
	if searched > mostSearched {
		return n, fmt.Errorf("%w: %s has %d positions up to colours, at most %d are searched",
			ErrLarge, gameName(bricks), searched, mostSearched)
	}
	if up {
		return uint128.From(searched), nil
	}
	byPiles, err := countApart(bricks)
	for _, v := range byPiles {
		n, _ = n.Add(v) // at most 20! times as many
	}
	return n, err
}

// A drawing is made level by level.
type drawing struct {
	solver   *solver
	strategy bool // draw a winning strategy only
	up       bool
	seen     map[string]bool
	graph    figure.Graph
	table    puzzle.Table
}

func (d *drawing) draw(ctx context.Context, first Position) error {
	d.table = puzzle.Table{Name: "positions", Columns: []puzzle.Column{
		numbered("level", "moves made"), worded("position", "letter of the top colour and height of each pile"),
		numbered("nimber", "Grundy value: 0 when the player to move loses"),
	}}
	if d.up {
		first = first.canonical()
	}
	front := []Position{first}
	for level := 0; len(front) > 0; level++ {
		var next []Position
		for _, p := range front {
			if err := ctx.Err(); err != nil {
				return err
			}
			after, err := d.node(ctx, p, level)
			if err != nil {
				return err
			}
			next = append(next, after...)
		}
		slices.SortFunc(next, func(a, b Position) int { return cmp.Compare(a.String(), b.String()) })
		front = next
	}
	return nil
}

// node draws a position and the moves from it, and returns the positions after these that are not drawn yet.
func (d *drawing) node(ctx context.Context, p Position, level int) (fresh []Position, err error) {
	nimber, err := d.solver.nimber(ctx, p)
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
	d.graph.Nodes = append(d.graph.Nodes, figure.Node{
		ID: p.String(), Label: p.join(""), Level: level, Fill: fill, Detail: fmt.Sprintf("%s, nimber %d", says, nimber),
	})
	d.table.Rows = append(d.table.Rows, []puzzle.Value{number(level), {S: p.String()}, number(nimber)})
	after, err := d.drawn(ctx, p, nimber)
	if err != nil {
		return nil, err
	}
	for _, q := range after {
		n, err := d.solver.nimber(ctx, q)
		if err != nil {
			return nil, err
		}
		edge := figure.Edge{From: p.String(), To: q.String(), Stroke: figure.Faint}
		if n == 0 {
			edge.Stroke = figure.Good
		}
		d.graph.Edges = append(d.graph.Edges, edge)
		if key := q.key(); !d.seen[key] {
			d.seen[key] = true
			fresh = append(fresh, q)
		}
	}
	return fresh, nil
}

// drawn lists the positions after p that are drawn: all of them, or of a strategy one that wins. Of several it takes
// one that is drawn already, or the one with the fewest moves.
func (d *drawing) drawn(ctx context.Context, p Position, nimber int) ([]Position, error) {
	_, all := p.moves()
	var after []Position
	for _, q := range all {
		if d.up {
			q = q.canonical()
		}
		if !slices.ContainsFunc(after, func(r Position) bool { return slices.Equal(q, r) }) {
			after = append(after, q)
		}
	}
	if !d.strategy || nimber == 0 {
		return after, nil
	}
	var best Position
	least := 0
	for _, q := range after {
		n, err := d.solver.nimber(ctx, q)
		if err != nil {
			return nil, err
		}
		if n != 0 {
			continue
		}
		moves, _ := q.moves()
		if d.seen[q.key()] {
			return []Position{q}, nil
		}
		if best == nil || len(moves) < least {
			best, least = q, len(moves)
		}
	}
	return []Position{best}, nil
}
