//go:build !amd64 || purego

package wordmap

import "pagoda/internal/puzzle/vector"

var permutesBy = vector.None

// OrWords adds words to words: dst[i] |= src[i].
func OrWords(dst, src []uint64) { orWordsPortable(dst, src) }

// OrPairs adds words to words as they are: dst[to] |= src[from].
func OrPairs(dst, src []uint64, list []Pair) { orPairsPortable(dst, src, list) }

func permutePairsFast(dst, src []uint64, jobs []Job, list []Pair, m *Maps, base int) {
	panic("wordmap: no fast permutations on this machine")
}

func (s *Shuffle) wordsFast(dst, src []uint64, targets []Target, value uint32) {
	panic("wordmap: no fast shuffle on this machine")
}
