package solutions

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pagoda/internal/counting"
	"pagoda/internal/counting/join"
	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
)

// A meeting is all joins that use the same layer of the same near enumeration. Its windows are those of that layer:
// each is made once, and joined with the far enumeration of one problem after the other.
type meeting struct {
	near   *counting.Enumeration
	jumps  int
	key    string // begins the keys of its cells
	joined []*problem
	stored bool // some join has the layer as its far side: its rows can be read instead of computed again
	halves bool // half of the jumps suffice
	stride int  // windows of the layer that are joined as one
}

// A window reads its far cells whole, and forgets them: where the largest cell has mostWindows windows or more, the
// joins of a run would take most of its time to decode the same rows again. Nothing of a join is stored, so its windows
// may be larger than others: so many windows of the layer are one then.
const mostWindows = 16

// arrange finds out from the joins which meetings there are, how far each enumeration has to go, and which layer is the
// last.
func (s *Puzzle) arrange() {
	s.meetings, s.depth, s.joinLayer = nil, make([]int, len(s.enumerations)), 0
	for _, en := range s.enumerations {
		en.Restrict(nil)
	}
	for i := range s.depth {
		s.depth[i] = -1
	}
	deep := func(en *counting.Enumeration, layer int) {
		i := slices.Index(s.enumerations, en)
		s.depth[i] = max(s.depth[i], layer)
		s.joinLayer = max(s.joinLayer, layer+1)
	}
	for _, q := range s.problems {
		if q.join != nil {
			s.meet(q)
			deep(q.join.Near, q.join.Jumps-1)
			deep(q.join.Far, q.join.FarJumps)
		}
	}
	for _, m := range s.meetings {
		m.stored = m.jumps <= s.depth[slices.Index(s.enumerations, m.near)]
		m.halves = !m.stored && len(m.joined) == 1 && m.joined[0].join.Reversible()
	}
	sets := make([]counting.CellSet, len(s.enumerations)) // all of them from whole lattices
	for i, en := range s.enumerations {
		sets[i] = s.needed(en)
	}
	for i, en := range s.enumerations {
		en.Restrict(sets[i])
	}
	s.stride = 1
	for _, m := range s.meetings {
		if s.windowAddresses > 0 && m.largest()/s.windowAddresses >= mostWindows {
			s.stride = mostWindows
		}
	}
	for _, m := range s.meetings {
		m.stride = s.stride
	}
}

// largest is the addresses of the largest cell of the layer.
func (m *meeting) largest() (most uint64) {
	if m.jumps < len(m.near.Layers) {
		for _, v := range m.near.Layers[m.jumps] {
			most = max(most, m.near.Space.Addresses(v))
		}
	}
	return most
}

// meet adds a problem to the meeting of its join.
func (s *Puzzle) meet(q *problem) {
	i := slices.IndexFunc(s.meetings, func(m *meeting) bool { return m.near == q.join.Near && m.jumps == q.join.Jumps })
	if i < 0 {
		i = len(s.meetings)
		s.meetings = append(s.meetings, &meeting{near: q.join.Near, jumps: q.join.Jumps, key: fmt.Sprintf("join%d-", i)})
	}
	s.meetings[i].joined = append(s.meetings[i].joined, q)
}

// nearCell is the cell of the near enumeration that a cell of the meeting is made of.
func (m *meeting) nearCell(v partition.Vector) puzzle.Cell {
	return puzzle.Cell{Layer: m.jumps, Key: m.near.Key(v)}
}

// plan plans the meeting in layer n: a cell for each cell of the near enumeration's layer that some far enumeration has
// complements of. A problem's far cells are read after the near window is made, and given up before the next problem's.
func (m *meeting) plan(n int) []puzzle.CellPlan {
	if m.jumps >= len(m.near.Layers) {
		return nil
	}
	var cells []puzzle.CellPlan
	for _, p := range m.near.Plan(m.jumps) {
		v, err := m.near.Vector(p.Cell)
		if err != nil {
			continue // the enumeration planned it
		}
		pull, alone := p.Work, counting.LargestOf(&p)
		p.Cuts = every(p.Cuts, m.stride)
		largest := counting.LargestOf(&p)
		p.MemoryBytes += 16 * (largest - alone)
		if p.LeastBytes > 0 {
			p.LeastBytes += 16 * (largest - alone)
		}
		p.Parents = slices.Clone(p.Parents) // the plan of the enumeration is shared by all meetings
		if m.stored {
			p.Parents, p.MemoryBytes, p.LeastBytes, p.Work = []puzzle.Cell{p.Cell}, 0, 0, 0
		}
		var most, farWindow uint64
		for _, q := range m.joined {
			var addresses uint64
			far := q.join.FarVectors(v)
			p.Parents = appendFar(p.Parents, q.join, far)
			for _, u := range far {
				addresses += q.join.Far.Space.Addresses(u)
				farWindow = max(farWindow, q.join.Far.LargestWindow(u))
			}
			if addresses > 0 {
				p.Work += pull / 5 // the triangle of 28 holes: a join takes 0.19 of the time of the window
			}
			most = max(most, addresses)
		}
		if most == 0 {
			continue
		}
		p.WindowBytes = nil
		if m.halves { // parents and far cells at a time, and no window
			p.MemoryBytes += 16 * (most - min(most, largest))
		}
		p.MemoryBytes = max(p.MemoryBytes, 16*(largest+most))
		p.LeastBytes = min(max(p.LeastBytes, 16*(largest+farWindow)), p.MemoryBytes)
		p.Cell = puzzle.Cell{Layer: n, Key: m.key + v.Key()}
		p.RowBytes = 0
		cells = append(cells, p)
	}
	return cells
}

// appendFar adds cells of the far enumeration to list, as far as they are not there.
func appendFar(list []puzzle.Cell, j *join.Join, far []partition.Vector) []puzzle.Cell {
	for _, u := range far {
		list = counting.AppendCell(list, puzzle.Cell{Layer: j.FarJumps, Key: j.Far.Key(u)})
	}
	return list
}

// every returns every stride-th cut, from the first on.
func every(cuts []uint64, stride int) []uint64 {
	list := make([]uint64, 0, (len(cuts)+stride-1)/stride)
	for i := 0; i < len(cuts); i += stride {
		list = append(list, cuts[i])
	}
	return list
}

// vector is the near cell of a window of the meeting; ok is false when w belongs to another one.
func (m *meeting) vector(w puzzle.Window) (v partition.Vector, ok bool, err error) {
	key, ok := strings.CutPrefix(w.Key, m.key)
	if !ok {
		return v, false, nil
	}
	if v, err = partition.ParseKey(key); err != nil {
		err = fmt.Errorf("window %s: %w", w, err)
	}
	return v, true, err
}

// compute makes a window of the near layer and joins it; ok is false when w belongs to another meeting.
func (m *meeting) compute(ctx context.Context, w puzzle.Window, in puzzle.Source) (t puzzle.Tally, ok bool, err error) {
	v, ok, err := m.vector(w)
	if !ok || err != nil {
		return t, ok, err
	}
	w.Cell = m.nearCell(v)
	if m.halves {
		sum, err := m.joined[0].join.Halves(ctx, w, in)
		if err != nil {
			return t, true, err
		}
		return t, true, t.AddSum(m.joined[0].sum, sum)
	}
	k, err := m.fill(ctx, w, in)
	if err != nil {
		return t, true, err
	}
	for _, q := range m.joined {
		sum, err := q.join.Dot(ctx, k, in)
		if err != nil {
			return t, true, err
		}
		if err := t.AddSum(q.sum, sum); err != nil {
			return t, true, err
		}
	}
	return t, true, nil
}

// holds is puzzle.Weigher's of a window of the meeting; ok is false when w belongs to another one.
func (m *meeting) holds(w puzzle.Window, planned uint64, tally puzzle.Tallies) (bytes uint64, ok bool, err error) {
	v, ok, err := m.vector(w)
	if !ok || err != nil {
		return 0, ok, err
	}
	var read []puzzle.Cell
	for _, q := range m.joined {
		read = appendFar(read, q.join, q.join.FarVectors(v))
	}
	w.Cell = m.nearCell(v)
	if m.stored {
		bytes, err = counting.HoldsRead(planned, append(read, w.Cell), tally)
		return bytes, true, err
	}
	bytes, err = m.near.HoldsBeside(w, planned, read, tally)
	return bytes, true, err
}

// fill returns a kernel with the counts of window w of the near enumeration, and without its parents.
func (m *meeting) fill(ctx context.Context, w puzzle.Window, in puzzle.Source) (*counting.Kernel, error) {
	if m.stored {
		return m.near.StoredKernel(ctx, w, in)
	}
	return m.near.FilledKernel(ctx, w, in)
}
