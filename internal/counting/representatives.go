package counting

import (
	"math/bits"
	"sync"

	"pagoda/internal/partition"
)

// A representativeTable lists which low patterns of a type stand for their class, where a set of symmetries fixes
// prefix and mid: those that are the smallest of their images. The lists are made when they are first needed. Safe for
// concurrent use.
type representativeTable struct {
	mu   sync.RWMutex
	made map[representativeKey][]uint16
}

type representativeKey struct {
	ties    uint64 // elements of the group that fix prefix and mid, but for the identity
	lowType int32
}

// of returns the ranks of those patterns.
func (t *representativeTable) of(s *partition.Space, ties uint64, lowType int32) []uint16 {
	key := representativeKey{ties, lowType}
	t.mu.RLock()
	ranks, ok := t.made[key]
	t.mu.RUnlock()
	if ok {
		return ranks
	}
patterns:
	for rank, x := range s.LowPatterns(lowType) {
		for g := ties; g != 0; g &= g - 1 {
			if s.LowImage(bits.TrailingZeros64(g), uint64(x)) < uint64(x) {
				continue patterns
			}
		}
		ranks = append(ranks, uint16(rank))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.made == nil {
		t.made = map[representativeKey][]uint16{}
	}
	t.made[key] = ranks
	return ranks
}
