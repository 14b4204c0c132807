package counting

import (
	"context"
	"slices"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
)

// Where memory is short, a window is not computed prefix by prefix with all of its parents at hand, but part by part of
// its parents. A part is as many windows of one parent as there is memory for. Its counts go to all prefixes, and it is
// forgotten. The same counts are added up in another order, so the window is the same.

// countBytes bounds the memory of a count.
const countBytes = 16

// PartAddresses is how many addresses of other cells may be held beside a window, where Source.MemoryBytes says how
// much memory there is.
func PartAddresses(memory uint64, w puzzle.Window) uint64 {
	return memory/countBytes - min(memory/countBytes, w.Addresses)
}

// pullParts is pullAll part by part of the parents. Nothing but jumps may lead to the window: a feeder reads more.
func (k *Kernel) pullParts(ctx context.Context, done func(*partition.Prefix) error) error {
	k.scratch = scratches.Get().(*scratch)
	defer k.scratch.release()
	k.inParts = true
	held := k.Window
	held.Addresses += k.beside
	for i := range k.edges {
		if c := k.edges[i].cell; c != nil {
			held.Addresses += c.addresses()
		}
	}
	addresses := PartAddresses(k.in.MemoryBytes(), held)
	var wanted func(puzzle.Window) bool
	if ranges, whole := k.g.Reads(k.Window); !whole {
		wanted = func(w puzzle.Window) bool {
			return slices.ContainsFunc(ranges, func(r puzzle.Range) bool { return r.Overlaps(w) })
		}
	}
	for i := range k.edges {
		for k.edges[i].NextPart(addresses, wanted) {
			if err := k.pullPart(ctx, k.edges[i:i+1]); err != nil {
				return err
			}
		}
	}
	prefixes := k.Prefixes()
	for i := range prefixes {
		if err := done(&prefixes[i]); err != nil {
			return err
		}
	}
	return nil
}

// pullPart pulls the counts of the parts of some edges to all prefixes.
func (k *Kernel) pullPart(ctx context.Context, edges []Edge) error {
	for prefixes := k.Prefixes(); len(prefixes) > 0; {
		if err := puzzle.Progress(ctx); err != nil {
			return err
		}
		n := k.batch(prefixes)
		if err := k.pullBatch(ctx, prefixes[:n], edges); err != nil {
			return err
		}
		prefixes = prefixes[n:]
	}
	return nil
}

// leastBytes bounds the memory of computing the largest window of a cell part by part: that window, and the largest of
// its parents, beside those that have several vectors. It is 0 where it cannot be.
func (s *Enumeration) leastBytes(n int, p *puzzle.CellPlan, edges []partition.Edge) uint64 {
	if s.feeder != nil {
		return 0
	}
	var parent, beside uint64
	var seen []*cell
	for _, e := range edges {
		at := s.cellsOf(n - 1).spots[e.End]
		switch {
		case !at.several():
			parent = max(parent, s.LargestWindow(e.End))
		case !slices.Contains(seen, at.cell):
			seen = append(seen, at.cell)
			beside += at.addresses()
		}
	}
	return countBytes * (LargestOf(p) + parent + beside)
}

// LargestWindow bounds the addresses of the windows of a cell.
func (s *Enumeration) LargestWindow(v partition.Vector) uint64 {
	addresses := s.Space.Addresses(v)
	if s.windowAddresses == 0 {
		return addresses
	}
	return min(addresses, max(s.windowAddresses, uint64(s.Space.MaxLow())))
}

// LargestOf is the addresses of the largest window of a planned cell.
func LargestOf(p *puzzle.CellPlan) (most uint64) {
	for i := range p.Cuts {
		most = max(most, p.Window(i).Addresses)
	}
	return most
}
