package engine_test

import (
	"slices"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/verify"
)

// stored returns the cells of which the store has rows.
func stored(t testing.TB, p puzzle.Puzzle, dir string) (cells []puzzle.Cell) {
	t.Helper()
	f := create(t, p, dir)
	defer closeFolder(t, f)
	err := f.Store.Records(func(r kv.Record) error {
		cells = append(cells, r.Cell)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Compact(cells)
}

func TestKeepPolicies(t *testing.T) {
	shapes := toys(60)
	if testing.Short() {
		shapes = shapes[:1]
	}
	for _, p := range shapes {
		t.Run(name(p), bubble(func(t *testing.T) {
			whole := t.TempDir()
			run(t, p, whole, faultless(), engine.Options{})
			want, wantRows := content(t, p, whole)
			all := stored(t, p, whole)

			f := create(t, p, whole)
			res, err := rundir.Load(p, f)
			if err != nil {
				t.Fatal(err)
			}
			closeFolder(t, f)
			read := make(map[puzzle.Cell]bool) // cells that others read
			for n := range res.Layers() {
				for _, c := range res.Cells(n) {
					for _, parent := range c.Parents {
						read[parent] = true
					}
				}
			}
			last := slices.DeleteFunc(slices.Clone(all), func(c puzzle.Cell) bool { return read[c] })

			for keep, left := range map[plan.Retention][]puzzle.Cell{
				plan.RetainAll: all, plan.RetainLast: last, plan.RetainSummary: nil,
			} {
				dir := t.TempDir()
				dropped := 0
				run(t, p, dir, faultless(), engine.Options{Concurrency: 2, Retention: keep, Events: coordinator.Events{
					Dropped: func(d coordinator.Dropped) { dropped += len(d.Windows) },
				}})
				checkSummary(t, p, dir)
				if got := stored(t, p, dir); !slices.Equal(got, left) {
					t.Fatalf("keep %s: rows of %v, want %v", keep, got, left)
				}
				if (dropped > 0) != (len(left) < len(all)) {
					t.Fatalf("keep %s: %d windows dropped", keep, dropped)
				}
				f := create(t, p, dir)
				v, err := verify.Run(t.Context(), p, f, verify.Options{Workers: 3})
				if err != nil || len(v.Findings) > 0 || !v.Complete || v.Absent != dropped || v.Read+v.Absent != v.Windows {
					t.Fatalf("keep %s: %+v, %v", keep, v, err)
				}
				closeFolder(t, f)

				// Run again under the same policy, nothing happens; asked to keep all, it computes again what is missing.
				run(t, p, dir, faultless(), engine.Options{Retention: keep, Events: coordinator.Events{
					Committed: func(c coordinator.Committed) { t.Errorf("keep %s: window %s was computed again", keep, c.Window) },
				}})
				var reused coordinator.Resumed
				again := 0
				run(t, p, dir, faultless(), engine.Options{Events: coordinator.Events{
					Resumed: func(r coordinator.Resumed) { reused = r },
					Committed: func(c coordinator.Committed) {
						if again++; !c.Again {
							t.Errorf("keep %s: window %s counts as new", keep, c.Window)
						}
					},
				}})
				if reused.Again != again || reused.Absent != dropped || again != dropped {
					t.Fatalf("keep %s: %+v, %d computed again, %d dropped", keep, reused, again, dropped)
				}
				records, rows := content(t, p, dir)
				if !slices.Equal(records, want) || !slices.Equal(rows, wantRows) {
					t.Fatalf("keep %s: the content differs", keep)
				}
			}
		}))
	}
}
