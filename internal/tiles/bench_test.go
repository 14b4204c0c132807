package tiles

import (
	"context"
	"testing"

	"pagoda/internal/uint128"
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
				sv, err := NewSolver(s)
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
