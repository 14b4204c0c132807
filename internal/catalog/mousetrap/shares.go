package mousetrap

import (
	"context"
	"fmt"
	"math"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/figure"
	"pagoda/internal/puzzle/plural"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

// mostShares bounds the rows that are counted in answer to a question: those up to 12 take a few seconds.
const mostShares = 12

var sharesQuestion = puzzle.Question{
	Name:  "shares",
	Short: "count the shares of decks with 0, 1, 2, ... hits, for 1 to N cards",
	Long: "Counts the rows of hits of 1 to N cards and gives the shares of all decks as fractions. The picture has a\n" +
		"series for each number of cards, and, for the plain game, the limit that the shares have as the cards become\n" +
		"many: (1-1/e)^k / e for k hits.\n",
	Examples: []string{"9", "9 --output svg"},
	Args:     []puzzle.Argument{{Name: "N", Doc: "largest number of cards, up to 12 (9).", Optional: true}},
	Flags:    []setting.Setting{variantSetting},
	Outputs:  []puzzle.Output{puzzle.Pictures, puzzle.Tables},
	Answer:   answerShares,
}

func answerShares(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	largest := uint64(9)
	if len(r.Args) > 0 {
		var err error
		const hint = "rows of more cards are runs with count: hits"
		if largest, err = setting.IntegerArgument("N", r.Args[0], 1, mostShares, hint); err != nil {
			return nil, err
		}
	}
	table := puzzle.Table{Name: "shares", Columns: append([]puzzle.Column{
		{Name: "cards", Kind: puzzle.Number, Doc: "number of cards"},
	}, hitsTable(nil).Columns...)}
	chart := &figure.Chart{X: "hits", Y: "share of all decks", Lines: true, Linear: true}
	isModular := r.Flags.Text("variant") == modular
	for n := 1; n <= int(largest); n++ {
		row, err := countRow(ctx, Rules{Cards: n, Modular: isModular})
		if err != nil {
			return nil, err
		}
		for _, v := range hitsTable(row).Rows {
			table.Rows = append(table.Rows, append([]puzzle.Value{number(n)}, v...))
		}
		chart.Series = append(chart.Series, shareSeries(row))
	}
	if !isModular {
		chart.Series = append(chart.Series, limitSeries(int(largest)))
	}
	a := &puzzle.Answer{
		Figures: []figure.Figure{{Name: "shares", Title: "Mousetrap: share of decks by hits", Chart: chart}},
	}
	a.Summary.Problem = understood("of 1 to "+plural.Of(largest, "card"), r.Flags.Text("variant"))
	a.Summary.AddText("variant", r.Flags.Text("variant"), "plain or modular")
	a.Summary.AddNumber("largest", largest, "largest number of cards")
	a.Summary.Tables = append(a.Summary.Tables, table)
	return a, nil
}

// countRow counts decks by hits, without a run.
func countRow(ctx context.Context, r Rules) ([]uint128.Uint128, error) {
	s, err := New(Params{Rules: r, Count: Hits})
	if err != nil {
		return nil, err
	}
	var sum puzzle.Tally
	for _, left := range s.rests() {
		plan := s.plan(left)
		for i := range plan.Windows() {
			t, err := s.Compute(ctx, plan.Window(i), nil, nil)
			if err != nil {
				return nil, err
			}
			if err := sum.Merge(&t); err != nil {
				return nil, err
			}
		}
	}
	return s.row(&sum)
}

func shareSeries(row []uint128.Uint128) figure.Series {
	n := len(row) - 1
	series := figure.Series{Name: plural.Of(n, "card")}
	for k, decks := range row {
		share := shareOf(decks, n)
		y, _ := share.Float64()
		series.Points = append(series.Points, figure.Point{X: float64(k), Y: y, Exact: share.String()})
	}
	return series
}

func limitSeries(largest int) figure.Series {
	series := figure.Series{Name: "limit"}
	for k := range largest + 1 {
		y := math.Pow(1-1/math.E, float64(k)) / math.E
		series.Points = append(series.Points, figure.Point{X: float64(k), Y: y, Exact: fmt.Sprintf("(1-1/e)^%d / e", k)})
	}
	return series
}
