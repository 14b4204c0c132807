package counting

import (
	"math/bits"
	"unsafe"
)

// addPairs adds, for every pair, parent[from] to run[to], and returns the sum of what it added. The caller guarantees
// that neither a slot nor the sum leaves 64 bits, and that every rank is inside its run.
func addPairs(run, parent []uint64, pairs []pair) (sum uint64) {
	if len(pairs) == 0 {
		return 0
	}
	// The ranks come from tables over the same low types as the runs' lengths, so the bounds hold by construction; the
	// checks would cost a quarter of the loop.
	to, from := unsafe.Pointer(&run[0]), unsafe.Pointer(&parent[0])
	for _, p := range pairs {
		n := *(*uint64)(unsafe.Add(from, uintptr(p>>16)*8))
		*(*uint64)(unsafe.Add(to, uintptr(p&0xffff)*8)) += n
		sum += n
	}
	return sum
}

// addRun is addPairs for the pairs (i, i).
func addRun(run, parent []uint64) (sum uint64) {
	parent = parent[:len(run)]
	for i, n := range parent {
		run[i] += n
		sum += n
	}
	return sum
}

// addPairsWide is addPairs for counts of 128 bits. parentHi may be nil. overflow reports that a slot or the sum does not
// fit.
func addPairsWide(runLo, runHi, parentLo, parentHi []uint64, pairs []pair) (sumLo, sumHi uint64, overflow bool) {
	var lost uint64
	for _, p := range pairs {
		to, from := p.to(), p.from()
		lo, hi := parentLo[from], uint64(0)
		if parentHi != nil {
			hi = parentHi[from]
		}
		var c uint64
		runLo[to], c = bits.Add64(runLo[to], lo, 0)
		runHi[to], c = bits.Add64(runHi[to], hi, c)
		lost |= c
		sumLo, c = bits.Add64(sumLo, lo, 0)
		sumHi, c = bits.Add64(sumHi, hi, c)
		lost |= c
	}
	return sumLo, sumHi, lost != 0
}
