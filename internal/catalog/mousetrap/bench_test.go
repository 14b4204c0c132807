package mousetrap

import (
	"context"
	"fmt"
	"testing"

	"pagoda/internal/puzzle/uint128"
)

// BenchmarkAddress counts the decks of one set of cards left, in surveys of the largest sizes that take seconds.
func BenchmarkAddress(b *testing.B) {
	for _, p := range []Params{
		{Rules: Rules{Cards: 15}, Count: Winning},
		{Rules: Rules{Cards: 17}, Count: Winning},
		{Rules: Rules{Cards: 14}, Count: Hits},
		{Rules: Rules{Cards: 13}, Count: Reforms},
		{Rules: Rules{Cards: 16}, Count: Reforms},
		{Rules: Rules{Cards: 12, Modular: true}, Count: Hits},
	} {
		b.Run(fmt.Sprintf("%s-%d-%s", p.variant(), p.Cards, p.Count), func(b *testing.B) {
			p.Rest = goodRest(p)
			k := newWorker(p, false)
			k.totals.hits = make([]uint128.Uint128, p.Cards+1)
			all := binomial(p.Cards, p.Rest)
			for i := range b.N {
				if err := k.address(context.Background(), p.Rest, uint64(i)%all); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(k.outer.steps+k.inner.steps)/float64(b.N), "steps/op")
		})
	}
}
