package chance

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"pagoda/internal/counting/countingtest"
)

// TestSimulate plays games with a fixed seed on the triangle of 15. Their shares are within five standard errors of the
// fractions, and the same games are played again.
func TestSimulate(t *testing.T) {
	p := countingtest.Problem(t, "triangle5", "a1", "a1", 0)
	exact, _, ok, err := Exact(context.Background(), p, 1<<16)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	const games = 50_000
	s, err := Simulate(context.Background(), p, games, rand.NewChaCha8([32]byte{1}))
	if err != nil || s.Games != games {
		t.Fatal(s.Games, err)
	}
	total := uint64(0)
	for _, l := range exact.Layers {
		n := s.ByPegs[l.Pegs]
		total += n
		want, _ := l.ExactEnded.Float64()
		share, deviation := s.Share(n, l.Ended)
		if share != float64(n)/games || math.Abs(deviation-math.Sqrt(want*(1-want)/games)) > 1e-12 ||
			math.Abs(share-want) > 5*deviation {
			t.Errorf("%d pegs: %d games, a share of %v with an error of %v, chance %v", l.Pegs, n, share, deviation, want)
		}
	}
	if want, _ := exact.ExactGoal.Float64(); total != games || s.Goal == 0 || s.Goal > s.ByPegs[1] ||
		math.Abs(float64(s.Goal)-games*want) > 5*math.Sqrt(games*want) {
		t.Errorf("%d games ended, %d at the goal, of %d with one peg", total, s.Goal, s.ByPegs[1])
	}
	again, err := Simulate(context.Background(), p, games, rand.NewChaCha8([32]byte{1}))
	if err != nil || again != s {
		t.Errorf("the same seed gives other games: %v, %v", again, err)
	}
}
