//go:build amd64 && !purego

package wordmap

import "golang.org/x/sys/cpu"

var (
	// haveMoves says whether the machine extracts and deposits bits in one instruction each.
	haveMoves = cpu.X86.HasBMI2
	// havePermutations says whether it permutes the bits of a word in one instruction.
	havePermutations = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512BITALG
)

// OrWords adds words to words: dst[i] |= src[i].
func OrWords(dst, src []uint64) {
	if havePermutations && len(dst) > 0 {
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

func movePairsFast(dst, src []uint64, jobs []Job, list []Pair, m *Maps, base int) {
	for _, j := range jobs {
		movePairsAsm(&dst[j.Dst], &src[j.Src], &list[0], len(list), &m.moves[base], j.Value*Step)
	}
}

func permutePairsFast(dst, src []uint64, jobs []Job, list []Pair, m *Maps, base int) {
	if m.masked {
		permutePairsMaskedAsm(&dst[0], &src[0], &jobs[0], len(jobs), &list[0], len(list), &m.index[base], &m.mask[base])
		return
	}
	permutePairsAsm(&dst[0], &src[0], &jobs[0], len(jobs), &list[0], len(list), &m.index[base])
}

func (s *Shuffle) wordsFast(dst, src []uint64, targets []Target, value uint32) {
	shuffleWordsAsm(&dst[0], &src[0], &targets[0], len(targets), &s.index[0], &s.mask[0], value)
}

// orPairsAsm is OrPairs for n > 0 pairs.
//
//go:noescape
func orPairsAsm(dst, src *uint64, list *Pair, n int)

// movePairsAsm moves the bits of n > 0 pairs; value is times Step.
//
//go:noescape
func movePairsAsm(dst, src *uint64, list *Pair, n int, m *moves, value uint32)

// permutePairsAsm permutes the bits of n > 0 pairs for each of so many jobs, permutePairsMaskedAsm those in the mask.
//
//go:noescape
func permutePairsAsm(dst, src *uint64, jobs *Job, numJobs int, list *Pair, n int, index *[64]uint8)

//go:noescape
func permutePairsMaskedAsm(
	dst, src *uint64, jobs *Job, numJobs int, list *Pair, n int, index *[64]uint8, mask *uint64,
)

// orWordsAsm is OrWords for n words.
//
//go:noescape
func orWordsAsm(dst, src *uint64, n int)

// shuffleWordsAsm is Shuffle.Words for n > 0 words.
//
//go:noescape
func shuffleWordsAsm(dst, src *uint64, targets *Target, n int, index *[64]uint8, mask *uint64, value uint32)
