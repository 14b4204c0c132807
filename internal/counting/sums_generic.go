//go:build !amd64 || purego

package counting

const haveSumsFast = false

func (s *runSums) addFast(counts, low, high []uint64) (rows int) {
	return s.addPortable(counts, low, high)
}

func packFast(counts, occupied, out []uint64) (rows int) { return packPortable(counts, occupied, out) }
