package estimate

import (
	"context"
	"slices"
	"testing"
	"time"

	"pagoda/internal/catalog"
	"pagoda/internal/config"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/memrun"
	"pagoda/internal/run/plan"
)

func TestFit(t *testing.T) {
	for _, test := range []struct {
		windows []measured
		want    Rate
	}{
		{nil, Rate{Unknown: true}},
		{[]measured{{0, 0, 3}}, Rate{}},
		{[]measured{{2, 2, 3}}, Rate{Work: 1.5}},
		{[]measured{{1, 1, 9}, {1, 1, 0.25}, {1, 1, 0.5}, {1, 1, 0.25}, {1, 1, 0.25}, {100, 100, 200.25}, {60, 60, 120.25}},
			Rate{Window: 0.25, Work: 2}},
		{[]measured{{1, 1, 5}, {1, 1, 4}, {1, 1, 4}, {100, 100, 6}}, Rate{Window: 4, Work: 0.02, Unknown: true}},
		// Windows of as many addresses and other work: the time goes by the work, and none of them is small.
		{[]measured{{10, 2, 1}, {10, 30, 15}}, Rate{Work: 0.5}},
	} {
		if got := fit(test.windows); got != test.want {
			t.Errorf("fit(%v) = %+v, want %+v", test.windows, got, test.want)
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

// TestCalibrationComputesTheRealThing lets it run to the end of a small board and looks at its totals.
func TestCalibrationComputesTheRealThing(t *testing.T) {
	text := []byte("puzzle: peg\nboard: triangle5\nstart: r0c0\nwindow_addresses: 64\n")
	c, err := config.Parse("f.yaml", text, config.Options{
		General: config.General("f.yaml", catalog.All.Names(), config.Machine{CPUs: 1, MemoryBytes: 1 << 30}, nil),
		Puzzle:  catalog.All.Settings,
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := catalog.All.Build(c)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Calibrate(context.Background(), memrun.New(p), time.Hour)
	if err != nil || r.Window <= 0 || r.Unknown {
		t.Errorf("rate %+v, %v", r, err)
	}
	run, err := memrun.Whole(context.Background(), p)
	if err != nil || !run.Complete() {
		t.Fatalf("the run is complete: %v, %v", run.Complete(), err)
	}
	var games uint64
	for n := range run.Layers() {
		tally, ok := run.Layer(n)
		if !ok {
			t.Fatalf("layer %d is not there", n)
		}
		games += tally.Sum("games_ended").Lo
	}
	if games != 568630 {
		t.Errorf("%d games, want 568630", games)
	}
}

// TestMeasure: a window has the share of its cell's work that it has of the addresses. The last one's is small.
func TestMeasure(t *testing.T) {
	j := jobOf(t, "puzzle: mousetrap\ncards: 11\ncount: winning\n")
	run := memrun.New(j.Puzzle)
	windows, whole, err := measure(context.Background(), run, time.Hour)
	if err != nil || !whole {
		t.Fatalf("%d windows, the whole run: %v, %v", len(windows), whole, err)
	}
	var works, want []float64
	for _, m := range windows {
		if works = append(works, m.share); m.work != m.share {
			t.Errorf("a window has the work %v, want its share %v", m.work, m.share)
		}
	}
	for n := range run.Layers() {
		for _, c := range run.Cells(n) {
			for k := range c.Windows() {
				w := c.Window(k)
				want = append(want, c.Work*float64(w.Addresses)/float64(c.Addresses))
			}
		}
	}
	slices.Sort(works)
	slices.Sort(want)
	if !slices.Equal(works, want) || want[0] > want[1]/2 {
		t.Errorf("the windows have the work %v, want %v, one far smaller", works, want)
	}
}

// TestMeasureUneven: low ranks of a survey of tiles have more of its work than their share.
func TestMeasureUneven(t *testing.T) {
	j := jobOf(t, "puzzle: tiles\nrows: 4\ncolumns: 4\ncolours: 5\n")
	run := memrun.New(j.Puzzle)
	windows, whole, err := measure(context.Background(), run, time.Hour)
	if err != nil || !whole {
		t.Fatalf("%d windows, the whole run: %v, %v", len(windows), whole, err)
	}
	c := run.Cells(0)[0]
	for i, k := range spread(c.Windows()) {
		want, err := j.Puzzle.(puzzle.Uneven).WindowWork(c.Window(k))
		if m := windows[i]; err != nil || m.work != want || k == 0 && m.work < 1.5*m.share {
			t.Errorf("window %d has the work %v and the share %v, want the work %v, %v", k, m.work, m.share, want, err)
		}
	}
}

// TestSample: the calibration keeps decoded windows where the cache is as large as what two layers store.
func TestSample(t *testing.T) {
	j := jobOf(t, "puzzle: peg\nboard: triangle5\nstart: r0c0\n")
	pl, err := plan.New(j.Puzzle)
	if err != nil {
		t.Fatal(err)
	}
	keeps := func(cache uint64) bool {
		run := sample(j.Puzzle, pl, cache)
		run.Put(puzzle.WindowID{}, "decoded", 1)
		_, ok := run.Get(puzzle.WindowID{})
		return ok
	}
	both := widest(pl)
	var all float64
	for n := range pl.Layers() {
		for _, c := range pl.Cells(n) {
			all += c.RowBytes
		}
	}
	if both <= all/8 || both >= all || !keeps(uint64(both)+1) || keeps(uint64(both)-1) {
		t.Errorf("two layers store %v of %v bytes; windows are kept in as many: %v, in less: %v",
			both, all, keeps(uint64(both)+1), keeps(uint64(both)-1))
	}
}
