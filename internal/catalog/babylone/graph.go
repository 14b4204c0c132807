package babylone

import (
	"context"
	"errors"
	"fmt"
	"strconv"

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
winning strategy is drawn: one winning move where the winner is to move, and all moves where the loser is.

A position is drawn as its piles of bricks, the bricks below the top ones grey. With --inner these have their colours,
and positions that differ in them are told apart. With --player only the positions at that player's turn are drawn, and
the ends of the game: an arrow is a move of that player with an answer.`,
	Examples: []string{
		"2x2 --output svg --out 2x2.svg", "2x2 --inner --output svg", "2x2 --player 1",
		"3x2 --up-to-colours --draw letters --output dot", "3,2,2 --show strategy",
	},
	Args: []puzzle.Argument{
		{Name: "GAME", Doc: "colours x bricks of each, such as 2x2, or bricks colour by colour, such as 3,2,2"},
	},
	Flags: []setting.Setting{
		{Name: "show", Kind: setting.Choice, Default: "auto", Choices: []string{"auto", "all", "strategy"},
			Doc: "all positions, or a winning strategy; auto: all when they are at most 200"},
		{Name: "up_to_colours", Kind: setting.Boolean, Default: "false",
			Doc: "draw positions that are the same up to permutation of colours once"},
		{Name: "inner", Kind: setting.Boolean, Default: "false",
			Doc: "tell the colours of the bricks inside the piles apart"},
		{Name: "player", Kind: setting.Choice, Default: "both", Choices: []string{"both", "1", "2"},
			Doc: "whose turns are drawn"},
		{Name: "draw", Kind: setting.Choice, Default: "bricks", Choices: []string{"bricks", "letters"},
			Doc: "how a position is drawn"},
	},
	Outputs: []puzzle.Output{puzzle.Pictures, puzzle.Graphs, puzzle.Tables},
	Answer:  answerGraph,
}

func answerGraph(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	bricks, err := ParseGame(r.Args[0])
	if err != nil {
		return nil, &setting.Error{Setting: "GAME", Err: err, Hint: "write 2x2 or 3,2,2"}
	}
	show, v := r.Flags.Text("show"), view{r.Flags.Bool("inner"), r.Flags.Bool("up_to_colours")}
	if v.inner && v.upToColours && len(bricks) > mostRenamed {
		return nil, &setting.Error{Setting: "inner", Hint: "leave --inner or --up-to-colours out",
			Err: fmt.Errorf("%w: at most %d colours are permuted with their inner bricks", ErrLarge, mostRenamed)}
	}
	positions, err := v.positions(ctx, bricks)
	if errors.Is(err, ErrGame) || errors.Is(err, ErrLarge) {
		return nil, &setting.Error{Setting: "GAME", Err: err, Hint: "choose a smaller game"}
	}
	if err != nil {
		return nil, err
	}
	if show == "auto" {
		show = "all"
		if positions.Cmp(uint128.From(goodNodes)) > 0 {
			show = "strategy"
		}
	}
	if show == "all" && positions.Cmp(uint128.From(mostNodes)) > 0 {
		return nil, &setting.Error{Setting: "show", Hint: "choose strategy, a smaller game, or --up-to-colours",
			Err: fmt.Errorf("%w: %s has %s positions, at most %d are drawn",
				ErrLarge, gameName(bricks), v.many(positions), mostNodes)}
	}
	d := &drawing{view: v, solver: newSolver(), strategy: show == "strategy",
		bricks: r.Flags.Text("draw") == "bricks", seen: map[string]bool{}}
	if err := d.draw(ctx, v.start(bricks)); errors.Is(err, ErrLarge) {
		return nil, &setting.Error{Setting: "GAME", Err: err, Hint: "choose a smaller game, or --up-to-colours"}
	} else if err != nil {
		return nil, err
	}
	nimber, err := d.solver.nimber(ctx, start(bricks))
	if err != nil {
		return nil, err
	}
	title := map[bool]string{true: "a winning strategy", false: "all positions"}[d.strategy]
	if v.inner {
		title += ", inner bricks told apart"
	}
	if player := r.Flags.Text("player"); player != "both" {
		d.turns(int(player[0] - '0'))
		title += ", at the turns of player " + player
	}
	a := &puzzle.Answer{Figures: []figure.Figure{{
		Name: "graph", Title: "Babylone " + gameName(bricks) + ": " + title, Graph: &d.graph,
	}}}
	a.Summary.Problem = understood(bricks)
	a.Summary.AddText("show", show, "all positions, or a winning strategy")
	a.Summary.AddNumber("winner", winnerOf(nimber), "1 when the first player wins, otherwise 2")
	a.Summary.AddNumber("nodes", uint64(len(d.graph.Nodes)), "positions drawn")
	a.Summary.AddNumber("edges", uint64(len(d.graph.Edges)), "moves drawn, or moves with answers")
	a.Summary.Tables = []puzzle.Table{d.table}
	return a, nil
}

// positions counts the positions of a game. The error wraps ErrGame, or ErrLarge when they are too many to be searched.
// Those with inner bricks are counted up to one more than are drawn.
func (v view) positions(ctx context.Context, bricks []int) (n uint128.Uint128, err error) {
	s, err := newSpace(bricks)
	if err != nil {
		return n, err
	}
	searched := s.positions()
	if searched > mostSearched {
		return n, fmt.Errorf("%w: %s has %d positions up to colours, at most %d are searched",
			ErrLarge, gameName(bricks), searched, mostSearched)
	}
	switch {
	case v.inner:
		levels, _, err := v.levels(ctx, bricks, mostNodes)
		if errors.Is(err, ErrLarge) {
			return uint128.From(mostNodes + 1), nil
		}
		return uint128.From(uint64(sum(levels))), err
	case v.upToColours:
		return uint128.From(searched), nil
	}
	byPiles, err := countApart(bricks)
	for _, v := range byPiles {
		n, _ = n.Add(v) // at most 20! times as many
	}
	return n, err
}

// many writes a number of positions.
func (v view) many(n uint128.Uint128) string {
	if v.inner {
		return "more than " + strconv.Itoa(mostNodes)
	}
	return n.String()
}
