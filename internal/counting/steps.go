package counting

import (
	"sync"

	"pagoda/internal/partition"
)

// A step undoes the jumps of a bundle from a prefix.
type step struct {
	bundle  int32 // among those of the edge
	element int32 // makes the prefix of the predecessors canonical
	rank    int32 // of that prefix among the canonical patterns of the parent
	group   int32 // numbers bundle and element: steps of the same group go to the same stretches of the parents' prefixes
}

// A stepTable lists the steps from every canonical prefix along one kind of edge. They depend on the symmetries
// that fix the vectors of child and parent only, so that a few tables serve all cells.
type stepTable struct {
	first []int32 // by rank of the prefix: where its steps begin; one more at the end
	steps []step
}

func (t *stepTable) of(rank int32) []step { return t.steps[t.first[rank]:t.first[rank+1]] }

type stepKey struct {
	removed               int
	coset, child, parents uint64
}

// stepTables makes the tables when they are first needed. Safe for concurrent use.
type stepTables struct {
	space *partition.Space
	table *jumpTable

	mu   sync.Mutex
	made map[stepKey]*stepTable
}

// of returns the table of the edge e between the cells of two layouts.
func (s *stepTables) of(e partition.Edge, child, parent *partition.Layout) *stepTable {
	key := stepKey{e.Removed, e.Coset, child.Fixing, parent.Fixing}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.made[key]
	if t != nil {
		return t
	}
	t = &stepTable{first: []int32{0}}
	best := s.space.BestElement(e.Coset)
	bundles := s.table.bundles[e.Removed]
	for _, pattern := range child.PrefixPatterns() {
		for i := range bundles {
			b := &bundles[i]
			if !b.prefix.reverseOK(uint64(pattern)) {
				continue
			}
			x := uint64(pattern) ^ b.prefix.mask
			g := int(best[x])
			rank := parent.PrefixRank(s.space.PrefixImage(g, x))
			t.steps = append(t.steps, step{int32(i), int32(g), rank, int32(i*len(s.space.Group) + g)})
		}
		t.first = append(t.first, int32(len(t.steps)))
	}
	if s.made == nil {
		s.made = map[stepKey]*stepTable{}
	}
	s.made[key] = t
	return t
}
