package wordmap

// A Pair says that word To takes bits from word From, by a map: At is its number, but for the value of the job, times
// [Step]. Words are numbered from where the job's begin.
type Pair struct {
	To, From uint16
	At       uint32
}

// Step is the size of a map in a table of masks, in bytes.
const Step = 8

// A Job is where the words of pairs begin, those that are written and those that are read, and its value.
type Job struct{ Dst, Src, Value uint32 }

// Pull does pairs for every job: word To of dst gets the bits of word From of src in addition to those it has, by the
// map of the pair and the job. Maps are numbered from base on.
func (m *Maps) Pull(dst, src []uint64, jobs []Job, list []Pair, base int) {
	switch {
	case len(list) == 0 || len(jobs) == 0:
	case m.permute:
		permutePairsFast(dst, src, jobs, list, m, base)
	default:
		movePairsPortable(dst, src, jobs, list, m, base)
	}
}

func movePairsPortable(dst, src []uint64, jobs []Job, list []Pair, m *Maps, base int) {
	for _, j := range jobs {
		dst, src := dst[j.Dst:], src[j.Src:]
		for _, p := range list {
			if x := src[p.From]; x != 0 {
				s := &m.steps[base+int(p.At/Step^j.Value)]
				dst[p.To] |= s[0].move(x) | s[1].move(x)
			}
		}
	}
}

// orPairsPortable is OrPairs where there is no assembly.
func orPairsPortable(dst, src []uint64, list []Pair) {
	for _, p := range list {
		dst[p.To] |= src[p.From]
	}
}

// orWordsPortable is OrWords where there is no assembly.
func orWordsPortable(dst, src []uint64) {
	src = src[:len(dst)]
	for i, x := range src {
		dst[i] |= x
	}
}
