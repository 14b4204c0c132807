package fewest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pagoda/internal/peg/pegtest"
)

// counted are the least numbers of sweeps that runs with count: sweeps find, of one pair of each symmetry class that
// has a solution (docs/sweeps.md).
var counted = map[string]string{
	"english": `
		r0c2-r0c2:16 r0c2-r3c2:16 r0c2-r3c5:17 r0c2-r6c2:16 r0c3-r0c3:18 r0c3-r3c0:17 r0c3-r3c3:18
		r0c3-r6c3:18 r1c2-r1c2:16 r1c2-r4c2:15 r1c2-r4c5:16 r1c3-r1c3:19 r1c3-r4c0:17 r1c3-r4c3:17
		r2c2-r2c2:15 r2c2-r2c5:16 r2c3-r2c0:16 r2c3-r2c3:16 r2c3-r5c3:17 r3c3-r0c3:17 r3c3-r3c3:18`,
	"triangle5": `
		r0c0-r0c0:10 r0c0-r3c0:11 r0c0-r4c2:10 r1c0-r1c0:11 r1c0-r2c2:10 r1c0-r4c0:10 r1c0-r4c3:11
		r2c0-r1c1:10 r2c0-r2c0:9 r2c0-r3c2:10 r2c0-r4c4:9 r2c1-r4c2:11`,
	"triangle6": `
		r0c0-r0c0:10 r0c0-r2c1:11 r0c0-r3c0:10 r0c0-r4c2:10 r0c0-r5c1:10 r1c0-r1c0:9 r1c0-r2c2:9
		r1c0-r3c1:9 r1c0-r4c0:9 r1c0-r4c3:10 r1c0-r5c2:9 r1c0-r5c5:9 r2c0-r1c1:9 r2c0-r2c0:9 r2c0-r3c2:9
		r2c0-r4c1:10 r2c0-r4c4:9 r2c0-r5c0:9 r2c0-r5c3:9 r2c1-r0c0:10 r2c1-r2c1:11 r2c1-r3c0:10
		r2c1-r4c2:10 r2c1-r5c1:10 r3c1-r1c0:9 r3c1-r2c2:9 r3c1-r3c1:9 r3c1-r4c3:10 r3c1-r5c5:9`,
	"triangle4": `r1c0-r1c1:5`,
}

// quick are pairs of the English board whose search is short.
var quick = []string{"r1c2-r4c2", "r2c2-r2c2", "r2c3-r2c3", "r3c3-r3c3"}

// TestCounted compares with another method: a run counts all solutions by their sweeps.
func TestCounted(t *testing.T) {
	for board, list := range counted {
		b := pegtest.Named(t, board)
		for word := range strings.FieldsSeq(list) {
			pair, number, _ := strings.Cut(word, ":")
			if board == "english" && !all && !slices.Contains(quick, pair) {
				continue
			}
			start, goal, _ := strings.Cut(pair, "-")
			want, err := strconv.Atoi(number)
			if err != nil {
				t.Fatal(err)
			}
			t.Run(fmt.Sprintf("%s/%s", board, pair), func(t *testing.T) {
				check(t, pegtest.Problem(t, b, start, goal), want, Options{Work: 1 << 40, Bytes: 4 << 30})
			})
		}
	}
}

// TestPublished compares with published numbers of the English board, and with the least of all problems of a triangle
// with one vacancy, 12 and 13 (Bell), which these problems attain.
func TestPublished(t *testing.T) {
	for board, want := range map[string]struct {
		start, goal string
		sweeps      int
	}{
		"triangle7": {"r1c0", "r1c1", 12},
		"triangle8": {"r1c0", "r1c0", 13},
	} {
		check(t, pegtest.Problem(t, pegtest.Named(t, board), want.start, want.goal), want.sweeps, Options{})
	}
	b := pegtest.Named(t, "english")
	known := 0
	for _, p := range pegtest.Published(t) {
		if p.LeastSweeps > 0 {
			known++
			check(t, pegtest.Problem(t, b, p.Start, p.Goal), p.LeastSweeps, Options{})
		}
	}
	if known != 16 {
		t.Errorf("%d numbers are published", known)
	}
}
