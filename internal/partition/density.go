package partition

import (
	"math"

	"pagoda/internal/peg"
)

// The density of a layer grows with the share of the holes that are vacant, along a logistic curve. The more jumps a
// hole has, the sooner half of the positions can be reached, and the steeper the curve. Fitted to whole runs of eight
// boards: english, french, square5, hexagon19, triangle6 and triangle7 from one start or all, and what was seen of
// hexagon37. It is too low in the first layers, which are small, and too high in the last ones of boards with long arms
// (wiegleb: 0.6 where it is 0.25).
const (
	halfLeast, halfPerJump = 0.05, 1.144 // half of the positions at halfLeast + halfPerJump/(jumps per hole)
	steepnessPerJump       = 4.2
)

// Density predicts which share of the positions with so many pegs, of those that have an address, can be reached from a
// start with one vacant hole.
func Density(b *peg.Board, pegs int) float64 {
	holes := float64(len(b.Holes))
	jumps := float64(len(b.Jumps)) / holes
	vacant := (holes - float64(pegs)) / holes
	return 1 / (1 + math.Exp(steepnessPerJump*jumps*(halfLeast+halfPerJump/jumps-vacant)))
}
