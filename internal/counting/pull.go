package counting

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"sync"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// A target is a stretch of the current prefix that the jumps of a bundle can lead to, as far as mid tells.
type target struct {
	at      uint64 // addresses before it
	mid     uint64 // of the predecessors, before symmetry
	lowType int32
}

// targetLists holds the targets for each of the distinct mid parts of jumps, made when first needed. Prefixes that have
// the same stretches use the same lists.
type targetLists struct {
	stretches []partition.Stretch
	lists     [][]target // by number of the mid part
	made      []bool
}

// begin prepares for a prefix with the given stretches.
func (t *targetLists) begin(stretches []partition.Stretch) {
	if len(t.stretches) == 0 || len(t.stretches) != len(stretches) || &t.stretches[0] != &stretches[0] {
		t.stretches = stretches
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
	for j := range t.stretches {
		if r := &t.stretches[j]; p.reverseOK(r.Mid) {
			list = append(list, target{r.Off - t.stretches[0].Off, r.Mid ^ p.mask, r.LowType})
		}
	}
	t.lists[i], t.made[i] = list, true
	return list
}

// Prefixes with the same stretches are pulled together, batchPrefixes at most, with batchAddresses counts at most.
// Where the same bundle and the same symmetry take two of them to their predecessors, the pairs are the same too, and
// one walk over a list serves both.
const (
	batchPrefixes  = 16
	batchAddresses = 1 << 16
)

// A group is the prefixes of a batch that one group of steps applies to. Their parents' prefixes have the same node.
type group struct {
	step    *step
	node    *partition.Node
	members [batchPrefixes]member
	n       int
}

// A member of a group is a prefix of the batch: at addresses after the batch's first count, with its predecessors'
// prefix at base.
type member struct{ at, base uint64 }

// scratch is the room of a kernel at work; it is worth keeping between windows.
type scratch struct {
	targets  targetLists
	groups   []group
	byStep   []int32       // by step.group: index in groups, -1 for none
	byWindow []*windowJobs // the first of them in use
	used     int
	buffer   buffer
	// touched marks, as live does in a dense, the stretches of the batch that something was pulled to.
	touched marks
}

// windowJobs is the jobs of a batch that take from one parent window.
type windowJobs struct {
	window       *Dense
	single, twin []job
}

// add adds a single job.
func (h *windowJobs) add(list int32, pairs int, at, from uint64) {
	j := another(&h.single)
	j.parent, j.stretch, j.list, j.pairs = from, uint32(at), list, int32(pairs)
}

// another makes room for one more in a list. The caller writes it in place, over an earlier one: a copy of a job would
// wait for its parts to be stored, and a group is large.
func another[T any](list *[]T) *T {
	n := len(*list)
	if n == cap(*list) {
		*list = append(*list, *new(T))
	}
	*list = (*list)[:n+1]
	return &(*list)[n]
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// release gives the scratch back, without references to windows, and without the jobs of a batch that broke off because
// a parent could not be read: the next kernel would do them.
func (s *scratch) release() {
	for _, h := range s.byWindow[:s.used] {
		h.window, h.single, h.twin = nil, h.single[:0], h.twin[:0]
	}
	s.used = 0
	s.targets.stretches = nil
	scratches.Put(s)
}

// resetTouched clears the marks, for a batch of so many addresses.
func (s *scratch) resetTouched(addresses uint64) {
	if s.touched = s.touched[:cap(s.touched)]; uint64(len(s.touched)) <= addresses/512 {
		s.touched = newMarks(addresses / 8)
	}
	s.touched = s.touched[:addresses/512+1]
	clear(s.touched)
}

// untouched reports whether the stretch that starts at an address of Counts, one of the current batch, is sure to have
// no rows: a quarter of the addresses of a window lie in such stretches.
func (k *Kernel) untouched(address uint64) bool {
	return k.Window.Layer > 0 && !k.filled && !k.inParts && !k.scratch.touched.has((address-k.from)/8)
}

// WithRows yields the stretches of a prefix but those that are known to have no rows, each with its address in Counts.
func (k *Kernel) WithRows(prefix *partition.Prefix) iter.Seq2[uint64, *partition.Stretch] {
	return func(yield func(uint64, *partition.Stretch) bool) {
		stretches := k.StretchesOf(prefix)
		for i := range stretches {
			at := prefix.Base + stretches[i].Off - k.Counts.First
			if !k.noRows(at) && !yield(at, &stretches[i]) {
				return
			}
		}
	}
}

// noRows reports whether the stretch at an address of Counts is known to have no rows.
func (k *Kernel) noRows(address uint64) bool {
	if k.transient {
		return k.untouched(address)
	}
	return !k.Counts.IsLive(address)
}

// jobsOf returns the jobs that take from w. A batch takes from few windows, mostly from one.
func (s *scratch) jobsOf(w *Dense) *windowJobs {
	for _, h := range s.byWindow[:s.used] {
		if h.window == w {
			return h
		}
	}
	if s.used == len(s.byWindow) {
		s.byWindow = append(s.byWindow, new(windowJobs))
	}
	h := s.byWindow[s.used]
	h.window = w
	s.used++
	return h
}

// Weight is the number of positions that each address of a prefix stands for.
func (k *Kernel) Weight(prefix *partition.Prefix) uint64 {
	return uint64(len(k.g.Space.Group) / bits.OnesCount64(prefix.Fixed))
}

// errManyAddresses is wrapped where a job could not name every address of a batch.
var errManyAddresses = errors.New(
	"a prefix has more than 2^32 addresses in one window; choose smaller window_addresses",
)

// pullBatch adds the counts that come along some edges to a batch of prefixes.
func (k *Kernel) pullBatch(ctx context.Context, prefixes []partition.Prefix, edges []Edge) error {
	stretches := k.StretchesOf(&prefixes[0])
	at, end := k.extent(&prefixes[0], stretches)
	if len(prefixes) > 1 { // all of it is in the window
		end = at + uint64(len(prefixes))*prefixes[0].Addresses
	}
	if end-at > math.MaxUint32 && k.width < bits128 {
		return fmt.Errorf("window %s: %d addresses: %w", k.Window, end-at, errManyAddresses)
	}
	batch := k.Counts.Slice(at, end)
	k.from = at
	k.scratch.resetTouched(end - at)
	k.scratch.targets.begin(stretches)
	for i := range edges {
		e := &edges[i]
		e.sumLo, e.sumHi = 0, 0
		k.group(e, prefixes)
		for j := range k.scratch.groups {
			if err := k.pull(ctx, e, &k.scratch.groups[j], &batch); err != nil {
				return err
			}
		}
		k.doJobs(e, &batch)
		k.tally.addProduct(&e.flow, uint128.Uint128{Lo: e.sumLo, Hi: e.sumHi}, k.Weight(&prefixes[0]))
	}
	return nil
}

// group sorts the steps of a batch along an edge into groups.
func (k *Kernel) group(e *Edge, prefixes []partition.Prefix) {
	s := k.scratch
	for i := range s.groups {
		s.byStep[s.groups[i].step.group] = -1
	}
	s.groups = s.groups[:0]
	live := e.livePrefixes()
	for i := range prefixes {
		steps := e.steps.of(k.layout.PrefixRank(prefixes[i].Pattern))
		for j := range steps {
			st := &steps[j]
			if live != nil && !live.has(uint64(st.rank)) {
				continue
			}
			parent := e.Layout.PrefixAt(st.rank)
			if parent == nil || live == nil && e.isDead(parent) {
				continue
			}
			for len(s.byStep) <= int(st.group) {
				s.byStep = append(s.byStep, -1)
			}
			at := s.byStep[st.group]
			if at < 0 {
				at = int32(len(s.groups))
				s.byStep[st.group] = at
				g := another(&s.groups)
				g.step, g.node, g.n = st, e.Layout.Node(parent), 0
			}
			g := &s.groups[at]
			g.members[g.n] = member{uint64(i) * prefixes[0].Addresses, parent.Base}
			g.n++
		}
	}
}

// pull adds the counts of a group of steps to the stretches of a batch: at once in the wide kernel, as jobs to be done
// in the narrow ones.
func (k *Kernel) pull(ctx context.Context, e *Edge, g *group, batch *Counts) error {
	space, table, element := k.g.Space, k.moves.pairs, int(g.step.element)
	b := &k.moves.table.bundles[e.Removed][g.step.bundle]
	first, sizes := table.lists(b.shape, element), table.ofShape(b.shape)
	images, offsets := space.MidImages(element), e.Layout.MidOffsets(g.node)
	targets := k.scratch.targets.of(k.moves.table.mids, b.mid)
	members, touched, mask := g.members[:g.n], k.scratch.touched, k.Mask
	w := e.last       // the window of the predecessors looked at last
	var h *windowJobs // the jobs that take from that window
	for i := range targets {
		t := &targets[i]
		list := first + t.lowType
		size, ready := table.ready(list, &sizes[t.lowType])
		if !ready {
			size = table.build(b.shape, element, t.lowType)
		}
		if size == 0 {
			continue
		}
		var off uint64 // addresses of the predecessors' prefix before theirs
		if offsets != nil {
			off = offsets[images[t.mid]]
		} else {
			off, _ = e.Layout.Mid(g.node, space.MidImage(element, t.mid))
		}
		var half *windowJobs // takes the job of the member before, which waits for another to be its twin
		var halfAt, halfFrom uint64
		for _, m := range members {
			at, address := m.at+t.at, m.base+off
			if mask != nil && !mask.IsLive(k.from+at) {
				continue
			}
			if w == nil || !w.holds(address) {
				if e.Outside(address) {
					continue
				}
				var err error
				if w, err = e.Window(ctx, k.in, address); err != nil {
					return err
				}
			}
			from := address - w.First
			if !w.IsLive(from) {
				continue
			}
			touched.set(at / 8)
			if k.width == bits128 {
				if err := k.pullWide(e, list, size, w, from, batch, at); err != nil {
					return err
				}
				continue
			}
			if h == nil || h.window != w {
				h = k.scratch.jobsOf(w)
			}
			if half == h {
				j := another(&h.twin)
				j.parent, j.parent2, j.stretch, j.stretch2 = halfFrom, from, uint32(halfAt), uint32(at)
				j.list, j.pairs = list, int32(size)
				half = nil
				continue
			}
			if half != nil {
				half.add(list, size, halfAt, halfFrom)
			}
			half, halfAt, halfFrom = h, at, from
		}
		if half != nil {
			half.add(list, size, halfAt, halfFrom)
		}
	}
	return nil
}

// pullWide adds the pairs of one list to the stretch at the given address of the batch.
func (k *Kernel) pullWide(e *Edge, list int32, pairs int, w *Dense, from uint64, batch *Counts, at uint64) error {
	to, ranks := k.moves.pairs.of(list, pairs)
	p := w.Slice(from, w.Addresses)
	var sumLo, sumHi uint64
	var overflow bool
	if p.short != nil {
		sumLo, sumHi, overflow = addPairsWide(batch.lo[at:], batch.hi[at:], p.short, nil, to, ranks)
	} else {
		sumLo, sumHi, overflow = addPairsWide(batch.lo[at:], batch.hi[at:], p.lo, p.hi, to, ranks)
	}
	if !e.took(sumLo, sumHi) || overflow {
		return fmt.Errorf("window %s: %w", k.Window, puzzle.ErrOverflow)
	}
	return nil
}

// doJobs does the jobs of a batch along an edge.
func (k *Kernel) doJobs(e *Edge, batch *Counts) {
	s := k.scratch
	for _, h := range s.byWindow[:s.used] {
		for i, jobs := range [...]*[]job{&h.single, &h.twin} {
			if n := len(*jobs); n > 0 {
				*jobs = append(*jobs, make([]job, jobsToCome)...)
				e.took(addJobs((*jobs)[:n], i == 1, batch, &h.window.Counts, k.moves.pairs))
				*jobs = (*jobs)[:0]
			}
		}
		h.window = nil
	}
	s.used = 0
}

// took adds to the flow of a batch; it reports false on overflow.
func (e *Edge) took(lo, hi uint64) bool {
	var c uint64
	e.sumLo, c = bits.Add64(e.sumLo, lo, 0)
	e.sumHi, c = bits.Add64(e.sumHi, hi, c)
	return c == 0
}
