package counting

import (
	"context"
	"fmt"
	"math/bits"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
)

// A target is a run of the current lead that the jumps of a bundle can lead to, as far as mid tells.
type target struct {
	at      uint64 // slots before it
	mid     uint64 // of the predecessors, before symmetry
	lowType int32
}

// targetLists holds the targets for each of the distinct mid parts of jumps, made when first needed. Leads that have the
// same runs use the same lists.
type targetLists struct {
	runs  []partition.Run
	lists [][]target // by number of the mid part
	made  []bool
}

// begin prepares for a lead with the given runs.
func (t *targetLists) begin(runs []partition.Run) {
	if len(t.runs) != len(runs) || &t.runs[0] != &runs[0] {
		t.runs = runs
		clear(t.made)
	}
}

// of returns the targets of mid part number i.
func (t *targetLists) of(parts []part, i int) []target {
	if len(t.made) == 0 {
		t.lists, t.made = make([][]target, len(parts)), make([]bool, len(parts))
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

// pull adds to the runs of a lead, whose counts are lo and hi, what comes along an edge: at once in the wide kernel, as
// jobs to be done in the narrow one.
func (k *kernel) pull(ctx context.Context, e *edge, lead *partition.Lead, lo, hi []uint64) error {
	s := k.g.space
	jobs := k.jobs
	before := len(jobs)
	steps := e.steps.of(k.layout.LeadRank(lead.Pattern))
	for i := range steps {
		st := &steps[i]
		parent := e.layout.LeadAt(st.rank)
		if parent == nil {
			continue
		}
		lists := k.g.pairs.lists(st.bundle.shape, st.element)
		images, offsets := s.MidImages(st.element), e.layout.MidOffsets(parent.Node)
		w := e.last
		whole := w != nil && parent.Base >= w.first && parent.Base+parent.Slots <= w.first+uint64(len(w.lo))
		targets := k.targets.of(k.g.table.mids, st.bundle.mid)
		for j := range targets {
			t := &targets[j]
			list := lists[t.lowType].Load()
			if list == nil {
				list = k.g.pairs.build(st.bundle.shape, st.element, t.lowType)
			}
			if len(list.from) == 0 {
				continue
			}
			from := parent.Base
			if offsets != nil {
				from += offsets[images[t.mid]]
			} else {
				off, _ := e.layout.Mid(parent.Node, s.MidImage(st.element, t.mid))
				from += off
			}
			if !whole {
				var err error
				if w, err = e.window(ctx, k.in, from); err != nil {
					return err
				}
			}
			from -= w.first
			if !w.isLive(from) {
				continue
			}
			if k.wide {
				if err := k.pullWide(e, list, w, from, lo[t.at:], hi[t.at:]); err != nil {
					return err
				}
				continue
			}
			jobs = append(jobs, job{&lo[t.at], &w.lo[from], &list.to[0], &list.from[0], int64(len(list.from))})
		}
	}
	e.jobs, k.jobs = len(jobs)-before, jobs
	return nil
}

// pullWide adds the pairs of one list.
func (k *kernel) pullWide(e *edge, list *pairList, w *dense, from uint64, lo, hi []uint64) error {
	end := from + uint64(list.fromSize)
	var parentHi []uint64
	if w.hi != nil {
		parentHi = w.hi[from:end]
	}
	sumLo, sumHi, overflow := addPairsWide(lo, hi, w.lo[from:end], parentHi, list.to, list.from)
	var c uint64
	e.sumLo, c = bits.Add64(e.sumLo, sumLo, 0)
	e.sumHi, c = bits.Add64(e.sumHi, sumHi, c)
	if c != 0 || overflow {
		return fmt.Errorf("window %s: %w", k.w, puzzle.ErrOverflow)
	}
	return nil
}

// doJobs does the jobs of a lead, edge by edge.
func (k *kernel) doJobs() {
	if len(k.jobs) == 0 {
		return
	}
	n := len(k.jobs)
	jobs := append(k.jobs, make([]job, jobsToCome)...)[:n]
	k.jobs = jobs[:0]
	for i := range k.edges {
		e := &k.edges[i]
		e.sumLo, e.sumHi = addJobs(jobs[:e.jobs])
		jobs = jobs[e.jobs:]
	}
}
