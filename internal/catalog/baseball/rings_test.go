package baseball

import (
	"bytes"
	_ "embed"
	"math/big"
	"strings"
	"testing"
)

// rings has the distances on larger rings, as runs found them: the number of bases, and the number of configurations at
// distance 0, 1, 2, ... from the goal.
//
//go:embed testdata/rings.txt
var rings string

// near counts the configurations of a ring of at most 9 bases at distance 0, ..., most from the goal. It keeps them in
// sets, two layers at a time, and shares no code with the search.
func near(bases, most int) (counts []int64) {
	const free = 0xff
	type config [18]byte // two places for each base
	var goal config
	for i := range 2 * bases {
		goal[i] = byte(i / 2)
	}
	goal[1] = free
	before, layer := map[config]bool{}, map[config]bool{goal: true}
	for range most + 1 {
		counts = append(counts, int64(len(layer)))
		next := map[config]bool{}
		for c := range layer {
			hole := bytes.IndexByte(c[:], free)
			for _, step := range []int{1, bases - 1} {
				base := (hole/2 + step) % bases
				for i := 2 * base; i < 2*base+2; i++ {
					after := c
					after[hole], after[i] = after[i], after[hole]
					for _, b := range []int{base, hole / 2} {
						if p := after[2*b : 2*b+2]; p[0] > p[1] {
							p[0], p[1] = p[1], p[0]
						}
					}
					if !before[after] && !layer[after] {
						next[after] = true
					}
				}
			}
		}
		before, layer = layer, next
	}
	return counts
}

// TestRings checks the distances of runs that take too long for a test: those of a ring add up to all configurations,
// and the nearest are found again.
func TestRings(t *testing.T) {
	most := 17
	if testing.Short() {
		most = 11
	}
	for line := range strings.Lines(rings) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var row []*big.Int
		sum := new(big.Int)
		for _, text := range strings.Fields(line) {
			n, ok := new(big.Int).SetString(text, 10)
			if !ok {
				t.Fatalf("%q is no number", text)
			}
			row = append(row, n)
		}
		bases, row := int(row[0].Int64()), row[1:]
		for _, n := range row {
			sum.Add(sum, n)
		}
		if want := Configurations(bases); sum.Cmp(want) != 0 {
			t.Errorf("%d bases: %v configurations in all, want %v", bases, sum, want)
		}
		for d, n := range near(bases, most) {
			if row[d].Cmp(big.NewInt(n)) != 0 {
				t.Errorf("%d bases, distance %d: %v configurations, want %d", bases, d, row[d], n)
			}
		}
	}
}
