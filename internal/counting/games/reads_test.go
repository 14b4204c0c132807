package games

import (
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/counting"
	"pagoda/internal/counting/countingtest"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
)

// TestReads checks the declared reads of windows, and the memory predicted from them, against their definitions.
// That they read nothing else is checked wherever they are computed, by puzzletest.
func TestReads(t *testing.T) {
	p := countingtest.Params(t, "square5", "r0c1")
	if s := (setting{lead: 4, windowAddresses: 3000}); !checkReads(t, p, s) {
		t.Fatal("no window reads less than its parents")
	}
	rapid.Check(t, func(t *rapid.T) {
		p := countingtest.Draw(t)
		checkReads(t, p, drawSetting(t, p))
	})
}

// checkReads reports whether a window reads less than its parents.
func checkReads(t puzzletest.TB, p counting.Params, s setting) (spared bool) {
	t.Helper()
	p.WindowAddresses = s.windowAddresses
	g := gamesOf(t, p)
	if s.lead > 0 {
		g.Enumeration = led(t, p, s.lead)
	}
	g.Merge(0)
	plans := map[puzzle.Cell]*puzzle.CellPlan{}
	for n := range g.Layers {
		cells, err := g.Layer(n, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range cells {
			c := &cells[i]
			plans[c.Cell] = c
			var most uint64
			for part := range c.Windows() {
				held, all := held(t, g, plans, c, part)
				spared = spared || held < all
				most = max(most, held)
				if len(c.WindowBytes) > 0 && c.WindowBytes[part] != 16*held {
					t.Fatalf("cell %v, window %d: %d bytes of memory for %d addresses", c.Cell, part, c.WindowBytes[part], held)
				}
			}
			if c.MemoryBytes != 16*most {
				t.Fatalf("cell %v: %d bytes of memory for %d addresses", c.Cell, c.MemoryBytes, most)
			}
		}
	}
	return spared
}

// held is the addresses of a window and of the windows that it reads, and with all windows of its parents.
func held(
	t puzzletest.TB, g *Puzzle, plans map[puzzle.Cell]*puzzle.CellPlan, c *puzzle.CellPlan, part int,
) (held, all uint64) {
	t.Helper()
	w := c.Window(part)
	held, all = w.Addresses, w.Addresses
	ranges, whole := g.Reads(w)
	for i, r := range ranges {
		parent := plans[r.Cell]
		if parent == nil || r.Addresses == 0 || r.First+r.Addresses > parent.Addresses {
			t.Fatalf("window %v reads %+v", w, r)
		}
		if i > 0 && ranges[i-1].Cell == r.Cell && ranges[i-1].First+ranges[i-1].Addresses >= r.First {
			t.Fatalf("window %v reads %+v after %+v", w, r, ranges[i-1])
		}
	}
	for _, id := range c.Parents {
		parent := plans[id]
		all += parent.Addresses
		for k := range parent.Windows() {
			pw := parent.Window(k)
			read := whole
			for _, r := range ranges {
				read = read || r.Cell == id && r.First < pw.First+pw.Addresses && pw.First < r.First+r.Addresses
			}
			if read {
				held += pw.Addresses
			}
		}
	}
	return held, all
}
