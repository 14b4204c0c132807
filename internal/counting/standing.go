package counting

import (
	"math/bits"
	"sync"

	"pagoda/internal/partition"
)

// A standingTable lists which low patterns of a type stand for their class, where a set of symmetries fixes lead and
// mid: those that are the smallest of their images. The lists are made when they are first needed. Safe for concurrent
// use.
type standingTable struct {
	mu   sync.RWMutex
	made map[standingKey][]uint16
}

type standingKey struct {
	ties    uint64 // elements of the group that fix lead and mid, but for the identity
	lowType int32
}

// of returns the ranks of those patterns.
func (t *standingTable) of(s *partition.Space, ties uint64, lowType int32) []uint16 {
	key := standingKey{ties, lowType}
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
		t.made = map[standingKey][]uint16{}
	}
	t.made[key] = ranks
	return ranks
}
