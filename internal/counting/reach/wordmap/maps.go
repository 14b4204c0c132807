package wordmap

import "pagoda/internal/puzzle/vector"

// Maps are changes, each of which takes bits from planes of 64 bits to planes of 64 bits, by a map for every value.
// They are made by New, Add and Done, and then only read.
type Maps struct {
	// Segments are, by change, its shares that go from one plane to another.
	Segments [][]Segment

	values int
	// By number of the map. Where words are permuted bit i of the result is bit index[i] of the source where bit i of
	// mask is 1; else bits are moved. Where no word that is read uses bit 63 (not masked), the other bits come from that
	// bit, which is 0, and masks are not needed.
	permute bool
	index   [][64]uint8
	mask    []uint64
	masked  bool
	bytes   []byteMap // the same for AVX2, instead
	moves   []moves
	steps   [][2]steps // of the moves
}

// A Segment is the share of a change that goes from one plane to another: a map for each value, from number First on.
// From plane 0 to plane 0 that is values times the number of the change.
type Segment struct {
	From, To int
	First    int
	Active   []uint32 // the values whose map is not empty
}

// A move takes the bits of a word under from, in order, to the places under to; both masks have the same number of
// bits.
type move struct{ from, to uint64 }

// Moves are those of a change: there, and where it goes both ways, back.
type moves [2]move

// Permutes reports whether the machine permutes the bits of a word in a few instructions.
func Permutes() bool { return permutesBy != vector.None }

// New makes maps of so many changes and values that take no bit anywhere. With permute, which a machine that [Permutes]
// can do alone, maps may be any; without it every map, there and back, keeps the order of the bits. Masked says that
// words which are read may use bit 63: maps without it are faster.
func New(changes, values int, permute, masked bool) *Maps {
	m := &Maps{Segments: make([][]Segment, changes), values: values, permute: permute, masked: masked}
	for k := range m.Segments {
		m.Segments[k] = []Segment{m.segment(0, 0)}
	}
	return m
}

// segment makes a segment without maps.
func (m *Maps) segment(from, to int) Segment {
	g := Segment{From: from, To: to, First: max(len(m.mask), len(m.moves))}
	if !m.permute {
		m.moves = append(m.moves, make([]moves, m.values)...)
		return g
	}
	m.index = append(m.index, make([][64]uint8, m.values)...)
	for v := range m.values {
		for i := range 64 {
			m.index[g.First+v][i] = 63
		}
	}
	m.mask = append(m.mask, make([]uint64, m.values)...)
	return g
}

// Add says that for a value change k takes bit from to bit to, both numbered through all planes; back that it is the
// way back of a change that goes both ways.
func (m *Maps) Add(k, value, from, to int, back bool) {
	list := m.Segments[k]
	i := 0
	for i < len(list) && (list[i].From != from/64 || list[i].To != to/64) {
		i++
	}
	if i == len(list) {
		list = append(list, m.segment(from/64, to/64))
		m.Segments[k] = list
	}
	g := &list[i]
	if n := len(g.Active); n == 0 || g.Active[n-1] != uint32(value) {
		g.Active = append(g.Active, uint32(value))
	}
	if m.permute {
		m.index[g.First+value][to%64] = uint8(from % 64)
		m.mask[g.First+value] |= 1 << (to % 64)
		return
	}
	mv := &m.moves[g.First+value][0]
	if back {
		mv = &m.moves[g.First+value][1]
	}
	mv.from |= 1 << (from % 64)
	mv.to |= 1 << (to % 64)
}

// Done ends the making of maps.
func (m *Maps) Done() *Maps {
	switch {
	case !m.permute:
		m.prepare()
	case permutesBy == vector.AVX2:
		m.bytes, m.index, m.mask = byteMaps(m.index, m.mask), nil, nil
	}
	return m
}
