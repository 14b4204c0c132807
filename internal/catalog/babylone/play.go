package babylone

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
)

// flagReply has the program move first.
const flagReply = "reply"

var play = puzzle.Question{
	Name:  "play",
	Short: "who wins a position, and what each move leads to",
	Long: `Says who wins a position when both play well, its nimber, and for every move the position after it, its nimber
and whether the move wins. A position is its piles, each the letter of its top colour and its height. The bricks inside
the piles do not matter. With --reply the program makes a move first: one that wins if there is any, otherwise one after
which the fewest moves win. So a game is played against it by giving the position after each move of one's own.`,
	Examples: []string{"y1,y1,b1,b1", "b3,b1,r2", "b1,b1,y2 --reply"},
	Flags: []setting.Setting{
		{Name: flagReply, Kind: setting.Boolean, Default: "false", Doc: "the program makes a move first"},
	},
	Args: []puzzle.Argument{
		{Name: "POSITION", Doc: "piles separated by commas or blanks, such as y1,y1,b3", Repeated: true},
	},
	Outputs: []puzzle.Output{puzzle.Pictures, puzzle.Tables},
	Answer:  answerPlay,
}

func answerPlay(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	p, err := ParsePosition(strings.Join(r.Args, ","))
	if err != nil {
		return nil, &setting.Error{Setting: "POSITION", Err: err, Hint: "write piles such as y1,y1,b3"}
	}
	s := newSolver()
	a := &puzzle.Answer{}
	nimber, err := s.nimber(ctx, p)
	var moves []choice
	if err == nil {
		moves, err = s.choices(ctx, p)
	}
	if err == nil && r.Flags.Bool(flagReply) && len(moves) > 0 {
		var made choice
		if made, err = s.reply(ctx, moves); err == nil {
			p, nimber = made.after, made.nimber
			a.Summary.AddText("reply", made.move.String(), "the move of the program")
			moves, err = s.choices(ctx, p)
		}
	}
	if errors.Is(err, ErrLarge) {
		return nil, &setting.Error{Setting: "POSITION", Err: err, Hint: "take a position with fewer piles, or make a run"}
	}
	if err != nil {
		return nil, err
	}
	table := puzzle.Table{Name: "moves", Columns: []puzzle.Column{
		worded("move", "the upper pile on the lower one"), worded("position", "after the move"),
		numbered("nimber", "Grundy value of the position after the move"), worded("outcome", "for who makes the move"),
	}}
	a.Moves = &puzzle.Moves{Over: len(moves) == 0}
	for _, c := range moves {
		outcome := "loses"
		if c.nimber == 0 {
			outcome = "wins"
			a.Moves.Best++
		}
		a.Moves.Presses = append(a.Moves.Presses, []string{c.move.Upper.String(), c.move.Lower.String()})
		table.Rows = append(table.Rows,
			[]puzzle.Value{{S: c.move.String()}, {S: c.after.String()}, number(c.nimber), {S: outcome}})
	}
	a.Figures = []figure.Figure{{Name: "piles", Title: p.String(), Board: p.board()}}
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

// A choice is a move with the nimber of the position after it: 0 where the move wins.
type choice struct {
	move   Move
	after  Position
	nimber int
}

// choices are the moves of a position, those with the smallest nimbers first.
func (s *solver) choices(ctx context.Context, p Position) (list []choice, err error) {
	moves, after := p.moves()
	for i, m := range moves {
		n, err := s.nimber(ctx, after[i])
		if err != nil {
			return nil, err
		}
		list = append(list, choice{m, after[i], n})
	}
	slices.SortStableFunc(list, func(a, b choice) int { return cmp.Compare(a.nimber, b.nimber) })
	return list, nil
}

// hues are the colours of the first letters.
var hues = map[byte]figure.Colour{
	'b': figure.Blue, 'r': figure.Red, 'y': figure.Yellow, 'o': figure.Orange, 'w': figure.White, 'g': figure.Green,
	'p': figure.Purple, 'k': figure.Black,
}

// pilesInRow is how many piles stand beside each other in a picture.
const pilesInRow = 12

// board draws the piles in lines: the top of each in its colour, with its name, the bricks below it grey.
func (p Position) board() *figure.Board {
	b, ground := &figure.Board{}, 0.0
	for line := range slices.Chunk(p, pilesInRow) {
		if ground > 0 {
			ground += 0.5
		}
		highest := 0
		for _, pile := range line {
			highest = max(highest, pile.Height)
		}
		ground += float64(highest)
		for i, pile := range line {
			cells := make([]figure.Cell, pile.Height)
			for h := range cells {
				cells[h] = figure.Cell{Row: ground - float64(pile.Height-h), Column: 1.25 * float64(i), Fill: figure.Faint,
					Detail: pile.String()}
			}
			cells[0].Fill, cells[0].Label = hues[pile.Colour], pile.String()
			top := cmp.Or(string(hues[pile.Colour]), string(pile.Colour))
			b.Add(pile.String(), fmt.Sprintf("pile %v: %s on top, %s", pile, top, plural.Of(pile.Height, "brick")), cells...)
		}
	}
	return b
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
