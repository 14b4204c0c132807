package blocks

import (
	"math"
	"math/bits"

	"pagoda/internal/puzzle"
)

// EntropyBits estimates the entropy of a block in bits: the bitmap's addresses and the values taken one by one. The
// distribution of values is known at the grain of their magnitude (a twentieth of an octave) and divisibility, and
// taken as flat below that.
func EntropyBits(b *puzzle.Block) float64 {
	rows := float64(b.Rows())
	p := rows / float64(b.Addresses)
	total := 0.0
	if p < 1 {
		total = float64(b.Addresses) * (-p*math.Log2(p) - (1-p)*math.Log2(1-p))
	}
	type class struct{ magnitude, zeros int }
	for _, col := range b.Columns {
		count := map[class]float64{}
		for _, v := range col {
			c := class{-1, min(bits.TrailingZeros64(v), 3)}
			if v > 0 {
				c.magnitude = int(20 * math.Log2(float64(v)))
			}
			count[c]++
		}
		for c, n := range count {
			// The number of values that a class can hold, at least one.
			size := max(1, math.Exp2(float64(c.magnitude)/20)*(math.Exp2(1./20)-1)/float64(int(1)<<min(c.zeros+1, 3)))
			total += n * (math.Log2(rows/n) + math.Log2(size))
		}
	}
	return total
}
