package baseball

// A scatter sets ranks of a field that come in no order. Where no cache holds the field, it keeps them by region of the
// field until a region has many, and sets these together. That halves the time of a reflection of nine bases.
type scatter struct {
	to   *field
	kept []uint32 // of each region up to each, counted from the field's first rank
	each int      // none for a field that a cache holds
	n    []int    // by region: how many are kept
}

const (
	regionRanks  = 1 << 21 // 256 KiB, which the cache of a core holds
	keptRanks    = 1 << 23 // of all regions: 32 MiB
	cachedRanks  = 1 << 25 // 4 MiB: below, keeping costs more than it saves
	scatterBytes = 4 * keptRanks
)

func newScatter(to *field, room []uint32) *scatter {
	s := &scatter{to: to, kept: room}
	if to.size > cachedRanks {
		s.n = make([]int, to.size/regionRanks+1)
		s.each = keptRanks / len(s.n)
	}
	return s
}

func (s *scatter) set(rank uint64) {
	if s.each == 0 {
		s.to.set(rank)
		return
	}
	at := rank - s.to.first
	i := at / regionRanks
	k := s.n[i]
	s.kept[int(i)*s.each+k] = uint32(at)
	if s.n[i] = k + 1; k+1 == s.each {
		s.flush(int(i))
	}
}

func (s *scatter) flush(region int) {
	at := region * s.each
	for _, k := range s.kept[at : at+s.n[region]] {
		s.to.words[k/64] |= 1 << (k % 64)
	}
	s.n[region] = 0
}

// flushAll sets all that is kept.
func (s *scatter) flushAll() {
	for region := range s.n {
		s.flush(region)
	}
}
