package games

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/uint128"
)

// lying adds amounts to the counts of rows of some windows, in the order of their rows.
type lying struct {
	puzzle.Source
	add map[puzzle.WindowID][]uint128.Uint128
}

// Blocks implements puzzle.Source.
func (l lying) Blocks(
	ctx context.Context, w puzzle.Window, first, addresses uint64, fn func(*puzzle.Block) error,
) error {
	amounts := l.add[w.ID()]
	return l.Source.Blocks(ctx, w, first, addresses, func(b *puzzle.Block) error {
		c := *b
		lo, hi := make([]uint64, b.Rows()), make([]uint64, b.Rows())
		copy(lo, b.Column(0))
		copy(hi, b.Column(1))
		for r := 0; r < len(lo) && len(amounts) > 0; r++ {
			n, _ := uint128.Uint128{Lo: lo[r], Hi: hi[r]}.Add(amounts[0])
			lo[r], hi[r], amounts = n.Lo, n.Hi, amounts[1:]
		}
		c.Columns = [][]uint64{lo, hi}
		return fn(&c)
	})
}

// disagree names the weighings that differ from the run.
func disagree(t *testing.T, g *Puzzle, m *puzzletest.Memory, in puzzle.Source, seed uint64) (what []string) {
	t.Helper()
	list, err := g.Weighings(m, rand.New(rand.NewPCG(seed, 1)).Uint64)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		var sum uint128.Uint128
		for _, w := range r.Windows {
			n, err := r.Share(t.Context(), w, in)
			if err != nil {
				t.Fatal(err)
			}
			sum, _ = sum.Add(n)
		}
		if r.Reduce(sum) != r.Want {
			what = append(what, r.What)
		}
	}
	return what
}

// TestWeighings: the weights of right rows agree on every kind of board, symmetries that permute the classes among
// them, in one window and in many.
func TestWeighings(t *testing.T) {
	for _, c := range []struct{ board, start, goal string }{
		{"triangle5", "r0c0", "r0c0"}, {"triangle5", "r2c1", "r0c0"}, {"square5", "center", "center"},
		{"hexagon19", "r0c0", "r0c0"}, {"triangle4", "r1c0", "r0c0"},
	} {
		for _, addresses := range []uint64{0, 256} {
			g := newGames(t, c.board, c.start, c.goal, addresses)
			m := puzzletest.Play(t, g, puzzletest.Options{Stored: true})
			if what := disagree(t, g, m, m, 7); what != nil {
				t.Errorf("%s from %s in windows of %d: %q differ", c.board, c.start, addresses, what)
			}
		}
	}
}

// TestWeighingsFindLies: paths are moved from one position to another of the same window, in every window in its turn.
// Sums, flows into the window and positions stay as they were. The weights of its layer and of the next one differ.
func TestWeighingsFindLies(t *testing.T) {
	g := newGames(t, "triangle5", "r2c1", "r0c0", 0)
	g.Merge(0) // many windows
	m := puzzletest.Play(t, g, puzzletest.Options{Stored: true})
	list, err := g.Weighings(m, rand.New(rand.NewPCG(3, 1)).Uint64)
	if err != nil {
		t.Fatal(err)
	}
	less := func(n uint64) uint128.Uint128 { return uint128.Uint128{Lo: -n, Hi: ^uint64(0)} }
	lies := 0
	for _, r := range list[:len(g.Layers)] {
		for _, w := range r.Windows {
			rows := 0
			if err := m.Blocks(t.Context(), w, w.First, w.Addresses, func(b *puzzle.Block) error {
				rows += b.Rows()
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if rows < 2 {
				continue
			}
			lies++
			in := lying{m, map[puzzle.WindowID][]uint128.Uint128{w.ID(): {uint128.From(5), less(5)}}}
			if what := disagree(t, g, m, in, uint64(lies)); !slices.ContainsFunc(list, func(r puzzle.Recount) bool {
				return r.Modulus != 0 && slices.Contains(what, r.What)
			}) {
				t.Errorf("a lie in window %s is not found: %q", w.ID(), what)
			}
		}
	}
	if lies < 100 {
		t.Errorf("%d lies", lies)
	}
}

// TestWeighingsOfConsistentLie: all counts of a run are doubled, so that all of them agree with each other. Only the
// weight of the start differs, and the number of games is the run's own.
func TestWeighingsOfConsistentLie(t *testing.T) {
	g, liar := newGames(t, "triangle5", "r2c1", "r0c0", 0), newGames(t, "triangle5", "r2c1", "r0c0", 0)
	liar.Unit = uint128.From(2)
	m := puzzletest.Play(t, liar, puzzletest.Options{Stored: true})
	if what := disagree(t, g, m, m, 5); !slices.Equal(what, []string{"random weight of the start"}) {
		t.Errorf("%q differ", what)
	}
}
