package estimate

import (
	"errors"
	"strings"
	"testing"

	"pagoda/internal/app/runs"
	"pagoda/internal/catalog"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
)

// TestLeastWindows: a puzzle's own count of windows, without a plan, is no more than the plan's, and not much less.
// This holds for every question of peg solitaire that has layers of positions.
func TestLeastWindows(t *testing.T) {
	for _, question := range []string{
		"count: games\nstart: center\n",
		"count: solutions\nstart: center\ngoal: center\n",
		"count: solutions\nstart: center\ngoal: center\nstore_ways: true\n",
		"count: solutions\nstart: center\ngoal: center\nreserve: true\n",
		"count: solutions\npairs: all\n",
		"count: sweeps\nstart: center\ngoal: center\n",
		"count: sequences\n",
	} {
		for _, size := range []string{"0", "65536"} {
			j := jobOf(t, "puzzle: peg\nboard: english\n"+question+"window_addresses: "+size+"\n")
			s, ok := j.Puzzle.(puzzle.Sizer)
			if !ok {
				t.Fatalf("%T cannot tell", j.Puzzle)
			}
			pl, err := plan.New(j.Puzzle)
			if err != nil {
				t.Fatal(err)
			}
			if n := s.LeastWindows(); n > uint64(pl.WindowCount) || n < uint64(pl.WindowCount)/4 {
				t.Errorf("%q, windows of %s: at least %d, there are %d", question, size, n, pl.WindowCount)
			}
		}
	}
}

// TestTooManyWindows: a board with billions of windows is refused, and not planned window by window, which takes hours.
func TestTooManyWindows(t *testing.T) {
	board := "puzzle: peg\ndrawing: |\n" + strings.Repeat("  ooooooo\n", 9)
	for _, question := range []string{"count: solutions\npairs: all\n", "start: r4c3\n"} {
		j, err := runs.Loader{Catalog: catalog.All}.Parse(t.Context(), "f.yaml", []byte(board+question))
		if err == nil {
			_, err = Check(j, Start{})
		}
		var size *puzzle.SizeError
		if !errors.As(err, &size) || size.Windows < 1e9 {
			t.Errorf("%q: %v", question, err)
		}
	}
}
