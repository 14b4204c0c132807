package join

import (
	"testing"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
)

// TestRuns cuts every low type of two enumerations of the triangle of 21 holes, whose symmetries permute the classes:
// each address is in one run, and the complements of a run share prefix and mid, whatever the rest of the position.
func TestRuns(t *testing.T) {
	b, err := peg.Named("triangle6")
	if err != nil {
		t.Fatal(err)
	}
	enumeration := func(hole int) *counting.Enumeration {
		en, err := counting.New(b, b.Complement(1<<hole), 0, "")
		if err != nil {
			t.Fatal(err)
		}
		return en
	}
	several := 0
	for _, turn := range b.Symmetries() {
		j, err := New(enumeration(0), enumeration(4), turn, 10, 19)
		if err != nil {
			t.Fatal(err)
		}
		near, far := j.Near.Space, j.Far.Space
		m := &ComplementReader{j: j}
		l := &Lookup{transform: j.transform(Ending{Element: turn})}
		apart := func(x uint64) [3]uint64 { return [3]uint64{far.Prefix.Of(x), far.Mid.Of(x), far.Low.Of(x)} }
		for lowType := range int32(near.LowTypes()) {
			rs, patterns := m.runsOf(l, lowType), near.LowPatterns(lowType)
			seen := map[uint16]bool{}
			for i, r := range rs.list {
				if i > 0 && r.from != rs.list[i-1].to || r.from >= r.to {
					t.Fatalf("run %d of low type %d: %+v", i, lowType, r)
				}
				for k := r.from; k < r.to; k++ {
					seen[rs.addresses[k]] = true
					for _, high := range []uint64{0, 1<<near.Prefix.Bits - 1, 0x155} {
						x := near.Ordered(b.Full()) ^ high<<near.Prefix.Shift
						y := l.spread.Apply(x) ^ r.high ^ uint64(rs.lows[k])<<far.Low.Shift
						direct := l.spread.Apply(x ^ uint64(patterns[rs.addresses[k]])<<near.Low.Shift)
						if apart(y) != apart(direct) {
							t.Fatalf("run %d of low type %d: address %d is at %x, want %x", i, lowType, rs.addresses[k], y, direct)
						}
					}
				}
			}
			if len(seen) != len(patterns) || int(rs.list[len(rs.list)-1].to) != len(patterns) {
				t.Fatalf("low type %d: %d addresses of %d are in a run", lowType, len(seen), len(patterns))
			}
			if len(rs.list) > 1 {
				several++
			}
		}
	}
	if several < 100 {
		t.Errorf("only %d low types had more than one run", several)
	}
}
