package sequences

import (
	"fmt"
	"math/bits"
	"testing"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle/puzzletest"
)

// plain counts the jump sequences of a rectangle in the other direction than the run: by the sequences that begin at
// each position, from the positions of one peg up. It has its own jumps and knows no symmetry, class or layer. It is
// exact as long as the total is below 2^64.
func plain(rows, columns int) (total uint64, fits bool) {
	type jump struct{ need, mask uint32 }
	var jumps []jump
	for r := range rows {
		for c := range columns {
			for _, d := range [][2]int{{0, 1}, {0, -1}, {1, 0}, {-1, 0}} {
				bit := func(steps int) uint32 { return 1 << ((r+steps*d[0])*columns + c + steps*d[1]) }
				if r+2*d[0] < 0 || r+2*d[0] >= rows || c+2*d[1] < 0 || c+2*d[1] >= columns {
					continue
				}
				jumps = append(jumps, jump{bit(0) | bit(1), bit(0) | bit(1) | bit(2)})
			}
		}
	}
	all, fits := uint32(1)<<(rows*columns), true
	from := make([]uint64, all)
	for pegs := range rows*columns + 1 {
		for p := range all {
			if bits.OnesCount32(p) != pegs {
				continue
			}
			for _, j := range jumps {
				if p&j.mask == j.need {
					from[p] += from[p^j.mask] + 1
				}
			}
			sum, carry := bits.Add64(total, from[p], 0)
			total, fits = sum, fits && carry == 0
		}
	}
	return total, fits
}

// TestPlainProgram compares rectangles with the plain count. That of 25 holes was made once, by the same count in 128
// bits, which takes 7 s and 512 MiB.
func TestPlainProgram(t *testing.T) {
	for _, c := range []struct {
		rows, columns int
		drawing       string
		total         uint64 // 0: count it now
	}{
		{3, 4, "oooo\noooo\noooo", 0}, {4, 4, "oooo\noooo\noooo\noooo", 0}, {3, 6, "oooooo\noooooo\noooooo", 0},
		{5, 5, "ooooo\nooooo\nooooo\nooooo\nooooo", 286088934194100960},
	} {
		if c.total == 0 {
			var fits bool
			if c.total, fits = plain(c.rows, c.columns); !fits {
				t.Fatalf("%dx%d: the plain count is too small", c.rows, c.columns)
			}
		}
		b, err := peg.Draw("rectangle", peg.Square, c.drawing)
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(counting.Params{Board: b, WindowAddresses: 1 << 22}, false)
		if err != nil {
			t.Fatal(err)
		}
		m := puzzletest.Play(t, s, puzzletest.Options{Cached: true, Stored: true})
		if got := puzzletest.Fact(t, s, m, "sequences"); got != fmt.Sprint(c.total) {
			t.Errorf("%dx%d: %s sequences, want %d", c.rows, c.columns, got, c.total)
		}
	}
}
