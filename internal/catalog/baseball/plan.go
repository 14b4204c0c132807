package baseball

import (
	"pagoda/internal/puzzle"
)

const (
	sumConfigurations = "configurations"
	sumRows           = "rows"
)

// Layer implements puzzle.Puzzle. Layer d has the configurations at distance d. When all are found, one layer for the
// methods may follow.
func (s *Search) Layer(n int, known puzzle.Results) ([]puzzle.CellPlan, error) {
	found := uint64(0)
	for l := range n {
		if l >= known.Layers() {
			return nil, puzzle.ErrUndecided
		}
		t, ok := known.Layer(l)
		if !ok {
			return nil, puzzle.ErrUndecided
		}
		here := t.Sum(sumConfigurations).Lo
		if here == 0 {
			return nil, puzzle.ErrNoLayer // after the methods; or the graph is not connected, and Summarise says so
		}
		found += here
	}
	if found == s.total {
		return s.planAfter(n)
	}
	return s.planDistance(n), nil
}

// planAfter plans the layer after the last distance.
func (s *Search) planAfter(n int) ([]puzzle.CellPlan, error) {
	if s.params.Methods {
		return []puzzle.CellPlan{s.planMethods(n)}, nil
	}
	return nil, puzzle.ErrNoLayer
}

// planDistance plans the configurations at distance n.
func (s *Search) planDistance(n int) (out []puzzle.CellPlan) {
	for h := range s.cells {
		if s.exists(n, h) {
			out = append(out, s.planCell(n, h))
		}
	}
	return out
}

func (s *Search) planCell(layer, h int) puzzle.CellPlan {
	p := puzzle.CellPlan{Cell: cellOf(layer, h), Addresses: s.order.ranks()}
	firsts := s.windows[h]
	for _, i := range firsts[:len(firsts)-1] {
		p.Cuts = append(p.Cuts, s.cells[h][i].at)
	}
	for _, g := range s.sources(layer, h) {
		p.Parents = append(p.Parents, cellOf(layer-1, g))
	}
	for _, c := range s.before(layer, h) {
		if c != cellOf(layer-1, h) || !s.crosses(h) { // otherwise it is there already
			p.Parents = append(p.Parents, c)
		}
	}
	p.Work = s.workPerRank(layer)*float64(p.Addresses) + wayWork*float64(len(s.cells[h]))
	p.RowBytes = s.bytesPerRank(layer) * float64(p.Addresses)
	p.MemoryBytes = s.memory(h)
	return p
}

// memory bounds what a window of cell h holds: its own rows, those being found for a way and its reflection, and the
// windows that it reads; of these a window of one way holds one at a time (see computation.hold). The lists of ways are
// those of all windows.
func (s *Search) memory(h int) uint64 {
	window, way, several := s.largest(h)
	read := window
	if h < 2 && len(s.cells) > 1 {
		other, _, _ := s.largest(1 - h)
		read = max(read, other)
	}
	if several {
		read = 3*s.order.ranks() + 3*window // at most three cells of the layer before, and three windows of known rows
	}
	bytes := (window+3*way+read)/8 + s.order.listBytes() + 4<<20
	if window > cachedRanks {
		bytes += scatterBytes
	}
	return bytes
}

// largest returns the most ranks of a window and of a way to fill base 0 in cell h, and whether a window has several
// ways.
func (s *Search) largest(h int) (window, way uint64, several bool) {
	firsts := s.windows[h]
	for i, first := range firsts[:len(firsts)-1] {
		ways := s.cells[h][first:firsts[i+1]]
		end := ways[len(ways)-1]
		window = max(window, end.at+end.size-ways[0].at)
		several = several || len(ways) > 1
		for _, w := range ways {
			way = max(way, w.size)
		}
	}
	return window, way, several
}
