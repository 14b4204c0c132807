package counting

import "math/bits"

// addPairsWide adds, for every i, parent[from[i]] to stretch[to[i]], for counts of 128 bits, and returns the sum of the
// counts added. parentHi may be nil. overflow reports that an address or the sum does not fit.
func addPairsWide[P uint32 | uint64](
	stretchLo, stretchHi []uint64, parentLo []P, parentHi []uint64, to, from []uint16,
) (sumLo, sumHi uint64, overflow bool) {
	var lost uint64
	for i, to := range to {
		from := from[i]
		lo, hi := uint64(parentLo[from]), uint64(0)
		if parentHi != nil {
			hi = parentHi[from]
		}
		var c uint64
		stretchLo[to], c = bits.Add64(stretchLo[to], lo, 0)
		stretchHi[to], c = bits.Add64(stretchHi[to], hi, c)
		lost |= c
		sumLo, c = bits.Add64(sumLo, lo, 0)
		sumHi, c = bits.Add64(sumHi, hi, c)
		lost |= c
	}
	return sumLo, sumHi, lost != 0
}
