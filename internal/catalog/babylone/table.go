package babylone

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
)

// Bounds of a table that is made on the spot.
const (
	mostTable      = 48      // bricks
	mostTableAny   = 24      // bricks of any number of colours: 2.9 million positions
	mostOnTheTable = 1 << 23 // positions of as many bricks
)

var table = puzzle.Question{
	Name:  "table",
	Short: "the winner of every game of up to so many bricks",
	Long: fmt.Sprintf(`Shows a grid of games with equally many bricks of each colour: 1 where the first player wins, 2
where the second does. Without --grid it holds the games of the source's table and the others within it. A game of more
than %d positions up to colours has none; a run says who wins it.

All games of up to --bricks bricks in all are played as well: every way to split them among colours, or among so many
colours at most. The bricks inside the piles do not matter, so that all games of as many bricks share their positions.
The tables splits and equal have them.`, mostInGrid),
	Examples: []string{
		"", "--grid 4x12", "--bricks 20 --output json", "--bricks 36 --colours 2 --output csv --table splits",
	},
	Flags: []setting.Setting{
		{Name: "grid", Kind: setting.Text, Default: "6x6", Validate: validGrid,
			Doc: "the grid: colours x bricks of each"},
		{Name: "bricks", Kind: setting.Integer, Default: "14", Min: 1, Max: mostTable,
			Doc: fmt.Sprintf("bricks in all; more than %d need a bound on the colours", mostTableAny)},
		{Name: "colours", Kind: setting.Integer, Default: "0", Max: MaxColours,
			Doc: "the most colours of a game; 0: any number"},
	},
	Outputs: []puzzle.Output{puzzle.Tables},
	Answer:  answerTable,
}

func answerTable(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	most, colours := int(r.Flags.Uint("bricks")), int(r.Flags.Uint("colours"))
	if most > mostTableAny && colours == 0 {
		return nil, &setting.Error{Setting: "bricks", Hint: "ask for fewer bricks, or for games of few colours: --colours 2",
			Err: fmt.Errorf("%w: at most %d bricks of any number of colours", ErrLarge, mostTableAny)}
	}
	splits := puzzle.Table{Name: "splits", Columns: []puzzle.Column{
		numbered("bricks", "bricks in all"), numbered("colours", "colours"), worded("split", "bricks of each colour"),
		numbered("winner", "1 when the first player wins, otherwise 2"), numbered("nimber", "nimber of the start"),
	}}
	equal := puzzle.Table{Name: "equal", Columns: []puzzle.Column{
		numbered("colours", "colours"), numbered("each", "bricks of each colour"),
		numbered("winner", "1 when the first player wins, otherwise 2"), numbered("nimber", "nimber of the start"),
	}}
	first := 0
	for n := 1; n <= most; n++ {
		list, err := splitsOf(ctx, n, colours)
		if errors.Is(err, ErrLarge) || errors.Is(err, ErrGame) {
			return nil, &setting.Error{Setting: "bricks", Err: err, Hint: "ask for fewer bricks or colours"}
		}
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			winner := number(int(winnerOf(s.nimber)))
			splits.Rows = append(splits.Rows, []puzzle.Value{
				number(n), number(len(s.bricks)), {S: writeBricks(s.bricks)}, winner, number(s.nimber),
			})
			if s.nimber > 0 {
				first++
			}
			if s.bricks[0] == s.bricks[len(s.bricks)-1] {
				equal.Rows = append(equal.Rows, []puzzle.Value{
					number(len(s.bricks)), number(s.bricks[0]), winner, number(s.nimber),
				})
			}
		}
	}
	slices.SortFunc(equal.Rows, func(a, b []puzzle.Value) int {
		if c := a[0].N.Cmp(b[0].N); c != 0 {
			return c
		}
		return a[1].N.Cmp(b[1].N)
	})
	grid, err := winners(ctx, r.Flags.Text("grid"))
	if err != nil {
		return nil, err
	}
	a := &puzzle.Answer{Title: "Who wins Babylone when both play well"}
	among := "any number of colours"
	if colours > 0 {
		among = "at most " + plural.Of(colours, "colour")
	}
	a.Summary.Problem.Add("games", "up to "+plural.Of(most, "brick")+" of "+among)
	a.Sections = []puzzle.Section{
		{Heading: "Games with equally many bricks of each colour", Tables: []string{grid.Name},
			Text: "1: the first player wins. 2: the second player wins. Blank: too many positions for an answer on the spot; " +
				"a run says who wins."},
		{Heading: "All games of up to " + plural.Of(most, "brick") + " of " + among,
			Text: fmt.Sprintf("The first player wins %d of %s. The games: --output csv --table %s.",
				first, plural.Of(len(splits.Rows), "game"), splits.Name)},
	}
	a.Summary.AddNumber("bricks", uint64(most), "the most bricks of a game")
	a.Summary.AddNumber("games", uint64(len(splits.Rows)), "splits of up to so many bricks among colours")
	a.Summary.AddNumber("first_wins", uint64(first), "games that the first player wins")
	a.Summary.AddNumber("second_wins", uint64(len(splits.Rows)-first), "games that the second player wins")
	a.Summary.Tables = []puzzle.Table{equal, splits, grid}
	return a, nil
}

// label finds the nimbers of the positions with one pile, with two, and so on, and returns those of the start. A space
// whose positions have fewer bricks than its colours has several starts.
func (s *space) label(ctx context.Context) (l *level, err error) {
	w := newWalker(s)
	for piles := 1; piles <= s.total; piles++ {
		if s.size(piles) == 0 {
			continue
		}
		next := &level{shift: 63, nimbers: [][]byte{make([]byte, s.size(piles))}}
		ids := s.unrank(0, piles, nil)
		for r := range s.size(piles) {
			if r > 0 {
				ids = s.next(ids, r, piles)
			}
			if r%1024 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if !s.terminal(ids) {
				after, _ := w.moves(ids, piles, nil)
				next.nimbers[0][r] = l.mex(after)
			}
		}
		l = next
	}
	return l, nil
}

// A split is a game, its colours in descending order of bricks, with the nimber of its start.
type split struct {
	bricks []int
	nimber int
}

// splitsOf finds the nimbers of all games of n bricks of at most so many colours (0: any number), from the positions of
// n bricks of these colours. The error wraps ErrGame or ErrLarge when these are too many.
func splitsOf(ctx context.Context, n, colours int) ([]split, error) {
	if colours == 0 || colours > n {
		colours = n
	}
	s, err := newSpaceOf(slices.Repeat([]int{n}, colours), n)
	if err != nil {
		return nil, err
	}
	if positions := s.positions(); positions > mostOnTheTable {
		return nil, fmt.Errorf("%w: %d positions of %d bricks and %d colours, at most %d are searched",
			ErrLarge, positions, n, colours, mostOnTheTable)
	}
	l, err := s.label(ctx)
	if err != nil {
		return nil, err
	}
	// The last level has the starts: bricks of height 1.
	list := make([]split, 0, s.size(n))
	for r, nimber := range l.nimbers[0] {
		g := split{nimber: int(nimber)}
		for _, id := range s.unrank(uint64(r), n, nil) {
			g.bricks = append(g.bricks, s.all[id].size)
		}
		slices.SortFunc(g.bricks, func(a, b int) int { return b - a })
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b split) int {
		if c := len(a.bricks) - len(b.bricks); c != 0 {
			return c
		}
		return slices.Compare(b.bricks, a.bricks)
	})
	return list, nil
}
