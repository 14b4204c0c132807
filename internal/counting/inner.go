package counting

import (
	"math/bits"
	"unsafe"
)

// addPairs adds, for every i, parent[from[i]] to run[to[i]], and returns the sum of what it added. The caller guarantees
// that neither a slot nor the sum leaves 64 bits, and that every rank is inside its run.
//
// The ranks come from tables over the same low types as the runs' lengths, so the bounds hold by construction, and
// checking them would cost a quarter of the loop. Not inlined: the loop needs the registers.
//
//go:noinline
func addPairs(run, parent []uint64, to, from []uint16) (sum uint64) {
	if len(to) == 0 || len(from) < len(to) {
		return 0
	}
	d, s := unsafe.Pointer(&run[0]), unsafe.Pointer(&parent[0])
	i := 0
	for ; i+4 <= len(to); i += 4 {
		t, f := (*[4]uint16)(to[i:]), (*[4]uint16)(from[i:])
		n := *(*uint64)(unsafe.Add(s, uintptr(f[0])*8))
		*(*uint64)(unsafe.Add(d, uintptr(t[0])*8)) += n
		sum += n
		n = *(*uint64)(unsafe.Add(s, uintptr(f[1])*8))
		*(*uint64)(unsafe.Add(d, uintptr(t[1])*8)) += n
		sum += n
		n = *(*uint64)(unsafe.Add(s, uintptr(f[2])*8))
		*(*uint64)(unsafe.Add(d, uintptr(t[2])*8)) += n
		sum += n
		n = *(*uint64)(unsafe.Add(s, uintptr(f[3])*8))
		*(*uint64)(unsafe.Add(d, uintptr(t[3])*8)) += n
		sum += n
	}
	for ; i < len(to); i++ {
		n := *(*uint64)(unsafe.Add(s, uintptr(from[i])*8))
		*(*uint64)(unsafe.Add(d, uintptr(to[i])*8)) += n
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
func addPairsWide(runLo, runHi, parentLo, parentHi []uint64, to, from []uint16) (sumLo, sumHi uint64, overflow bool) {
	var lost uint64
	for i, to := range to {
		from := from[i]
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
