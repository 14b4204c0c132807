//go:build !amd64 || purego

package reach

const haveMovesFast, haveShuffleFast = false, false

func orWords(dst, src []uint64) { orWordsPortable(dst, src) }

func orPairs(dst, src []uint64, list []pair) { orPairsPortable(dst, src, list) }

func movePairsFast(dst, src []uint64, jobs []job, list []pair, m *wordMaps, base int) {
	panic("reach: no fast moves on this machine")
}

func permutePairsFast(dst, src []uint64, jobs []job, list []pair, m *wordMaps, base int) {
	panic("reach: no fast permutations on this machine")
}

func shuffleStretchFast(dst, src []uint64, targets []target, s *shuffle, value uint32) {
	panic("reach: no fast shuffle on this machine")
}
