package simulate_test

import (
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/simulate"
)

// columns is a puzzle of cells of many windows, of which each reads the same addresses of the cell before, and says so.
type columns struct{ whole }

func (*columns) Reads(w puzzle.Window) ([]puzzle.Range, bool) {
	if w.Layer == 0 {
		return nil, false
	}
	parent := puzzle.Cell{Layer: w.Layer - 1, Key: w.Key}
	return []puzzle.Range{{Cell: parent, First: w.First, Addresses: w.Addresses}}, false
}

// whole is the same puzzle, which does not say so.
type whole struct{ plantest.Wide }

func (p *whole) Layer(n int, known puzzle.Results) ([]puzzle.CellPlan, error) {
	plans, err := p.Wide.Layer(n, known)
	for i := range plans {
		plans[i].Work, plans[i].RowBytes = 1e9, 1e6
	}
	return plans, err
}

// TestDeclaredReads: workers own the same part of every layer. Where windows read only their own part, next to nothing
// is fetched; where they read whole parents, every worker fetches the parts of the others.
func TestDeclaredReads(t *testing.T) {
	f := simulate.Defaults
	f.Workers, f.Concurrency = 4, 2
	wide := whole{plantest.Wide{Depth: 10, Windows: 64}}
	run := func(p puzzle.Puzzle) simulate.Outcome {
		got, err := simulate.Run(t.Context(), p, second, f)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	parts, all := run(&columns{wide}), run(&wide)
	if all.MovedBytes < 2*all.StoredBytes || all.MovedBytes > 3*all.StoredBytes {
		t.Errorf("whole parents: %v bytes moved, of %v stored; 4 workers", all.MovedBytes, all.StoredBytes)
	}
	if parts.MovedBytes > 0.05*parts.StoredBytes || parts.Seconds > all.Seconds {
		t.Errorf("%v bytes moved of %v stored, in %v s; whole parents take %v s",
			parts.MovedBytes, parts.StoredBytes, parts.Seconds, all.Seconds)
	}
}
