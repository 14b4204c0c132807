//go:build amd64 && !purego

package wordmap

import (
	"golang.org/x/sys/cpu"

	"pagoda/internal/puzzle/vector"
)

// permutesBy is how the bits of a word are permuted on this machine.
var permutesBy = vector.Best(cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512BITALG)

// OrWords adds words to words: dst[i] |= src[i].
func OrWords(dst, src []uint64) {
	if permutesBy == vector.AVX512 && len(dst) > 0 {
		_ = src[len(dst)-1]
		orWordsAsm(&dst[0], &src[0], len(dst))
		return
	}
	orWordsPortable(dst, src)
}

// OrPairs adds words to words as they are: dst[to] |= src[from].
func OrPairs(dst, src []uint64, list []Pair) {
	if len(list) > 0 {
		orPairsAsm(&dst[0], &src[0], &list[0], len(list))
	}
}

func permutePairsFast(dst, src []uint64, jobs []Job, list []Pair, m *Maps, base int) {
	switch {
	case permutesBy == vector.AVX2:
		permutePairsAVX2(&dst[0], &src[0], &jobs[0], len(jobs), &list[0], len(list), &m.bytes[base])
	case m.masked:
		permutePairsMaskedAsm(&dst[0], &src[0], &jobs[0], len(jobs), &list[0], len(list), &m.index[base], &m.mask[base])
	default:
		permutePairsAsm(&dst[0], &src[0], &jobs[0], len(jobs), &list[0], len(list), &m.index[base])
	}
}

func (s *Shuffle) wordsFast(dst, src []uint64, targets []Target, value uint32) {
	if permutesBy == vector.AVX2 {
		shuffleWordsAVX2(&dst[0], &src[0], &targets[0], len(targets), &s.bytes[0], value)
		return
	}
	shuffleWordsAsm(&dst[0], &src[0], &targets[0], len(targets), &s.index[0], &s.mask[0], value)
}

// orPairsAsm is OrPairs for n > 0 pairs.
//
//go:noescape
func orPairsAsm(dst, src *uint64, list *Pair, n int)

// permutePairsAsm permutes the bits of n > 0 pairs for each of so many jobs, permutePairsMaskedAsm those in the mask.
//
//go:noescape
func permutePairsAsm(dst, src *uint64, jobs *Job, numJobs int, list *Pair, n int, index *[64]uint8)

//go:noescape
func permutePairsMaskedAsm(
	dst, src *uint64, jobs *Job, numJobs int, list *Pair, n int, index *[64]uint8, mask *uint64,
)

//go:noescape
func permutePairsAVX2(dst, src *uint64, jobs *Job, numJobs int, list *Pair, n int, maps *byteMap)

// orWordsAsm is OrWords for n words.
//
//go:noescape
func orWordsAsm(dst, src *uint64, n int)

// shuffleWordsAsm is Shuffle.Words for n > 0 words.
//
//go:noescape
func shuffleWordsAsm(dst, src *uint64, targets *Target, n int, index *[64]uint8, mask *uint64, value uint32)

//go:noescape
func shuffleWordsAVX2(dst, src *uint64, targets *Target, n int, maps *byteMap, value uint32)
