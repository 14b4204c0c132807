package ways

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/peg"
	"pagoda/internal/peg/reference"
	"pagoda/internal/puzzle/uint128"
)

// everySolution lists the solutions of a problem by trying every jump, in the order of the board's, and gives up after
// some.
func everySolution(p peg.Problem, most int) (list [][]peg.Jump, all bool) {
	ways := reference.Ways(p.Board, reference.Play(p.Board, p.Start, p.Jumps()), p.Goal)
	var game []peg.Jump
	var play func(q peg.Position)
	play = func(q peg.Position) {
		if len(list) > most || ways[len(game)][q] == nil {
			return
		}
		if q == p.Goal {
			list = append(list, slices.Clone(game))
			return
		}
		for _, j := range p.Board.Jumps {
			if j.Legal(q) {
				game = append(game, j)
				play(j.Play(q))
				game = game[:len(game)-1]
			}
		}
	}
	play(p.Start)
	return list, len(list) <= most
}

// TestListingsAreAllSolutions demands of a run, and of a count without one, every solution of a problem from any number
// on. Their order is that of trying every jump, and their numbers are their places in it.
func TestListingsAreAllSolutions(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		th, m := play(t, c.Params)
		want, all := everySolution(th.problem, 300)
		few, known, err := Few(ctx, th.problem, 1<<20)
		if err != nil || !known {
			t.Fatal(known, err)
		}
		from := rapid.IntRange(0, len(want)).Draw(t, "from")
		for _, l := range []*Listing{th.Listing(m), few} {
			total, err := l.Total(ctx)
			if err != nil || all && total != uint128.From(uint64(len(want))) {
				t.Fatalf("%v solutions, %v, want %d", total, err, len(want))
			}
			place := from
			err = l.Each(ctx, uint128.From(uint64(from)), func(number uint128.Uint128, jumps []peg.Jump) error {
				if place == len(want) && !all {
					return errFound
				}
				if number != uint128.From(uint64(place)) || !slices.Equal(jumps, want[place]) {
					t.Fatalf("%v after %d is solution %v, want %v", jumps, place, number, want[place])
				}
				if n, err := l.Number(ctx, jumps); err != nil || n != number {
					t.Fatalf("solution %v has the number %v, %v", number, n, err)
				}
				place++
				return nil
			})
			if all && err != nil || !all && !errors.Is(err, errFound) || place != len(want) {
				t.Fatalf("%d solutions of %d, %v", place, len(want), err)
			}
		}
	})
}

// TestFewGivesUp: a problem with more positions than may be played out is not known, and one that a criterion forbids
// has no solution.
func TestFewGivesUp(t *testing.T) {
	b, err := peg.Named("triangle5")
	if err != nil {
		t.Fatal(err)
	}
	ctx, p := context.Background(), peg.Problem{Board: b, Start: b.Complement(1), Goal: 1}
	if _, known, err := Few(ctx, p, 1<<20); err != nil || !known {
		t.Error(known, err)
	}
	if _, known, err := Few(ctx, p, 10); err != nil || known {
		t.Error(known, err)
	}
	p.Goal = 2
	l, known, err := Few(ctx, p, 10)
	if err != nil || !known {
		t.Fatal(known, err)
	}
	if n, err := l.Total(ctx); err != nil || !n.IsZero() {
		t.Error(n, err)
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	p.Goal = 1
	if _, _, err := Few(stopped, p, 1<<20); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
