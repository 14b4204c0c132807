package tiles

import (
	"context"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// BenchmarkSurvey solves every class of a shape in rank order, without storing anything.
func BenchmarkSurvey(b *testing.B) {
	for _, s := range []Shape{{4, 4, 5}, {4, 5, 5}, {5, 5, 5}, {3, 3, 6}} {
		b.Run(s.String(), func(b *testing.B) {
			var grids, classes, finals int
			for b.Loop() {
				c, err := NewCensus(s)
				if err != nil {
					b.Fatal(err)
				}
				sv, err := newSolver(s)
				if err != nil {
					b.Fatal(err)
				}
				syms := s.symmetries()
				w := newWalk(s, c.unrank(uint128.Uint128{}))
				for more := true; more; more = w.next() {
					grids++
					if _, ok := canonical(syms, &w.grid); !ok {
						continue
					}
					classes++
					if err := sv.solve(context.Background(), &w.grid, func(*planes) { finals++ }); err != nil {
						b.Fatal(err)
					}
				}
			}
			perClass := float64(b.Elapsed().Nanoseconds()) / float64(classes)
			b.ReportMetric(perClass, "ns/class")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(grids), "ns/grid")
			b.ReportMetric(float64(finals)/float64(classes), "finals/class")
		})
	}
}

// BenchmarkPlay plays one grid out, the slow way to its finals.
func BenchmarkPlay(b *testing.B) {
	g := mustParse(b, "BRBR/JWVW/VBRJ/JWVB", 5)
	for b.Loop() {
		if _, err := Play(context.Background(), g); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSolve solves one grid alone, without a prefix to share and with its orders counted.
func BenchmarkSolve(b *testing.B) {
	for _, text := range []string{"RVRV/BWBW/RVRV/BWBW", "BRBR/JWVW/VBRJ/JWVB", "01010101/23232323/01010101/23232323/" +
		"01010101/23232323/01010101/23232323"} {
		b.Run(text, func(b *testing.B) {
			g := mustParse(b, text, 5)
			var finals string
			for b.Loop() {
				sol, err := Solve(context.Background(), g, SolveLimits{Finals: 1, Ideals: 1 << 12})
				if err != nil {
					b.Fatal(err)
				}
				finals = sol.Finals
			}
			b.Logf("%s finals", finals)
		})
	}
}

// BenchmarkCompute runs whole surveys as the pipeline does, rows and tallies included, but stores nothing.
func BenchmarkCompute(b *testing.B) {
	for _, p := range []Params{{4, 4, 5, 0}, {5, 5, 5, 0}, {3, 3, 6, 0}} {
		s, err := New(p)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(s.shape.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				plan, err := s.Layer(0, nil)
				if err != nil {
					b.Fatal(err)
				}
				for i := range plan[0].Windows() {
					if _, err := s.Compute(context.Background(), plan[0].Window(i), nil, drain{}); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

type drain struct{}

func (drain) Block(*puzzle.Block) error { return nil }
