package mousetrap

import (
	"context"
	"fmt"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/setting"
	"pagoda/internal/puzzle/uint128"
)

var decksQuestion = puzzle.Question{
	Name:  "decks",
	Short: "list the winning decks of a finished run, or those that are k-reformed",
	Long: "Lists every winning deck with its order of removal and how often it can be reformed. The decks are found\n" +
		"again, by the search of the run; they come in the order of its windows. When all of them are listed, their\n" +
		"number is compared with the run's.\n",
	Examples: []string{"--data runs/mousetrap-13-reformed-0123456789ab --reformed 4"},
	Flags: []setting.Setting{{
		Name: "reformed", Kind: setting.Integer, Default: "0", Max: 1000,
		Doc: "list only decks that are reformed exactly so often; 0 lists all that win",
	}},
	Needs:   puzzle.NeedsResults,
	Outputs: []puzzle.Output{puzzle.Tables},
	Answer:  answerDecks,
}

func answerDecks(_ context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	s, ok := r.Run.Puzzle.(*Survey)
	if !ok {
		return nil, fmt.Errorf("%w: it is not a run of mousetrap", puzzle.ErrNotAsked)
	}
	if s.p.Count == Hits {
		return nil, fmt.Errorf("%w: a run with count: hits has no list of decks; run with count: winning or reformed",
			puzzle.ErrNotAsked)
	}
	if !r.Run.Results.Complete() {
		return nil, fmt.Errorf("%w before it is finished; run it again to resume", puzzle.ErrNotAsked)
	}
	t, _ := r.Run.Results.Layer(0)
	times := int(r.Flags.Uint("reformed"))
	return &puzzle.Answer{Stream: &puzzle.Stream{
		Columns: []puzzle.Column{
			{Name: "deck", Kind: puzzle.Text, Doc: "the cards, first card first"},
			{Name: "order", Kind: puzzle.Text, Doc: "the order in which they are removed"},
			{Name: "reformed", Kind: puzzle.Text, Doc: "how often the deck can be reformed, or forever"},
		},
		Each: func(ctx context.Context, emit func([]puzzle.Value) error) error {
			return s.list(ctx, times, s.winning(&t), emit)
		},
	}}, nil
}

// list emits every winning deck, or those that are reformed so many times. There must be winning ones in all.
func (s *Survey) list(ctx context.Context, times int, winning uint128.Uint128, emit func([]puzzle.Value) error) error {
	k := s.workers.Get().(*worker)
	defer s.workers.Put(k)
	k.totals = totals{}
	found := uint64(0)
	row := make([]puzzle.Value, 3)
	each := func(deck, order []uint8) error {
		found++
		how := s.p.Reform(wide(deck))
		if times != 0 && (how.Forever || how.Times != times) {
			return nil
		}
		row[0].S, row[1].S, row[2].S = FormatDeck(deck), FormatDeck(order), fmt.Sprint(how.Times)
		if how.Forever {
			row[2].S = "forever"
		}
		return emit(row)
	}
	rest := s.p.Rest
	if s.sure {
		rest = goodRest(s.p) // arrangements have to be listed
	}
	for a := range binomial(s.p.Cards, rest) {
		if err := ctx.Err(); err != nil {
			return err
		}
		cards := scattered(s.p.Cards, rest, a)
		var err error
		if before := uint32(1)<<s.p.Cards - 1 - cards; times > 1 {
			// Few decks are reformed twice: the others are counted as a run does.
			var order [MostCards]uint8
			err = k.reformed(ctx, cards, before, func(deck []uint8) error {
				return each(deck, order[:s.p.removals(order[:], deck)])
			})
		} else {
			err = k.decks(ctx, cards, before, each)
		}
		if err != nil {
			return err
		}
	}
	if times > 1 {
		found += k.totals.reforms.of(1).decks
	}
	if uint128.From(found) != winning {
		return fmt.Errorf("%d decks win and the run says %v; verify the run", found, winning)
	}
	return nil
}
