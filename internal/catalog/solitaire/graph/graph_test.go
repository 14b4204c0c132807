package graph

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/catalog/solitaire/feasible"
	"pagoda/internal/peg"
	"pagoda/internal/peg/pegtest"
	"pagoda/internal/puzzle/uint128"
)

// matrix has an entry for each pair of positions.
type matrix [][]uint64

func (m matrix) times(o matrix) matrix {
	out := make(matrix, len(m))
	for i := range m {
		out[i] = make([]uint64, len(m))
		for k, x := range m[i] {
			if x == 0 {
				continue
			}
			for j, y := range o[k] {
				out[i][j] += x * y
			}
		}
	}
	return out
}

// adjacency is M, made without the jumps of the board: three holes of a triplet change.
func adjacency(b *peg.Board) matrix {
	m := make(matrix, b.Full()+1)
	for p := range m {
		m[p] = make([]uint64, len(m))
		for _, j := range b.Jumps {
			has := func(h uint16) bool { return p>>h&1 == 1 }
			if has(j.From) && has(j.Over) && !has(j.To) {
				m[p][p-1<<j.From-1<<j.Over+1<<j.To]++
			}
		}
	}
	return m
}

// TestAgainstMatrices compares edges, powers of M and the closure by Warshall's algorithm.
func TestAgainstMatrices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := pegtest.Board(3, 7).Draw(t, "board")
		g, err := New(b)
		if err != nil {
			t.Fatal(err)
		}
		m := adjacency(b)
		closure := make([][]bool, len(m))
		for p := range m {
			closure[p] = make([]bool, len(m))
			for q, n := range m[p] {
				closure[p][q] = n > 0
			}
		}
		for k := range m {
			for p := range m {
				for q := range m {
					closure[p][q] = closure[p][q] || closure[p][k] && closure[k][q]
				}
			}
		}
		powers := []matrix{nil, m}
		for k := 2; k < b.Size(); k++ {
			powers = append(powers, powers[k-1].times(m))
		}
		for p := range m {
			edges := make([]uint64, len(m))
			for j := range g.Jumps(peg.Position(p)) {
				edges[j.Play(peg.Position(p))]++
			}
			if !slices.Equal(edges, m[p]) {
				t.Fatalf("edges of %x: %v, want %v", p, edges, m[p])
			}
			reached := 0
			for _, path := range g.Paths(peg.Position(p)) {
				if path.Games != uint128.From(powers[path.Jumps][p][path.End]) || !closure[p][path.End] {
					t.Fatalf("from %x to %x: %v games of %d jumps, want %d, closure %t", p, path.End, path.Games, path.Jumps,
						powers[path.Jumps][p][path.End], closure[p][path.End])
				}
				reached++
			}
			for q := range m {
				if closure[p][q] {
					reached--
				}
			}
			if reached != 0 {
				t.Fatalf("from %x: %d pairs more than the closure has", p, reached)
			}
		}
	})
}

// TestUndecided compares the pairs that no criterion forbids with a list made pair by pair.
func TestUndecided(t *testing.T) {
	b, err := peg.Draw("b", peg.Square, "oooooo")
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(b)
	if err != nil {
		t.Fatal(err)
	}
	all := g.Positions()
	if len(all) != 64 || all[0] != b.Full() || all[63] != 0 {
		t.Fatalf("positions %v", all)
	}
	d := feasible.NewDecider(b, feasible.Limits{})
	got, err := g.Undecided(t.Context(), all, all, d.First)
	if err != nil {
		t.Fatal(err)
	}
	prover := feasible.New(b)
	want := 0
	for _, s := range all {
		for _, goal := range all {
			if goal == 0 || goal.Pegs() >= s.Pegs() {
				continue
			}
			v, err := prover.Decide(t.Context(), peg.Problem{Board: b, Start: s, Goal: goal}, feasible.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if open := v.Verdict == feasible.Infeasible && v.Criterion == feasible.Search; open {
				want++
				if !slices.Contains(got, Pair{s, goal}) {
					t.Errorf("from %x to %x no criterion decides, and it is not listed", s, goal)
				}
			}
		}
	}
	if len(got) != want {
		t.Errorf("%d pairs are listed, want %d", len(got), want)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.Undecided(ended, all, all, d.First); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// TestTooLarge: a board of 17 holes is refused.
func TestTooLarge(t *testing.T) {
	for holes, want := range map[string]error{"oooooooooooooooo": nil, "ooooooooooooooooo": ErrTooLarge} {
		b, err := peg.Draw("b", peg.Square, holes)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(b); !errors.Is(err, want) {
			t.Errorf("%d holes: %v", b.Size(), err)
		}
	}
}
