package reach

import "pagoda/internal/partition"

// A shape is how the rows of a class-count vector lie in memory: by prefix, mid, plane and stretch pattern. The words
// of one prefix and mid pattern, all planes, are a stretch.
type shape struct {
	weight       [roles]int // pegs of each class
	mids         int        // mid patterns
	stretches    int        // stretch patterns: words of a plane of a stretch
	planes       int
	stretchWords int // of all planes
	words        int // of all stretches
}

func (s *scheme) shape(v partition.Vector) shape {
	var h shape
	for c, n := range v {
		h.weight[s.role[c]] = int(n)
	}
	h.mids = len(s.class[mid].byWeight[h.weight[mid]])
	h.stretches = len(s.class[stretch].byWeight[h.weight[stretch]])
	h.planes = s.planes(h.weight[word])
	h.stretchWords = h.planes * h.stretches
	h.words = len(s.class[prefix].byWeight[h.weight[prefix]]) * h.mids * h.stretchWords
	return h
}

// stride is how far neighbours in the order of a role's patterns are apart.
func (h *shape) stride(role int) int {
	switch role {
	case prefix:
		return h.mids * h.stretchWords
	case mid:
		return h.stretchWords
	}
	return 1
}

// A head is a prefix and a mid pattern, by rank, that are the smallest of their images; orbit is the number of images.
type head struct{ prefix, mid, orbit uint32 }

// headKey is all that heads depend on: the symmetries and the weights.
type headKey struct {
	symmetries  uint64
	prefix, mid int
}

// Heads are those of a cell, by prefix and mid; starts is, by prefix, where they begin, and one more ends the last.
type heads struct {
	list   []head
	starts []uint32
}

// headsOf lists the heads of the stretches that a cell stores, by prefix and mid.
func (s *scheme) headsOf(v partition.Vector) []head { return s.headsAt(v).list }

func (s *scheme) headsAt(v partition.Vector) heads {
	h := s.shape(v)
	return s.headsUnder(s.folding(v), &h)
}

func (s *scheme) headKey(fold []int, h *shape) headKey {
	key := headKey{prefix: h.weight[prefix], mid: h.weight[mid]}
	for _, g := range fold {
		key.symmetries |= 1 << g
	}
	return key
}

// headsUnder lists the heads of a shape under the given elements.
func (s *scheme) headsUnder(fold []int, h *shape) heads {
	key := s.headKey(fold, h)
	s.mu.Lock()
	at, ok := s.heads[key]
	s.mu.Unlock()
	if ok {
		return at
	}
	list, starts := []head{}, []uint32{0}
	for l := range s.class[prefix].byWeight[h.weight[prefix]] {
		for m := range h.mids {
			if fixed := s.least(fold, h, uint32(l), uint32(m)); fixed > 0 {
				list = append(list, head{uint32(l), uint32(m), uint32(len(fold) / fixed)})
			}
			if m == 0 && !s.prefixMayRepresent(fold, h, uint32(l)) {
				break
			}
		}
		starts = append(starts, uint32(len(list)))
	}
	at = heads{list, starts}
	s.mu.Lock()
	s.heads[key] = at
	s.mu.Unlock()
	return at
}

// prefixMayRepresent reports whether no element that maps the prefix class to itself makes the prefix smaller.
// Otherwise no mid pattern makes a head with it.
func (s *scheme) prefixMayRepresent(fold []int, h *shape, l uint32) bool {
	c := &s.class[prefix]
	x := c.byWeight[h.weight[prefix]][l]
	for _, g := range fold {
		if s.toRole[g][prefix] == prefix && c.rank[c.image[g][x]] < l {
			return false
		}
	}
	return true
}

// least returns in how many elements the pair of patterns is its own image, 0 when it is not the smallest of its
// images.
func (s *scheme) least(fold []int, h *shape, l, m uint32) (fixed int) {
	for _, g := range fold {
		gl, gm := s.headImage(g, h, l, m)
		switch {
		case gl < l || gl == l && gm < m:
			return 0
		case gl == l && gm == m:
			fixed++
		}
	}
	return fixed
}

// headImage is the image of a prefix and mid pattern, by rank, under an element of the folding.
func (s *scheme) headImage(g int, h *shape, l, m uint32) (gl, gm uint32) {
	x := s.class[prefix].image[g][s.class[prefix].byWeight[h.weight[prefix]][l]]
	y := s.class[mid].image[g][s.class[mid].byWeight[h.weight[mid]][m]]
	if s.toRole[g][prefix] == mid {
		x, y = y, x
	}
	return s.class[prefix].rank[x], s.class[mid].rank[y]
}
