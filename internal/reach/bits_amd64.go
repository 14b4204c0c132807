//go:build amd64 && !purego

package reach

import "golang.org/x/sys/cpu"

var (
	// haveMovesFast says whether the machine extracts and deposits bits in one instruction each.
	haveMovesFast = cpu.X86.HasBMI2
	// haveShuffleFast says whether the machine permutes the bits of a word in one instruction.
	haveShuffleFast = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512BITALG
)

// orWords adds a stretch to a stretch: dst[i] |= src[i].
func orWords(dst, src []uint64) {
	if haveShuffleFast && len(dst) > 0 {
		_ = src[len(dst)-1]
		orWordsAsm(&dst[0], &src[0], len(dst))
		return
	}
	orWordsPortable(dst, src)
}

// orPairs adds rows to rows that a jump leaves as they are: dst[to] |= src[from].
func orPairs(dst, src []uint64, list []pair) {
	if len(list) > 0 {
		orPairsAsm(&dst[0], &src[0], &list[0], len(list))
	}
}

func movePairsFast(dst, src []uint64, jobs []job, list []pair, m *wordMaps, base int) {
	for _, j := range jobs {
		movePairsAsm(&dst[j.dst], &src[j.src], &list[0], len(list), &m.moves[base], j.value*mapStep)
	}
}

func permutePairsFast(dst, src []uint64, jobs []job, list []pair, m *wordMaps, base int) {
	if m.masked {
		permutePairsMaskedAsm(&dst[0], &src[0], &jobs[0], len(jobs), &list[0], len(list), &m.index[base], &m.mask[base])
		return
	}
	permutePairsAsm(&dst[0], &src[0], &jobs[0], len(jobs), &list[0], len(list), &m.index[base])
}

func shuffleStretchFast(dst, src []uint64, targets []target, s *shuffle, value uint32) {
	shuffleStretchAsm(&dst[0], &src[0], &targets[0], len(targets), &s.index[0], &s.mask[0], value)
}

// orPairsAsm is orPairs for n > 0 pairs.
//
//go:noescape
func orPairsAsm(dst, src *uint64, list *pair, n int)

// movePairsAsm moves the bits of n > 0 pairs; value is times mapStep.
//
//go:noescape
func movePairsAsm(dst, src *uint64, list *pair, n int, m *moves, value uint32)

// permutePairsAsm permutes the bits of n > 0 pairs for each of so many jobs, permutePairsMaskedAsm those in the mask.
//
//go:noescape
func permutePairsAsm(dst, src *uint64, jobs *job, numJobs int, list *pair, n int, index *[64]uint8)

//go:noescape
func permutePairsMaskedAsm(
	dst, src *uint64, jobs *job, numJobs int, list *pair, n int, index *[64]uint8, mask *uint64,
)

// orWordsAsm is orWords for n words.
//
//go:noescape
func orWordsAsm(dst, src *uint64, n int)

// shuffleStretchAsm is shuffleStretch for n > 0 rows.
//
//go:noescape
func shuffleStretchAsm(dst, src *uint64, targets *target, n int, index *[64]uint8, mask *uint64, value uint32)
