package babylone

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

// mostPlayed bounds the positions that are found by playing every move, of each kind.
const mostPlayed = 1 << 14

var count = puzzle.Question{
	Name:  "count",
	Short: "how many positions a game has at each level, by formula and by playing every move",
	Long: fmt.Sprintf(`States the theorem that says which positions occur, and counts the positions of a game at every
level by its formula: colours told apart, up to permutation of colours, and with the bricks inside the piles told apart.
A game of up to %d positions is played in every way beside it, and the numbers are compared.`, mostPlayed),
	Examples: []string{"2x2", "4x3", "5,3,2 --output json"},
	Args: []puzzle.Argument{
		{Name: "GAME", Doc: "2x2 (colours x bricks of each), or 3,2,2 (bricks colour by colour)"},
	},
	Outputs: []puzzle.Output{puzzle.Tables},
	Answer:  answerCount,
}

const (
	theorem = `Let p(h) be the number of ones of h in binary. A pile of height h whose top has colour c can be built if and
only if p(h) bricks of colour c are at hand. A position occurs if and only if its heights add up to the bricks, and for
every colour c the sum of p(h) over the piles that show c is at most the number of bricks of colour c. So the positions
with k piles are the coefficient of x^n y^k in the product over the colours of f(b), for n bricks in all, b of the
colour. The series f(b) adds up the coefficients of z^0 to z^b of the product over h of 1 / (1 - x^h y z^p(h)). The
proof is in docs/babylone.md.`
	byFormula = "by the formula"
	byPlaying = "found by playing every move"
)

func answerCount(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	bricks, err := ParseGame(r.Args[0])
	if err != nil {
		return nil, &setting.Error{Setting: "GAME", Err: err, Hint: "write 2x2 or 3,2,2"}
	}
	kinds, err := countKinds(ctx, bricks)
	if errors.Is(err, ErrGame) {
		return nil, &setting.Error{Setting: "GAME", Err: err, Hint: "choose fewer colours or bricks"}
	}
	if err != nil {
		return nil, err
	}
	ways, err := product(slices.Repeat([]int{sum(bricks)}, len(bricks)), sum(bricks))
	if err != nil {
		return nil, err
	}
	a := &puzzle.Answer{Title: "Positions of the game " + gameName(bricks)}
	a.Summary.Problem = understood(bricks)
	levels := puzzle.Table{Name: "by_level", Columns: []puzzle.Column{
		numbered("level", "moves made"), numbered("piles", "piles left"),
		counted("ways", "ways to show so many piles, with bricks for them or without"),
	}}
	total := sum(bricks)
	for level := range len(kinds[0].formula) {
		levels.Rows = append(levels.Rows, []puzzle.Value{number(level), number(total - level), {N: ways[total-level]}})
	}
	text := ""
	for _, k := range kinds {
		levels.Columns = append(levels.Columns, counted(k.name, k.doc+", "+byFormula))
		var all uint128.Uint128
		for level, n := range k.formula {
			levels.Rows[level] = append(levels.Rows[level], puzzle.Value{N: n})
			all, _ = all.Add(n)
		}
		a.Summary.AddCount(k.name, all, k.doc)
		said := ""
		if k.played != nil {
			levels.Columns = append(levels.Columns, counted(k.name+"_played", k.doc+", "+byPlaying))
			for level, n := range k.played {
				levels.Rows[level] = append(levels.Rows[level], number(n))
			}
			said = " Playing every move finds as many."
		}
		text += fmt.Sprintf("%s: %v.%s ", capital(k.doc), all, said)
	}
	piles := puzzle.Table{Name: "piles", Columns: []puzzle.Column{
		numbered("height", "bricks of a pile"), numbered("least", "the fewest of them that have the colour on top: p(h)"),
	}}
	for h := 1; h <= total; h++ {
		piles.Rows = append(piles.Rows, []puzzle.Value{number(h), number(weight(h))})
	}
	if kinds[0].played == nil {
		text += fmt.Sprintf("Games of more than %d positions are not played here; a run counts them one by one. ", mostPlayed)
	}
	text += fmt.Sprintf("The longest game has %s.", plural.Of(len(levels.Rows)-1, "move"))
	a.Summary.Tables = []puzzle.Table{levels, piles}
	a.Sections = []puzzle.Section{
		{Heading: "The theorem", Text: theorem, Tables: []string{"piles"}},
		{Heading: "Positions by level", Text: text, Tables: []string{"by_level"}},
	}
	return a, nil
}

// A kindOf positions is counted by the formula, and by playing where they are few.
type kindOf struct {
	name, doc string
	formula   []uint128.Uint128 // by level, the start first
	played    []int
}

// countKinds counts the positions of a game, those up to colours, and those with inner bricks where it is small. It
// returns an error when playing finds other numbers than the formula.
func countKinds(ctx context.Context, bricks []int) ([]kindOf, error) {
	b, err := New(Params{Bricks: bricks, Count: CountGraph})
	if err != nil {
		return nil, err
	}
	kinds := []kindOf{
		{name: "positions", doc: "positions", formula: b.levels(b.apart)},
		{name: "positions_up_to_colours", doc: "positions up to permutation of colours", formula: b.levels(b.upToColours())},
	}
	views := []view{{}, {upToColours: true}}
	if b.inside() {
		positions, _, err := inside(ctx, bricks)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, kindOf{name: "positions_inside", doc: "positions with inner bricks told apart",
			formula: b.levels(positions)})
		views = append(views, view{inner: true})
	}
	for i := range kinds {
		k := &kinds[i]
		var all uint128.Uint128
		for _, n := range k.formula {
			all, _ = all.Add(n)
		}
		if all.Cmp(uint128.From(mostPlayed)) > 0 {
			continue
		}
		k.played, _, err = views[i].levels(ctx, bricks, mostPlayed)
		if err != nil && !errors.Is(err, ErrLarge) {
			return nil, err
		}
		if len(k.played) != len(k.formula) {
			return nil, fmt.Errorf("%s of %s: playing finds %d levels and the formula %d; please report it",
				k.doc, gameName(bricks), len(k.played), len(k.formula))
		}
		for level, n := range k.played {
			if k.formula[level] != uint128.From(uint64(n)) {
				return nil, fmt.Errorf("%s of %s: playing finds %d at level %d and the formula %v; please report it",
					k.doc, gameName(bricks), n, level, k.formula[level])
			}
		}
	}
	return kinds, nil
}

// capital is a phrase as the beginning of a sentence.
func capital(s string) string { return string(s[0]-'a'+'A') + s[1:] }
