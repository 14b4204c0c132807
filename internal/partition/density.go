package partition

import (
	"math"

	"pagoda/internal/peg"
)

// The density of a layer grows with the share of the holes that are vacant, along a logistic curve: to most, half of
// which it is where a share of half is vacant.
type density struct{ most, half, steepness float64 }

// The more jumps a hole has, the sooner half of the positions can be reached, and the steeper the curve. The constants
// fit whole runs of six boards, english, french, square5, hexagon19, triangle6 and triangle7, from one start or all,
// and part of hexagon37. The prediction is too low in the first layers, which are small.
const (
	halfLeast, halfPerJump = 0.05, 1.144 // half of the positions at halfLeast + halfPerJump/(jumps per hole)
	steepnessPerJump       = 4.2
)

// measured has boards on which whole runs from the centre have found another curve: without them, predictions were 2.4
// and 2.0 times the real rows. A diamond has sixteen holes, of 41, that no peg can jump over.
var measured = map[string]density{"diamond": {0.31, 0.495, 12}, "wiegleb": {0.6, 0.565, 15}}

// Density predicts which share of the positions with so many pegs, of those that have an address, can be reached from a
// start with one vacant hole.
func Density(b *peg.Board, pegs int) float64 {
	holes := float64(len(b.Holes))
	d, ok := measured[b.Name]
	if !ok {
		jumps := float64(len(b.Jumps)) / holes
		d = density{1, halfLeast + halfPerJump/jumps, steepnessPerJump * jumps}
	}
	vacant := (holes - float64(pegs)) / holes
	return d.most / (1 + math.Exp(d.steepness*(d.half-vacant)))
}
