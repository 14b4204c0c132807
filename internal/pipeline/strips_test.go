package pipeline

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle"
)

// TestStrips checks the strips of random plans against their definition, and that spans hand out what lies in them.
func TestStrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		strips := rapid.IntRange(1, 7).Draw(t, "strips")
		p, err := newPlan(genPaper(t), strips)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range p.layers {
			var whole, before float64
			for i := range l.plans {
				whole += p.cells[l.plans[i].Cell].work()
			}
			last := 0
			for i := range l.plans {
				c := p.cells[l.plans[i].Cell]
				middle := (before + c.work()/2) / whole * float64(strips)
				before += c.work()
				if c.strip < last || float64(c.strip) > middle+1e-9 || float64(c.strip+1) < middle-1e-9 || c.strip >= strips {
					t.Fatalf("cell %v, whose middle is at %g, is in strip %d, the one before in %d", c.Cell, middle, c.strip, last)
				}
				last = c.strip
			}
		}
		p.wantAll(KeepAll)
		var want []puzzle.WindowID // what is ready, in plan order
		for _, l := range p.layers {
			for i := range l.plans {
				if c := p.cells[l.plans[i].Cell]; c.parentsHeld() {
					for part := range c.windows {
						want = append(want, c.id(part))
					}
				}
			}
		}
		cut := rapid.IntRange(0, strips).Draw(t, "cut")
		for _, in := range []span{{0, cut}, {cut, strips}} {
			ws, _ := p.next(in, 1e9, 1000)
			var got []puzzle.WindowID
			for _, w := range ws {
				got = append(got, w.ID())
			}
			mine := slices.DeleteFunc(slices.Clone(want), func(id puzzle.WindowID) bool {
				s := p.cells[id.Cell].strip
				return s < in.from || s >= in.to
			})
			if !slices.Equal(got, mine) {
				t.Fatalf("strips %v have %v ready, want %v", in, got, mine)
			}
		}
	})
}
