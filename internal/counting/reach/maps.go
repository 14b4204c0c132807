package reach

import "pagoda/internal/counting/reach/wordmap"

// wordMaps tabulates the changes that lead to rows of a word weight, from rows that are stored as images under the
// inverse of element e. Where bits are moved e is the identity: undoing a jump on the word patterns that allow it keeps
// their order, so that the bits of plane i that come from plane j are a stretch of both.
func (s *scheme) wordMaps(e, weight int) *wordmap.Maps {
	key := permKey{e, weight}
	if m, ok := s.maps[key]; ok {
		return m
	}
	masked := s.longRow(weight) || weight < len(s.class[word].holes) && s.longRow(weight+1)
	m := wordmap.New(len(s.changes), s.values, s.permutes, masked)
	back := s.class[word].image[s.inverse[e]]
	for k, c := range s.changes {
		for value := range s.values {
			for i, x := range s.wordList(weight, uint32(value)) {
				if c.allows(x) {
					at := int(s.wordBit(back[x^c.flip]))
					m.Add(k, value, at, i, x&c.flip != c.want)
				}
			}
		}
	}
	s.maps[key] = m.Done()
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
