package reach

import (
	"math"

	"pagoda/internal/partition"
)

// A plan is made with these: a word takes baseSteps and pullSteps for each jump that is undone on it, and leastBytes
// on disk, however few positions it has.
const (
	baseSteps  = 4
	pullSteps  = 1.5
	leastBytes = 0.4
)

// stepsPerWord predicts the elementary steps of a word of a cell with so many pegs. A jump is undone on the patterns
// that have two vacant holes and a peg on its holes: hardly any in the first layers, most where a third of the holes
// have pegs.
func (s *scheme) stepsPerWord(pegs int) float64 {
	p := float64(pegs) / float64(len(s.board.Holes))
	return baseSteps + pullSteps*float64(len(s.board.Jumps))*p*(1-p)*(1-p)
}

// bytesPerWord predicts the stored bytes of a word of the cell of v, of shape h, near the entropy of its bits: of 64
// addresses those are positions that have the weights of the cell, leave their word one value of the invariants, and
// can be reached.
func (s *scheme) bytesPerWord(v partition.Vector, h *shape) float64 {
	holes, weight := len(s.class[word].holes), h.weight[word]
	rows := choose(holes, weight) / float64(s.values*h.planes) // positions of a row, in each of its words
	share := rows / 64 * partition.Density(s.board, pegsOf(v))
	return leastBytes + 8*entropy(share)
}

func pegsOf(v partition.Vector) (pegs int) {
	for _, n := range v {
		pegs += int(n)
	}
	return pegs
}

// entropy is that of a bit that is set with probability p, in bits.
func entropy(p float64) float64 {
	if p <= 0 || p >= 1 {
		return 0
	}
	return -p*math.Log2(p) - (1-p)*math.Log2(1-p)
}

// choose is the number of subsets of k of n.
func choose(n, k int) float64 {
	c := 1.
	for i := range k {
		c = c * float64(n-i) / float64(i+1)
	}
	return c
}
