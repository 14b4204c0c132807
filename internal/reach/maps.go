package reach

// A wordMaps is what changes do to the bits of rows of one word weight: where each bit of a row comes from, in a row
// that is stored as an image of the one before.
type wordMaps struct {
	segments [][]segment // by change
	// By number of the map. On a machine that permutes bits in one instruction bit i of the result is bit index[i] of
	// the source where bit i of mask is 1; else bits are moved. Where no row before has 64 bits, the index of the other
	// bits is the highest, which is 0, and masks are not needed.
	index  [][64]uint8
	mask   []uint64
	masked bool
	moves  []moves
	steps  [][2]steps // what the portable way needs
}

// A segment is the share of a change that goes from one plane to another: a map for each value that the row leaves to
// the word, from number first on. From plane 0 to plane 0 that is values times the number of the change.
type segment struct {
	from, to int
	first    int
	active   []uint32 // the values whose map is not empty
}

// A move takes the bits of a word under from, in order, to the places under to; both masks have the same number of
// bits.
type move struct{ from, to uint64 }

// Moves are those of a change: there, and where it goes both ways, back.
type moves [2]move

// wordMaps tabulates the changes that lead to rows of a word weight, from rows that are stored as images under the
// inverse of element e. Where bits are moved e is the identity: undoing a jump on the word patterns that allow it keeps
// their order, so that the bits of plane i that come from plane j are a stretch of both.
func (s *scheme) wordMaps(e, weight int) *wordMaps {
	key := permKey{e, weight}
	if m, ok := s.maps[key]; ok {
		return m
	}
	m := &wordMaps{segments: make([][]segment, len(s.changes))}
	for k := range m.segments {
		m.segments[k] = []segment{m.segment(s, 0, 0)}
	}
	m.masked = s.longRow(weight) || weight < len(s.class[word].holes) && s.longRow(weight+1)
	back := s.class[word].image[s.inverse[e]]
	for k, c := range s.changes {
		for value := range s.values {
			for i, x := range s.wordList(weight, uint32(value)) {
				if c.allows(x) {
					at := int(s.wordBit(back[x^c.flip]))
					m.add(s, k, value, at, i, x&c.flip != c.want)
				}
			}
		}
	}
	if !s.wide && !haveMovesFast {
		m.prepare()
	}
	s.maps[key] = m
	return m
}

// longRow reports whether a row of a word weight has 64 bits or more.
func (s *scheme) longRow(weight int) bool {
	for value := range s.values {
		if len(s.wordList(weight, uint32(value))) >= 64 {
			return true
		}
	}
	return false
}

// segment makes a segment without maps.
func (m *wordMaps) segment(s *scheme, from, to int) segment {
	g := segment{from: from, to: to, first: max(len(m.mask), len(m.moves))}
	if s.wide {
		m.index = append(m.index, make([][64]uint8, s.values)...)
		for v := range s.values {
			for i := range 64 {
				m.index[g.first+v][i] = 63
			}
		}
		m.mask = append(m.mask, make([]uint64, s.values)...)
	} else {
		m.moves = append(m.moves, make([]moves, s.values)...)
	}
	return g
}

// add says that, for a value, change k takes bit from to bit to, on the way back or not.
func (m *wordMaps) add(s *scheme, k, value, from, to int, back bool) {
	list := m.segments[k]
	i := 0
	for i < len(list) && (list[i].from != from/64 || list[i].to != to/64) {
		i++
	}
	if i == len(list) {
		list = append(list, m.segment(s, from/64, to/64))
		m.segments[k] = list
	}
	g := &list[i]
	if n := len(g.active); n == 0 || g.active[n-1] != uint32(value) {
		g.active = append(g.active, uint32(value))
	}
	if s.wide {
		m.index[g.first+value][to%64] = uint8(from % 64)
		m.mask[g.first+value] |= 1 << (to % 64)
		return
	}
	mv := &m.moves[g.first+value][0]
	if back {
		mv = &m.moves[g.first+value][1]
	}
	mv.from |= 1 << (from % 64)
	mv.to |= 1 << (to % 64)
}
