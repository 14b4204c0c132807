package baseball

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// randomName is the first method with its free choices made at random: where either of two tokens may move, each does
// with probability 1/2.
const randomName = "one_base_at_a_time_random"

// playRandom returns the moves of one such game.
func playRandom(c Configuration, random *rand.Rand) (way []Move) {
	for !c.Solved() {
		choices := c.oneBase(nil)
		m := choices[random.IntN(len(choices))]
		way = append(way, m)
		c = c.After(m)
	}
	return way
}

// A spread is the number of moves of the first method from a configuration, over all choices: the least, the most, and
// the mean when choices are made at random.
type spread struct {
	best, worst int
	mean        *big.Rat
}

// spreads finds spreads of configurations, each once.
type spreads struct {
	limit int // configurations that are looked at; past it the error wraps ErrLimit
	known map[Configuration]*spread
}

func (s *spreads) of(c Configuration) (*spread, error) {
	if known := s.known[c]; known != nil {
		return known, nil
	}
	if len(s.known) >= s.limit {
		return nil, &LimitError{Limit: s.limit}
	}
	out := &spread{mean: new(big.Rat)}
	choices := c.oneBase(nil)
	for i, m := range choices {
		after, err := s.of(c.After(m))
		if err != nil {
			return nil, err
		}
		if i == 0 || after.best+1 < out.best {
			out.best = after.best + 1
		}
		out.worst = max(out.worst, after.worst+1)
		out.mean.Add(out.mean, after.mean)
	}
	if n := int64(len(choices)); n > 0 {
		out.mean.Mul(out.mean, big.NewRat(1, n))
		out.mean.Add(out.mean, big.NewRat(1, 1))
	}
	s.known[c] = out
	return out, nil
}

// spreadLimit bounds the configurations that solve looks at for the mean of random play.
const spreadLimit = 1 << 17

// addRandom appends the mean of random play from c, where it is found within spreadLimit.
func addRandom(sum *puzzle.Summary, c Configuration) error {
	found := spreads{spreadLimit, map[Configuration]*spread{}}
	s, err := found.of(c)
	if errors.Is(err, ErrLimit) {
		sum.Notes = append(sum.Notes, fmt.Sprintf("the mean is not found: more than %d configurations follow", spreadLimit))
		return nil
	}
	if err != nil {
		return err
	}
	addMean(sum, fractionOf(s.mean), "mean of the moves over all random choices, a fraction in lowest terms")
	return nil
}

// addMean appends a mean, which is a fraction.
func addMean(sum *puzzle.Summary, mean puzzle.Value, doc string) {
	sum.Facts = append(sum.Facts,
		puzzle.Fact{Value: mean, Column: puzzle.Column{Name: "mean", Kind: puzzle.Text, Doc: doc}})
}

// fractionOf is a fraction, which people read with three decimals before it.
func fractionOf(r *big.Rat) puzzle.Value {
	return puzzle.Value{S: r.String(), Shown: r.FloatString(3) + " = " + r.RatString()}
}

// mostPlayed is the largest number of bases whose configurations are all played on the spot.
const mostPlayed = 6

var methodsQuestion = puzzle.Question{
	Name:  "methods",
	Short: "the moves of the source's methods, from all configurations of n bases",
	Long: `Plays the methods of the source from every configuration: the most moves and the mean. The first method, one
base at a time, leaves choices open. It is played with the best, with the worst and with random choices, where either of
two tokens moves with probability 1/2. The mean of random play is exact: over all choices and all configurations.`,
	Examples: []string{"5"},
	Args:     []puzzle.Argument{{Name: "BASES", Doc: fmt.Sprintf("The number of bases, 2 to %d.", mostPlayed)}},
	Outputs:  []puzzle.Output{puzzle.Tables},
	Answer:   answerMethods,
}

func answerMethods(ctx context.Context, r puzzle.Request) (*puzzle.Answer, error) {
	n, err := number("BASES", r.Args[0], 2, mostPlayed)
	if err != nil {
		return nil, err
	}
	type score struct {
		name  string
		worst int
		sum   *big.Rat
	}
	scores := []score{{name: OneBaseBest.String()}, {name: randomName}, {name: OneBaseWorst.String()},
		{name: BestPush.String()}}
	for i := range scores {
		scores[i].sum = new(big.Rat)
	}
	add := func(i, worst int, mean *big.Rat) {
		scores[i].worst = max(scores[i].worst, worst)
		scores[i].sum.Add(scores[i].sum, mean)
	}
	o, all := newOrder(n), Configurations(n)
	known := spreads{int(all.Int64()), make(map[Configuration]*spread, all.Int64())}
	for hole := range n {
		for rank := range o.ranks() {
			if rank%1024 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			f := o.unrank(rank, hole)
			c := o.configuration(&f, hole)
			s, err := known.of(c)
			if err != nil {
				return nil, err
			}
			way, err := BestPush.Play(c, DefaultLimit)
			if err != nil {
				return nil, err
			}
			add(0, s.best, big.NewRat(int64(s.best), 1))
			add(1, s.worst, s.mean)
			add(2, s.worst, big.NewRat(int64(s.worst), 1))
			add(3, len(way), big.NewRat(int64(len(way)), 1))
		}
	}
	a := &puzzle.Answer{}
	a.Summary.Problem = understood(n, Line)
	a.Summary.AddNumber("bases", uint64(n), "number of bases")
	a.Summary.AddText("configurations", all.String(), "number of configurations, in decimal digits")
	table := puzzle.Table{Name: "methods", Columns: []puzzle.Column{
		{Name: "method", Kind: puzzle.Text, Doc: "name of the method"},
		{Name: "worst", Kind: puzzle.Number, Doc: "most moves that it can take"},
		{Name: "mean", Kind: puzzle.Text, Doc: "mean of its moves, a fraction in lowest terms"},
	}}
	for _, s := range scores {
		table.Rows = append(table.Rows, []puzzle.Value{{S: s.name}, {N: uint128.From(uint64(s.worst))},
			fractionOf(s.sum.Quo(s.sum, new(big.Rat).SetInt(all)))})
	}
	a.Summary.Tables = []puzzle.Table{table}
	return a, nil
}
