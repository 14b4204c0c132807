package plan

import (
	"iter"

	"pagoda/internal/kv"
)

// ahead has the predicted bytes of rows of the rest of a run, each window counted as often as workers should hold it.
type ahead struct {
	held  float64 // that there are
	write float64 // to be written, some of them when others have been dropped
	peak  float64 // the most at a time, were the cells computed in plan order
}

// DiskAhead bounds the bytes that the rest of the planned layers may still take on the disks of some stores: rows, each
// on as many stores as replicas says, and the needs of the stores besides. It is called by the goroutine that changes
// the plan.
func (p *Plan) DiskAhead(keep Retention, replicas, stores int) uint64 {
	a, n, r := p.ahead(keep, replicas), uint64(max(1, stores)), uint64(max(1, replicas))
	rows := n * kv.SegmentDisk(whole(a.peak)/n, whole(a.held+a.write)/n)
	done := r * uint64(p.CommittedCount) / n
	return rows - min(rows, whole(a.held)) + n*(kv.DatabaseDisk(r*uint64(p.WindowCount)/n)-kv.DatabaseDisk(done))
}

// whole is a number of bytes; a sum of such must not look small.
func whole(bytes float64) uint64 { return uint64(min(max(0, bytes), 1<<60)) }

// ahead adds up the rest of the run. The rows of a committed window are known, those of others predicted.
func (p *Plan) ahead(keep Retention, replicas int) (a ahead) {
	// Until its layers are told, a run drops nothing.
	drops := p.Decided && p.Expected == 0 && (keep == RetainLast || keep == RetainSummary)
	size, readers := make(map[*Cell]float64), make(map[*Cell]int)
	var live float64
	for c := range p.cells() {
		if drops && !p.Retains(keep, c) {
			continue
		}
		done, held := p.rowsOf(c, replicas)
		live += done
		a.held += held
		a.write += done - held
		size[c] = done
	}
	a.peak = live
	for c := range p.cells() {
		for _, child := range c.ChildCells {
			if !child.complete() {
				readers[c]++
			}
		}
		if c.complete() {
			continue
		}
		left := c.RowBytes * float64(replicas) * float64(len(c.Parts)-c.Done) / float64(len(c.Parts))
		size[c] += left
		live += left
		a.write += left
		a.peak = max(a.peak, live)
		if !drops {
			continue
		}
		if keep == RetainSummary && readers[c] == 0 {
			live -= size[c]
		}
		for _, parent := range c.ParentCells {
			if readers[parent]--; readers[parent] == 0 {
				live -= size[parent]
			}
		}
	}
	return a
}

// cells lists the cells in the order of the plan.
func (p *Plan) cells() iter.Seq[*Cell] {
	return func(yield func(*Cell) bool) {
		for _, l := range p.PlannedLayers {
			for i := range l.Plans {
				if !yield(p.Index[l.Plans[i].Cell]) {
					return
				}
			}
		}
	}
}

// complete reports whether all windows of the cell are committed, and none is computed again.
func (c *Cell) complete() bool { return c.Done == len(c.Parts) && c.Pending == 0 }

// rowsOf adds up the bytes of the committed windows of a cell, on as many workers as should hold them, and the part of
// these that is there.
func (p *Plan) rowsOf(c *Cell, replicas int) (done, held float64) {
	for i := range c.Parts {
		if w := &c.Parts[i]; w.Committed {
			done += float64(replicas) * float64(w.Bytes)
			held += float64(min(replicas, len(p.ReplicaSets.Names(w.Replicas)))) * float64(w.Bytes)
		}
	}
	return done, held
}
