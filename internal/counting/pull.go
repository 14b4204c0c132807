package counting

import (
	"context"
	"fmt"
	"math/bits"
	"sync"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// A target is a run of the current lead that the jumps of a bundle can lead to, as far as mid tells.
type target struct {
	at      uint64 // slots before it
	mid     uint64 // of the predecessors, before symmetry
	lowType int32
}

// targetLists holds the targets for each of the distinct mid parts of jumps, made when first needed. Leads that have
// the same runs use the same lists.
type targetLists struct {
	runs  []partition.Run
	lists [][]target // by number of the mid part
	made  []bool
}

// begin prepares for a lead with the given runs.
func (t *targetLists) begin(runs []partition.Run) {
	if len(t.runs) == 0 || len(t.runs) != len(runs) || &t.runs[0] != &runs[0] {
		t.runs = runs
		clear(t.made)
	}
}

// of returns the targets of mid part number i.
func (t *targetLists) of(parts []part, i int) []target {
	for len(t.made) < len(parts) {
		t.lists, t.made = append(t.lists, nil), append(t.made, false)
	}
	if t.made[i] {
		return t.lists[i]
	}
	list, p := t.lists[i][:0], parts[i]
	for j := range t.runs {
		if r := &t.runs[j]; p.reverseOK(r.Mid) {
			list = append(list, target{r.Off - t.runs[0].Off, r.Mid ^ p.mask, r.LowType})
		}
	}
	t.lists[i], t.made[i] = list, true
	return list
}

// Leads with the same runs are pulled together, batchLeads at most, with batchSlots counts at most. Where the same
// bundle and the same symmetry take two of them to their predecessors, the pairs are the same too, and one walk over a
// list serves both.
const (
	batchLeads = 8
	batchSlots = 1 << 16
)

// A group is the leads of a batch that one group of steps applies to. Their parents' leads have the same node.
type group struct {
	step    *step
	node    *partition.Node
	members [batchLeads]member
	n       int
}

// A member of a group is a lead of the batch: at slots after the batch's first count, with its predecessors' lead at
// base.
type member struct{ at, base uint64 }

// scratch is the room of a kernel at work; it is worth keeping between windows.
type scratch struct {
	targets targetLists
	groups  []group
	byStep  []int32 // by step.group: index in groups, -1 for none
	single  []job
	twin    []job
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// release gives the scratch back, without references to windows.
func (s *scratch) release() {
	clear(s.single[:cap(s.single)])
	clear(s.twin[:cap(s.twin)])
	s.targets.runs = nil
	scratches.Put(s)
}

// weight is the number of positions that each slot of a lead stands for.
func (k *kernel) weight(lead *partition.Lead) uint64 {
	return uint64(len(k.g.space.Group) / bits.OnesCount64(lead.Fixed))
}

// pullBatch computes the counts of a batch of leads.
func (k *kernel) pullBatch(ctx context.Context, leads []partition.Lead) error {
	runs := k.runsOf(&leads[0])
	at, lo, hi := k.counts(&leads[0], runs)
	if len(leads) > 1 { // all of it is in the window
		lo = k.dst.lo[at : at+uint64(len(leads))*leads[0].Slots]
	}
	k.from = at
	k.scratch.targets.begin(runs)
	for i := range k.edges {
		e := &k.edges[i]
		e.sumLo, e.sumHi = 0, 0
		k.group(e, leads)
		for j := range k.scratch.groups {
			if err := k.pull(ctx, e, &k.scratch.groups[j], lo, hi); err != nil {
				return err
			}
		}
		k.doJobs(e)
		k.tally.addProduct(&e.flow, uint128.Uint128{Lo: e.sumLo, Hi: e.sumHi}, k.weight(&leads[0]))
	}
	return nil
}

// group sorts the steps of a batch along an edge into groups.
func (k *kernel) group(e *edge, leads []partition.Lead) {
	s := k.scratch
	for i := range s.groups {
		s.byStep[s.groups[i].step.group] = -1
	}
	s.groups = s.groups[:0]
	for i := range leads {
		steps := e.steps.of(k.layout.LeadRank(leads[i].Pattern))
		for j := range steps {
			st := &steps[j]
			parent := e.layout.LeadAt(st.rank)
			if parent == nil {
				continue
			}
			for len(s.byStep) <= int(st.group) {
				s.byStep = append(s.byStep, -1)
			}
			at := s.byStep[st.group]
			if at < 0 {
				at = int32(len(s.groups))
				s.byStep[st.group] = at
				s.groups = append(s.groups, group{step: st, node: parent.Node})
			}
			g := &s.groups[at]
			g.members[g.n] = member{uint64(i) * leads[0].Slots, parent.Base}
			g.n++
		}
	}
}

// pull adds to the runs of a batch, whose counts are lo and hi, what a group of steps brings: at once in the wide
// kernel, as jobs to be done in the narrow one.
func (k *kernel) pull(ctx context.Context, e *edge, g *group, lo, hi []uint64) error {
	s, st, b := k.g.space, g.step, g.step.bundle
	lists := k.moves.pairs.lists(b.shape, st.element)
	images, offsets := s.MidImages(st.element), e.layout.MidOffsets(g.node)
	targets := k.scratch.targets.of(k.moves.table.mids, b.mid)
	for i := range targets {
		t := &targets[i]
		list := &lists[t.lowType]
		pairs := list.pairs()
		if pairs < 0 {
			pairs = k.moves.pairs.build(b.shape, st.element, t.lowType)
		}
		if pairs == 0 {
			continue
		}
		var off uint64
		if offsets != nil {
			off = offsets[images[t.mid]]
		} else {
			off, _ = e.layout.Mid(g.node, s.MidImage(st.element, t.mid))
		}
		j := job{to: list.to, from: list.from, pairs: int64(pairs)}
		for _, m := range g.members[:g.n] {
			if k.mask != nil && !k.mask.isLive(k.from+m.at+t.at) {
				continue
			}
			w, err := e.window(ctx, k.in, m.base+off)
			if err != nil {
				return err
			}
			from := m.base + off - w.first
			if !w.isLive(from) {
				continue
			}
			at := m.at + t.at
			switch {
			case k.wide:
				if err := k.pullWide(e, list, w, from, lo[at:], hi[at:]); err != nil {
					return err
				}
			case j.run == nil:
				j.run, j.parent = &lo[at], &w.lo[from]
			default:
				j.run2, j.parent2 = &lo[at], &w.lo[from]
				k.scratch.twin = append(k.scratch.twin, j)
				j.run, j.run2 = nil, nil
			}
		}
		if j.run != nil {
			k.scratch.single = append(k.scratch.single, j)
		}
	}
	return nil
}

// pullWide adds the pairs of one list.
func (k *kernel) pullWide(e *edge, list *pairList, w *dense, from uint64, lo, hi []uint64) error {
	end := from + uint64(list.slots)
	var parentHi []uint64
	if w.hi != nil {
		parentHi = w.hi[from:end]
	}
	to, ranks := list.ranks()
	sumLo, sumHi, overflow := addPairsWide(lo, hi, w.lo[from:end], parentHi, to, ranks)
	if !e.took(sumLo, sumHi) || overflow {
		return fmt.Errorf("window %s: %w", k.w, puzzle.ErrOverflow)
	}
	return nil
}

// doJobs does the jobs of a batch along an edge.
func (k *kernel) doJobs(e *edge) {
	s := k.scratch
	for _, jobs := range []*[]job{&s.single, &s.twin} {
		if n := len(*jobs); n > 0 {
			*jobs = append(*jobs, make([]job, jobsToCome)...)
			e.took(addJobs((*jobs)[:n]))
			*jobs = (*jobs)[:0]
		}
	}
}

// took adds to the flow of a batch; it reports false on overflow.
func (e *edge) took(lo, hi uint64) bool {
	var c uint64
	e.sumLo, c = bits.Add64(e.sumLo, lo, 0)
	e.sumHi, c = bits.Add64(e.sumHi, hi, c)
	return c == 0
}
