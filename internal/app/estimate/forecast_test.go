package estimate

import (
	"strings"
	"testing"

	"pagoda/internal/output/render"
	"pagoda/internal/puzzle/memrun"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/plan"
)

// TestExpectedLayers: the layers that a search is expected to have, before anything is computed, are those that it
// has; the disk that they take is in TestDiskBound.
func TestExpectedLayers(t *testing.T) {
	for _, text := range []string{
		"puzzle: baseball\nbases: 4\nboard: ring\n",
		"puzzle: baseball\nbases: 5\nboard: ring\n",
		"puzzle: baseball\nbases: 5\nboard: line\nmethods: none\n",
		"puzzle: baseball\nbases: 5\nboard: ring\nwindow_addresses: 700\n",
	} {
		p := jobOf(t, text).Puzzle
		pl, err := plan.Forecast(p)
		if err != nil || !pl.Decided || pl.Expected != pl.Layers()-1 {
			t.Fatalf("%d of %d layers are expected, %v", pl.Expected, pl.Layers(), err)
		}
		run, err := memrun.Whole(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if pl.Layers() != run.Layers() {
			t.Fatalf("%q: %d layers expected, there are %d", text, pl.Layers(), run.Layers())
		}
		for n := range run.Layers() {
			want := run.Cells(n)
			for i, c := range pl.Cells(n) {
				if c.Cell != want[i].Cell || c.Windows() != want[i].Windows() || len(c.Parents) != len(want[i].Parents) {
					t.Fatalf("%q: cell %v is expected, there is %v", text, c.Cell, want[i].Cell)
				}
			}
		}
		if pred := pl.Predict(plan.Resources{}); pred.Partial || pred.Expected != pl.Expected {
			t.Errorf("%+v", pred)
		}
	}
}

// TestNothingIsDroppedBeforeAllIsPlanned: a run keeps all rows until it knows its layers. So a prediction does not
// count on room that is given back.
func TestNothingIsDroppedBeforeAllIsPlanned(t *testing.T) {
	pl, err := plan.Forecast(jobOf(t, "puzzle: baseball\nbases: 5\nboard: ring\n").Puzzle)
	if err != nil {
		t.Fatal(err)
	}
	all, last := pl.Predict(plan.Resources{}), pl.Predict(plan.Resources{Retention: plan.RetainLast})
	if all.RowBytes == 0 || last.RowBytes != all.RowBytes {
		t.Errorf("%d bytes of rows, %d with retention last", all.RowBytes, last.RowBytes)
	}
}

// TestUnknownLayersAreSaid: figures of some layers alone are no upper bounds, and are not called so.
func TestUnknownLayersAreSaid(t *testing.T) {
	pl, err := plan.Forecast(&enginetest.BFS{Nodes: 100, Window: 10})
	if err != nil || pl.Decided || pl.Expected != 0 {
		t.Fatalf("decided %v, %d expected, %v", pl.Decided, pl.Expected, err)
	}
	if pred := pl.Predict(plan.Resources{}); !pred.Partial {
		t.Errorf("%+v", pred)
	}
	p := Plan{Layers: 1, Planned: 1, MoreLayers: true, Windows: 10, CPUSeconds: 1, Fits: true}
	text := string(p.Text(render.Style{}))
	if strings.Contains(text, "at most") || strings.Count(text, "at least") != 5 ||
		!strings.Contains(text, "what follows is of 1 layer alone") {
		t.Errorf("of one layer, more to come:\n%s", text)
	}
	p.Layers = 7
	if text = string(p.Text(render.Style{})); strings.Contains(text, "at most") || strings.Contains(text, "at least") ||
		!strings.Contains(text, "7 expected: 1 planned") {
		t.Errorf("of one layer, six expected:\n%s", text)
	}
}
