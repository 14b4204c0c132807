package ways

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/counting"
	"pagoda/internal/counting/countingtest"
	"pagoda/internal/counting/solutions"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/uint128"
)

// recounted returns the sum of a recount's shares.
func recounted(t puzzletest.TB, m *puzzletest.Memory, r puzzle.Recount) uint128.Uint128 {
	t.Helper()
	var sum uint128.Uint128
	for _, w := range r.Windows {
		n, err := r.Share(context.Background(), w, m)
		if err != nil {
			t.Fatalf("%s, window %s: %v", r.What, w, err)
		}
		sum, _ = sum.Add(n)
	}
	return sum
}

func recountsOf(t puzzletest.TB, p puzzle.Recounter, m *puzzletest.Memory) []puzzle.Recount {
	t.Helper()
	list, err := p.Recounts(m)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Every second count of a sound run agrees with the first, for single problems, with passes and without.
func TestRecountsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		one, err := solutions.New(c.Params)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := New(c.Params)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []puzzle.Recounter{one, stored} {
			m := puzzletest.Play(t, p, puzzletest.Options{Stored: true})
			list := recountsOf(t, p, m)
			if p == one && len(list) != 1 || p == stored && len(list) < len(c.layers)/2 {
				t.Fatalf("%d recounts of %d layers", len(list), len(c.layers))
			}
			for _, r := range list {
				if got := recounted(t, m, r); got != r.Want {
					t.Fatalf("%s: %v, want %v", r.What, got, r.Want)
				}
			}
		}
	})
}

func TestRecountsOfPairs(t *testing.T) {
	s, err := solutions.NewPairs(counting.Params{Board: countingtest.Problem(t, "triangle5", "r0c0", "", 0).Board})
	if err != nil {
		t.Fatal(err)
	}
	m := puzzletest.Play(t, s, puzzletest.Options{Stored: true})
	list := recountsOf(t, s, m)
	for _, r := range list {
		if got := recounted(t, m, r); got != r.Want {
			t.Errorf("%s: %v, want %v", r.What, got, r.Want)
		}
	}
	if len(list) < 10 {
		t.Errorf("%d recounts", len(list))
	}
}

// A second count reads the rows: when all counts of a layer that it needs are one too large, it notices.
func TestRecountsNotice(t *testing.T) {
	p := countingtest.Problem(t, "triangle5", "r0c0", "r4c2", 0)
	th, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	clean := puzzletest.Play(t, th, puzzletest.Options{Stored: true})
	list := recountsOf(t, th, clean)
	noticed := map[string]bool{}
	for layer := range clean.Layers() {
		m := puzzletest.Play(t, th, puzzletest.Options{Stored: true})
		for _, c := range m.Cells(layer) {
			for _, b := range m.Rows(c.Cell) {
				b.Columns[0][0]++
			}
		}
		for _, r := range list {
			if recounted(t, m, r) != r.Want {
				noticed[r.What] = true
			}
		}
	}
	for _, r := range list {
		if !noticed[r.What] {
			t.Errorf("%s agrees whatever the rows are", r.What)
		}
	}
}
