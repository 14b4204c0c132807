package reach

import "pagoda/internal/partition"

// A shape is how the rows of a class-count vector lie in memory: by lead, mid, plane and run pattern. The words of one
// lead and mid pattern, all planes, are a run.
type shape struct {
	weight   [roles]int // pegs of each class
	mids     int        // mid patterns
	runs     int        // run patterns: words of a plane of a run
	planes   int
	runWords int // of all planes
	words    int // of all runs
}

func (s *scheme) shape(v partition.Vector) shape {
	var h shape
	for c, n := range v {
		h.weight[s.role[c]] = int(n)
	}
	h.mids = len(s.class[mid].byWeight[h.weight[mid]])
	h.runs = len(s.class[run].byWeight[h.weight[run]])
	h.planes = s.planes(h.weight[word])
	h.runWords = h.planes * h.runs
	h.words = len(s.class[lead].byWeight[h.weight[lead]]) * h.mids * h.runWords
	return h
}

// stride is how far neighbours in the order of a role's patterns are apart.
func (h *shape) stride(role int) int {
	switch role {
	case lead:
		return h.mids * h.runWords
	case mid:
		return h.runWords
	}
	return 1
}

// A head is a lead and a mid pattern, by rank, that are the smallest of their images; orbit is the number of images.
type head struct{ lead, mid, orbit uint32 }

// headKey is all that heads depend on: the symmetries and the weights.
type headKey struct {
	symmetries uint64
	lead, mid  int
}

// headsOf lists the heads of the runs that a cell stores, by lead and mid.
func (s *scheme) headsOf(v partition.Vector) []head {
	h := s.shape(v)
	fold := s.folding(v)
	key := headKey{lead: h.weight[lead], mid: h.weight[mid]}
	for _, g := range fold {
		key.symmetries |= 1 << g
	}
	s.mu.Lock()
	list, ok := s.heads[key]
	s.mu.Unlock()
	if ok {
		return list
	}
	list = []head{}
	for l := range s.class[lead].byWeight[h.weight[lead]] {
		for m := range h.mids {
			if fixed := s.least(fold, &h, uint32(l), uint32(m)); fixed > 0 {
				list = append(list, head{uint32(l), uint32(m), uint32(len(fold) / fixed)})
			}
			if m == 0 && !s.leadMayLead(fold, &h, uint32(l)) {
				break
			}
		}
	}
	s.mu.Lock()
	s.heads[key] = list
	s.mu.Unlock()
	return list
}

// leadMayLead reports whether no element that maps the lead class to itself makes the lead pattern smaller: then, and
// only then, some mid pattern may make a head with it.
func (s *scheme) leadMayLead(fold []int, h *shape, l uint32) bool {
	c := &s.class[lead]
	x := c.byWeight[h.weight[lead]][l]
	for _, g := range fold {
		if s.toRole[g][lead] == lead && c.rank[c.image[g][x]] < l {
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

// headImage is the image of a lead and mid pattern, by rank, under an element of the folding.
func (s *scheme) headImage(g int, h *shape, l, m uint32) (gl, gm uint32) {
	x := s.class[lead].image[g][s.class[lead].byWeight[h.weight[lead]][l]]
	y := s.class[mid].image[g][s.class[mid].byWeight[h.weight[mid]][m]]
	if s.toRole[g][lead] == mid {
		x, y = y, x
	}
	return s.class[lead].rank[x], s.class[mid].rank[y]
}
