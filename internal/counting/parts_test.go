package counting

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle"
)

// The parts of a cell have every wanted window once, in order, and no more of them than there is memory for, but for
// one that is larger alone.
func TestNextPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &CellReader{}
		var want []int
		wanted := map[int]bool{}
		first := uint64(0)
		for i := range rapid.IntRange(0, 12).Draw(t, "windows") {
			w := puzzle.Window{Part: i, First: first, Addresses: rapid.Uint64Range(1, 9).Draw(t, "addresses")}
			first += w.Addresses
			r.windows = append(r.windows, parentWindow{Window: w})
			if wanted[i] = rapid.IntRange(0, 3).Draw(t, "wanted") > 0; wanted[i] {
				want = append(want, i)
			}
		}
		most := rapid.Uint64Range(0, 30).Draw(t, "most")
		var got []int
		for r.NextPart(most, func(w puzzle.Window) bool { return wanted[w.Part] }) {
			var addresses uint64
			windows := 0
			for i := range r.windows {
				w := &r.windows[i]
				if w.data != nil {
					t.Fatalf("window %d is held from the part before", i)
				}
				if r.Outside(w.First) != r.Outside(w.First+w.Addresses-1) {
					t.Fatalf("window %d is divided", i)
				}
				if !r.Outside(w.First) && wanted[i] {
					got, addresses, windows = append(got, i), addresses+w.Addresses, windows+1
					w.data = &Dense{}
				}
			}
			if windows == 0 || windows > 1 && addresses > most {
				t.Fatalf("a part of %d windows with %d addresses, %d allowed", windows, addresses, most)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("windows %v, want %v", got, want)
		}
	})
}
