package main

import (
	"context"
	"slices"
	"testing"
	"time"

	"pagoda/internal/catalog"
	"pagoda/internal/config"
	"pagoda/internal/puzzle"
)

func TestFit(t *testing.T) {
	for _, test := range []struct {
		works, times []float64
		want         rate
	}{
		{nil, nil, rate{unknown: true}},
		{[]float64{0}, []float64{3}, rate{}},
		{[]float64{2}, []float64{3}, rate{work: 1.5}},
		{[]float64{1, 1, 1, 1, 1, 100, 60}, []float64{9, 0.25, 0.5, 0.25, 0.25, 200.25, 120.25}, rate{window: 0.25, work: 2}},
		{[]float64{1, 1, 1, 100}, []float64{5, 4, 4, 6}, rate{window: 4, work: 0.02, unknown: true}},
	} {
		if got := fit(test.works, test.times); got != test.want {
			t.Errorf("fit(%v, %v) = %+v, want %+v", test.works, test.times, got, test.want)
		}
	}
}

// TestSpread demands every number once, and among the first ones a low and a high one.
func TestSpread(t *testing.T) {
	for n := 1; n < 300; n++ {
		list := spread(n)
		sorted := slices.Sorted(slices.Values(list))
		for i, k := range sorted {
			if i != k || len(sorted) != n {
				t.Fatalf("spread(%d) = %v", n, list)
			}
		}
		if n >= 4 && (slices.Min(list[:3]) >= n/2 || slices.Max(list[:3]) < n/2) {
			t.Errorf("spread(%d) begins with %v", n, list[:3])
		}
	}
}

// TestSampleComputesTheRealThing lets the sample run to the end of a small board and looks at its totals.
func TestSampleComputesTheRealThing(t *testing.T) {
	text := []byte("puzzle: peg\nboard: triangle5\nstart: r0c0\nwindow_addresses: 64\n")
	c, err := config.Parse("f.yaml", text, config.Options{
		General: config.General("f.yaml", catalog.Names(), config.Machine{CPUs: 1, MemoryBytes: 1 << 30}),
		Puzzle:  catalog.Keys,
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := catalog.Build(c)
	if err != nil {
		t.Fatal(err)
	}
	r, err := sampleRate(context.Background(), p, time.Hour)
	if err != nil || r.window <= 0 || r.unknown {
		t.Errorf("rate %+v, %v", r, err)
	}
	s := &sample{cells: map[puzzle.Cell]*sampleCell{}}
	var games uint64
	for n := range 14 {
		plans, err := p.Layer(n, nothing{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range plans {
			s.cells[plans[i].Cell] = &sampleCell{plan: &plans[i], blocks: make([][]sampleBlock, plans[i].Windows())}
			for k := range plans[i].Windows() {
				if _, err := s.compute(context.Background(), p, &plans[i], k); err != nil {
					t.Fatal(err)
				}
			}
			tally := s.cells[plans[i].Cell].tally
			games += tally.Sum("games_ended").Lo
		}
	}
	if games != 568630 {
		t.Errorf("%d games, want 568630", games)
	}
}
