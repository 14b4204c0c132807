package games

import (
	"testing"

	"pgregory.net/rapid"

	"pagoda/internal/counting/countingtest"
)

// TestHolds: windows hold what they are said to hold at most.
func TestHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := countingtest.Draw(t)
		p.WindowAddresses = drawSetting(t, p).windowAddresses
		countingtest.Weighed(t, gamesOf(t, p))
	})
}

// TestHoldsLittle: that is far less than the plan says where counts are small, and hardly more than windows hold.
func TestHoldsLittle(t *testing.T) {
	planned, said, held := countingtest.Weighed(t, newGames(t, "triangle6", "r2c1", "", 20000))
	t.Logf("%d bytes planned, %d said, %d held", planned, said, held)
	if said > planned/2 || said > held*3/2 {
		t.Errorf("%d bytes are planned, %d are said to be held, %d are", planned, said, held)
	}
}
