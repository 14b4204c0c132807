package plan

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan/plantest"
)

// TestStrips checks the partitions of random plans against their definition, and that a range assigns the windows that
// lie in it.
func TestStrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		strips := rapid.IntRange(1, 7).Draw(t, "strips")
		p, err := NewPartitioned(plantest.Random(t), strips)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range p.PlannedLayers {
			var whole, before float64
			for i := range l.Plans {
				whole += p.Index[l.Plans[i].Cell].work()
			}
			last := 0
			for i := range l.Plans {
				c := p.Index[l.Plans[i].Cell]
				for part := range c.Parts {
					middle := (before + c.WorkPerWindow()/2) / whole * float64(strips)
					before += c.WorkPerWindow()
					at := c.shareOf(part).partition
					if at < last || float64(at) > middle+1e-9 || float64(at+1) < middle-1e-9 || at >= strips {
						t.Fatalf("window %v, whose middle is at %g, is in strip %d, the one before in %d",
							c.WindowID(part), middle, at, last)
					}
					last = at
				}
			}
		}
		p.WantAll(RetainAll)
		var want []puzzle.WindowID // the ready windows, in plan order
		for _, l := range p.PlannedLayers {
			for i := range l.Plans {
				if c := p.Index[l.Plans[i].Cell]; c.ParentsHeld() {
					for part := range c.Parts {
						want = append(want, c.WindowID(part))
					}
				}
			}
		}
		cut := rapid.IntRange(0, strips).Draw(t, "cut")
		for _, in := range []PartitionRange{{0, cut}, {cut, strips}} {
			ws, _ := p.Next(in, 1e9, 1000)
			var got []puzzle.WindowID
			for _, w := range ws {
				got = append(got, w.ID())
			}
			mine := slices.DeleteFunc(slices.Clone(want), func(id puzzle.WindowID) bool {
				s := p.Index[id.Cell].shareOf(id.Part).partition
				return s < in.From || s >= in.To
			})
			if !slices.Equal(got, mine) {
				t.Fatalf("strips %v have %v ready, want %v", in, got, mine)
			}
		}
	})
}
