package games

import (
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/counting/countingtest"
)

// TestHolds: windows hold what they are said to hold at most, however wide their counts are.
func TestHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := countingtest.Draw(t)
		p.WindowAddresses = drawSetting(t, p).windowAddresses
		g := gamesOf(t, p)
		g.Unit = rapid.SampledFrom(countingtest.Units).Draw(t, "unit")
		countingtest.Weighed(t, g)
	})
}

// TestHoldsParents: windows hold more where any parent has wide counts.
func TestHoldsParents(t *testing.T) {
	countingtest.EachParentWeighs(t, newGames(t, "triangle5", "r2c1", "", 40))
}

// TestHoldsLittle: on a larger board that is far less than the plan says where counts are small, and hardly more than
// windows hold, whatever the width of counts.
func TestHoldsLittle(t *testing.T) {
	for _, unit := range countingtest.Units {
		g := newGames(t, "triangle6", "r2c1", "", 20000)
		g.Unit = unit
		planned, said, held := countingtest.Weighed(t, g)
		t.Logf("a start that counts %v: %d bytes planned, %d said, %d held", unit, planned, said, held)
		if unit == countingtest.Units[0] && said > planned/2 || said > held*3/2 {
			t.Errorf("%d bytes are planned, %d are said to be held, %d are", planned, said, held)
		}
	}
}
