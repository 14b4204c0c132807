package counting

import (
	"slices"
	"sort"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
)

// Reads are known by lead: see partition.NewCutSpace. Whole leads are listed, though the jumps take a window only to
// some of their positions.

// Reads lists the ranges of its parents that a window of the enumeration reads; see puzzle.Reader.
func (s *Enumeration) Reads(w puzzle.Window) (ranges []puzzle.Range, whole bool) {
	if s.Space.Lead.Bits == 0 || s.feeder != nil {
		return nil, true
	}
	v, err := s.Vector(w.Cell)
	if err != nil {
		return nil, true
	}
	reads := s.readsOf(v, w.Layer)
	for i := range reads.parents {
		p := &reads.parents[i]
		c := puzzle.Cell{Layer: w.Layer - 1, Key: s.Key(p.vector)}
		for _, y := range reads.of(w, p) {
			first, n := p.starts[y], p.starts[y+1]-p.starts[y]
			if last := len(ranges) - 1; last >= 0 && ranges[last].Cell == c &&
				ranges[last].First+ranges[last].Addresses == first {
				ranges[last].Addresses += n
				continue
			}
			ranges = append(ranges, puzzle.Range{Cell: c, First: first, Addresses: n})
		}
	}
	return ranges, false
}

// held bounds the addresses in memory while a window of a cell is computed: of the window and, as counts are read a
// window at a time, of the windows of its parents that it reads; most is that of the largest, and each that of every
// window, where it is known what they read. The plan has the cuts of the cell.
func (s *Enumeration) held(
	n int, plan *puzzle.CellPlan, v partition.Vector, edges []partition.Edge,
) (most uint64, each []uint64) {
	var parents uint64
	if s.Space.Lead.Bits == 0 || s.feeder != nil {
		for i := range plan.Cuts {
			most = max(most, plan.Window(i).Addresses)
		}
		var seen []*cell
		for _, e := range edges {
			if c := s.cellsOf(n - 1).spots[e.End].cell; !slices.Contains(seen, c) {
				seen = append(seen, c)
				parents += c.addresses()
			}
		}
		return most + parents, nil
	}
	reads := s.newReads(v, edges)
	held := make([]uint64, len(plan.Cuts))
	for k := range reads.parents {
		p := &reads.parents[k]
		windows := p.leadWindows()
		counted := make([]int, len(p.cuts)) // by window of the parent: 1 and the window that it was counted for last
		for i := range plan.Cuts {
			reads.each(plan.Window(i), func(y int) {
				for _, table := range p.edges {
					for _, z := range table[y] {
						for j := windows[z].from; j < windows[z].to; j++ {
							if counted[j] != i+1 {
								counted[j] = i + 1
								held[i] += p.cut(j+1) - p.cut(j)
							}
						}
					}
				}
			})
		}
	}
	for i := range held {
		held[i] += plan.Window(i).Addresses
	}
	return slices.Max(held), held
}

// reads holds the leads that the windows of a cell read.
type reads struct {
	starts  []uint64 // of the cell's leads
	parents []readParent
}

// A readParent is a parent cell, with the leads that each lead of the child reads along one edge or several.
type readParent struct {
	vector       partition.Vector
	starts, cuts []uint64
	edges        [][][]int32
}

// keptReads bounds the cells whose reads are kept: windows of a cell are asked for one after the other.
const keptReads = 64

// readsOf is newReads of a cell of a layer, of which Reads is asked window by window.
func (s *Enumeration) readsOf(v partition.Vector, layer int) *reads {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.reads[v]
	if r == nil {
		if s.reads == nil || len(s.reads) >= keptReads {
			s.reads = map[partition.Vector]*reads{}
		}
		r = s.newReads(v, s.Edges(v, layer))
		s.reads[v] = r
	}
	return r
}

func (s *Enumeration) newReads(v partition.Vector, edges []partition.Edge) *reads {
	r := &reads{starts: s.Space.Leads(v)}
	for _, e := range edges {
		i := slices.IndexFunc(r.parents, func(p readParent) bool { return p.vector == e.End })
		if i < 0 {
			i = len(r.parents)
			r.parents = append(r.parents, readParent{
				vector: e.End, starts: s.Space.Leads(e.End), cuts: s.Space.Cuts(e.End, s.windowAddresses),
			})
		}
		r.parents[i].edges = append(r.parents[i].edges, s.Space.LeadReads(v, e))
	}
	return r
}

// each calls fn for every lead of the cell that has addresses in a window.
func (r *reads) each(w puzzle.Window, fn func(y int)) {
	first := sort.Search(len(r.starts), func(i int) bool { return r.starts[i] > w.First }) - 1
	for y := first; r.starts[y] < w.First+w.Addresses; y++ {
		if r.starts[y] < r.starts[y+1] {
			fn(y)
		}
	}
}

// of lists the leads of a parent that a window reads, ascending, but for those without an address.
func (r *reads) of(w puzzle.Window, p *readParent) (list []int32) {
	r.each(w, func(y int) {
		for _, table := range p.edges {
			list = append(list, table[y]...)
		}
	})
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(y int32) bool { return p.starts[y] == p.starts[y+1] })
}

// A span is some windows of a cell: from the first to the one before to.
type span struct{ from, to int }

// leadWindows lists, by lead of the parent, the windows that its addresses lie in.
func (p *readParent) leadWindows() []span {
	list := make([]span, len(p.starts)-1)
	at := 0 // the window that the lead begins in
	for y := range list {
		first, end := p.starts[y], p.starts[y+1]
		if first == end {
			continue
		}
		for at+1 < len(p.cuts) && p.cuts[at+1] <= first {
			at++
		}
		last := at
		for last+1 < len(p.cuts) && p.cuts[last+1] < end {
			last++
		}
		list[y] = span{at, last + 1}
	}
	return list
}

// cut is where window i of the parent begins; for the number of windows, the end of the last.
func (p *readParent) cut(i int) uint64 {
	if i < len(p.cuts) {
		return p.cuts[i]
	}
	return p.starts[len(p.starts)-1]
}
