package babylone

import (
	"context"
	"math/rand/v2"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
)

var startQuestion = puzzle.Question{
	Name:  "start",
	Short: "begin a game: its bricks side by side, or a position after moves made at random",
	Long: `Gives a position to play from. --moves makes so many moves at random, each of those that can be made equally
likely, and fewer where the game ends before. The same seed gives the same position.`,
	Examples: []string{"3x2", "6x6 --moves 12 --seed 5"},
	Args:     []puzzle.Argument{{Name: "GAME", Doc: "2x2 (colours x bricks of each), or 3,2,2 (bricks colour by colour)"}},
	Flags: []setting.Setting{
		{Name: "moves", Kind: setting.Integer, Default: "0", Max: MaxBricks, Doc: "moves made at random"},
		puzzle.SeedFlag("the moves"),
	},
	Answer: answerStart,
}

func answerStart(_ context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	bricks, err := ParseGame(r.Args[0])
	if err != nil {
		return nil, &setting.Error{Setting: "GAME", Err: err, Hint: "write 2x2 or 3,2,2"}
	}
	random := rand.New(puzzle.Draws(r.Flags))
	p, made := start(bricks), 0
	for ; made < int(r.Flags.Uint("moves")); made++ {
		_, after := p.moves()
		if len(after) == 0 {
			break
		}
		p = after[random.IntN(len(after))]
	}
	a := &puzzle.Answer{Text: p.String() + "\n"}
	a.Summary.Problem.Facts = understood(bricks).Facts
	a.Summary.AddText("position", p.String(), "the position to play from")
	a.Summary.AddNumber("moves_made", uint64(made), "moves made at random")
	return a, nil
}

// reply is the move of the program: one that wins if there is any, otherwise one after which the fewest moves win. The
// rows are those of the moves, the winning ones first.
func (s *solver) reply(ctx context.Context, rows []choice) (best choice, err error) {
	best, fewest := rows[0], -1
	if best.nimber == 0 {
		return best, nil
	}
	for _, c := range rows {
		answers, err := s.choices(ctx, c.after)
		if err != nil {
			return best, err
		}
		wins := 0
		for _, a := range answers {
			if a.nimber == 0 {
				wins++
			}
		}
		if fewest < 0 || wins < fewest {
			best, fewest = c, wins
		}
	}
	return best, nil
}
