package babylone

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
)

var play = puzzle.Question{
	Name:  "play",
	Short: "who wins a position, and what each move leads to",
	Long: `Says who wins a position when both play well, its nimber, and for every move the position after it, its nimber
and whether the move wins. A position is its piles, each the letter of its top colour and its height. The bricks inside
the piles do not matter.`,
	Examples: []string{"y1,y1,b1,b1", "b3,b1,r2"},
	Args: []puzzle.Argument{
		{Name: "POSITION", Doc: "piles separated by commas or blanks, such as y1,y1,b3", Repeated: true},
	},
	Outputs: []puzzle.Output{puzzle.Tables},
	Answer:  answerPlay,
}

func answerPlay(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	p, err := ParsePosition(strings.Join(r.Args, ","))
	if err != nil {
		return nil, &setting.Error{Setting: "POSITION", Err: err, Hint: "write piles such as y1,y1,b3"}
	}
	s := newSolver()
	nimber, err := s.nimber(ctx, p)
	if errors.Is(err, ErrLarge) {
		return nil, &setting.Error{Setting: "POSITION", Err: err, Hint: "take a position with fewer piles, or make a run"}
	}
	if err != nil {
		return nil, err
	}
	moves, after := p.moves()
	table := puzzle.Table{Name: "moves", Columns: []puzzle.Column{
		worded("move", "the upper pile on the lower one"), worded("position", "after the move"),
		numbered("nimber", "Grundy value of the position after the move"), worded("outcome", "for who makes the move"),
	}}
	for i, m := range moves {
		n, err := s.nimber(ctx, after[i])
		if err != nil {
			return nil, err
		}
		outcome := "loses"
		if n == 0 {
			outcome = "wins"
		}
		table.Rows = append(table.Rows, []puzzle.Value{{S: m.String()}, {S: after[i].String()}, number(n), {S: outcome}})
	}
	slices.SortStableFunc(table.Rows, func(a, b []puzzle.Value) int { return cmp.Compare(a[2].N.Lo, b[2].N.Lo) })
	a := &puzzle.Answer{}
	a.Summary.Problem.Add("position", p.String()+", "+plural.Of(len(p), "pile")+" of "+plural.Of(p.bricks(), "brick"))
	a.Summary.AddText("position", p.String(), "the position asked about")
	a.Summary.AddNumber("piles", uint64(len(p)), "piles")
	a.Summary.AddNumber("bricks", uint64(p.bricks()), "sum of the heights")
	a.Summary.AddNumber("winner", winnerOf(nimber), "1 when the player to move wins, otherwise 2")
	a.Summary.AddNumber("nimber", uint64(nimber), "Grundy value")
	a.Summary.Tables = []puzzle.Table{table}
	switch {
	case len(moves) == 0:
		a.Summary.Notes = append(a.Summary.Notes, "no move is left: the player to move has lost")
	case nimber == 0:
		a.Summary.Notes = append(a.Summary.Notes, "the player to move loses, whatever the move")
	default:
		a.Summary.Notes = append(a.Summary.Notes, "the player to move wins with "+table.Rows[0][0].S)
	}
	return a, nil
}

func winnerOf(nimber int) uint64 {
	if nimber == 0 {
		return 2
	}
	return 1
}

// gameName writes a game shortly: 3x2 when all colours have as many bricks, otherwise the list.
func gameName(bricks []int) string {
	for _, n := range bricks[1:] {
		if n != bricks[0] {
			return writeBricks(bricks)
		}
	}
	return strconv.Itoa(len(bricks)) + "x" + strconv.Itoa(bricks[0])
}
