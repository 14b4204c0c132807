package counting

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"sort"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// A Kernel computes one window.
type Kernel struct {
	g      *Enumeration
	Window puzzle.Window
	Vector partition.Vector
	layout *partition.Layout
	in     puzzle.Source
	beside uint64 // addresses of the other vectors of the window
	edges  []Edge
	width  width // of the counts, as far as is known beforehand
	// flushAddresses is the number of addresses whose counts, each times all jumps of the board, surely add up below 2^64.
	flushAddresses uint64

	moves     *Moves // along which the counts are pulled
	Counts    *Dense
	transient bool            // Counts has those of the current batch only, and stretches are not marked
	feed      Feed            // adds counts that do not come by a jump; may be nil
	fed       uint128.Uint128 // the sum that it added, over whole classes
	filled    bool            // every address began with a count, so none is zero
	inParts   bool            // the parents were pulled part by part: see parts.go
	Mask      *Dense          // not nil: a window of the same addresses; a stretch without a row in it needs no counts
	from      uint64          // addresses of Counts before the current batch
	scratch   *scratch
	node      *partition.Node // of the prefix looked at last, with its stretches
	stretches []partition.Stretch
	tally     accumulator
}

// An Edge is a parent cell with the jumps that lead from it.
type Edge struct {
	partition.Edge
	CellReader
	Cell  puzzle.Cell
	steps *stepTable
	flow  uint128.Uint128 // counts that this window took, over whole classes
	sumLo uint64          // counts that the current batch of prefixes took, one position of each class
	sumHi uint64
}

// NewEdge returns an edge to a parent cell; the counts of its rows begin in a column.
func NewEdge(e partition.Edge, c puzzle.Cell, column int) Edge {
	return Edge{Edge: e, Cell: c, CellReader: CellReader{column: column}}
}

// edge returns an edge to a vector of layer n.
func (g *Enumeration) edge(n int, e partition.Edge) Edge {
	at := g.cellsOf(n).spots[e.End]
	x := NewEdge(e, at.id, 0)
	if at.several() {
		x.spot = at
	}
	return x
}

// largest bounds the counts that the parent has; the scalar of that name bounds those of its cell. It is zero only
// where the parent has no row.
func (e *Edge) largest(ctx context.Context, g *Enumeration, in puzzle.Source, name string) (uint128.Uint128, error) {
	t, err := in.Tally(e.Cell)
	largest := t.Max(name)
	if err != nil || e.cell == nil || largest.IsZero() {
		return largest, err
	}
	j, err := g.loadJoint(ctx, in, e.cell)
	if err != nil {
		return largest, err
	}
	return j.largest[e.index], nil
}

// KernelOf returns a kernel for a window of a cell of one vector. It pulls along those edges only that keep says; nil
// says all.
func (g *Enumeration) KernelOf(
	ctx context.Context, w puzzle.Window, in puzzle.Source, keep func(partition.Vector, partition.Edge) bool,
) (*Kernel, error) {
	v, err := g.Vector(w.Cell)
	if err != nil {
		return nil, fmt.Errorf("window %s: %w", w, err)
	}
	return g.newKernel(ctx, v, w, in, keep)
}

// newKernel is KernelOf for some addresses of a vector.
func (g *Enumeration) newKernel(
	ctx context.Context, v partition.Vector, w puzzle.Window, in puzzle.Source,
	keep func(partition.Vector, partition.Edge) bool,
) (*Kernel, error) {
	k := &Kernel{g: g, Window: w, Vector: v, layout: g.Space.Layout(v), in: in, moves: g.Moves}
	if w.First+w.Addresses > k.layout.Addresses() {
		return nil, fmt.Errorf("window %s: addresses %d..%d are outside the %d of their vector",
			w, w.First, w.First+w.Addresses, k.layout.Addresses())
	}
	k.tally.init(k)
	var list []Edge
	for _, e := range g.Edges(v, w.Layer) {
		if keep != nil && !keep(v, e) {
			continue
		}
		list = append(list, g.edge(w.Layer-1, e))
	}
	return k, k.openEdges(ctx, list, MaxPaths)
}

// openEdges looks up the cells to pull from and bounds the counts: an address takes at most one count for each jump of
// an edge. largest names the scalar that bounds the counts of a cell.
func (k *Kernel) openEdges(ctx context.Context, list []Edge, largest string) error {
	var b bound
	switch {
	case k.g.feeder != nil:
		var err error
		if k.feed, b.address, err = k.g.feeder.Open(k, k.in); err != nil {
			return err
		}
	case k.Window.Layer == 0 || k.g.everywhere:
		b.address = k.g.Unit
	}
	for _, x := range list {
		largest, err := x.largest(ctx, k.g, k.in, largest)
		if err != nil {
			return err
		}
		if largest.IsZero() {
			continue // nothing comes from there
		}
		if x.cell != nil {
			err = x.openVector(ctx, k.in, k.g)
		} else {
			err = x.open(k.in, x.Cell, k.g.Space.Layout(x.End))
		}
		if err != nil {
			return err
		}
		x.steps = k.moves.steps.of(x.Edge, k.layout, x.Layout)
		k.edges = append(k.edges, x)
		b.add(largest, uint64(k.moves.table.most[x.Removed]))
	}
	k.width = b.width(k.g.Space.MaxLow())
	if out, ok := b.address.Mul64(uint64(len(k.moves.table.jumps))); !b.over && ok && out.Hi == 0 {
		k.flushAddresses = math.MaxUint64 / max(out.Lo, 1)
	}
	return nil
}

// compute computes the window, writes it and tallies it.
func (k *Kernel) compute(ctx context.Context, out puzzle.Sink) (puzzle.Tally, error) {
	if err := k.fill(ctx, k.count); err != nil {
		return puzzle.Tally{}, err
	}
	if err := k.write(out); err != nil {
		return puzzle.Tally{}, err
	}
	return k.tally.finish()
}

// write writes the finished window, and offers it to the cache.
func (k *Kernel) write(out puzzle.Sink) error {
	if err := writeBlocks(k.Window, k.Counts, out); err != nil {
		return err
	}
	k.in.Cache().Put(k.Window.ID(), k.Counts, k.Counts.bytes())
	return nil
}

// fill computes the counts of the window, and passes each prefix to done when it is finished.
func (k *Kernel) fill(ctx context.Context, done func(*partition.Prefix) error) error {
	k.Counts = newDense(k.Window, k.layout, k.width)
	switch {
	case k.g.everywhere:
		k.Counts.fill(k.g.Unit)
		k.filled = true
	case k.Window.Layer == 0 && k.g.feeder == nil:
		if err := k.placeStart(); err != nil {
			return err
		}
	}
	pull := k.pullAll
	if k.in.MemoryBytes() > 0 {
		pull = k.pullParts
	}
	if err := pull(ctx, done); err != nil {
		return err
	}
	k.Counts.narrow()
	return nil
}

// pullAll pulls the counts of all prefixes of the window, and passes each prefix to done when it is finished.
func (k *Kernel) pullAll(ctx context.Context, done func(*partition.Prefix) error) error {
	k.scratch = scratches.Get().(*scratch)
	defer k.scratch.release()
	if k.transient {
		k.Counts = &Dense{}
	}
	for prefixes := k.Prefixes(); len(prefixes) > 0; {
		if err := puzzle.Progress(ctx); err != nil {
			return err
		}
		n := k.batch(prefixes)
		if k.transient {
			k.placeBatch(prefixes[:n])
		}
		if err := k.pullBatch(ctx, prefixes[:n], k.edges); err != nil {
			return err
		}
		if err := k.feedPrefixes(ctx, prefixes[:n]); err != nil {
			return err
		}
		for i := range n {
			if err := done(&prefixes[i]); err != nil {
				return err
			}
		}
		prefixes = prefixes[n:]
	}
	return nil
}

// PullTransient is pullAll without a place for the whole window: the counts of a prefix are gone after done. It does
// nothing where nothing leads here.
func (k *Kernel) PullTransient(ctx context.Context, done func(*partition.Prefix) error) error {
	if len(k.edges) == 0 && k.feed == nil {
		return nil
	}
	k.transient = true
	return k.pullAll(ctx, done)
}

// placeBatch makes room for the counts of a batch, in the place of those of the batch before.
func (k *Kernel) placeBatch(prefixes []partition.Prefix) {
	first, last := k.StretchesOf(&prefixes[0])[0], prefixes[len(prefixes)-1]
	stretches := k.StretchesOf(&last)
	end := stretches[len(stretches)-1]
	k.Counts.First = prefixes[0].Base + first.Off
	k.Counts.Addresses = last.Base + end.Off + uint64(end.Size) - k.Counts.First
	k.Counts.Counts = k.scratch.buffer.counts(k.Counts.Addresses, k.width)
}

// placeStart sets the count of the start.
func (k *Kernel) placeStart() error {
	_, x, _ := k.g.Space.Locate(k.g.Start)
	at, ok := k.layout.Address(x)
	if !ok {
		return fmt.Errorf("window %s: the start has no address", k.Window)
	}
	if at >= k.Window.First && at-k.Window.First < k.Window.Addresses {
		k.Counts.Set(at-k.Window.First, k.g.Unit)
	}
	return nil
}

// Prefixes returns the prefixes that have stretches in the window.
func (k *Kernel) Prefixes() []partition.Prefix {
	prefixes := k.layout.Prefixes()
	i := sort.Search(len(prefixes), func(i int) bool { return prefixes[i].Base+prefixes[i].Addresses > k.Window.First })
	j := sort.Search(len(prefixes), func(j int) bool { return prefixes[j].Base >= k.Window.First+k.Window.Addresses })
	return prefixes[i:j]
}

// batch says how many prefixes, from the first on, are to be pulled together: prefixes with the same stretches, all of
// them in the window, that weigh the same in the flow, and whose counts stay in the first-level cache.
func (k *Kernel) batch(prefixes []partition.Prefix) int {
	most := min(len(prefixes), batchPrefixes, max(1, batchAddresses/int(prefixes[0].Addresses)))
	if k.width == bits128 || prefixes[0].Base < k.Window.First {
		return 1
	}
	n, end := 1, k.Window.First+k.Window.Addresses
	for n < most && prefixes[n].SameStretches(&prefixes[0]) && prefixes[n].Base+prefixes[n].Addresses <= end &&
		bits.OnesCount64(prefixes[n].Fixed) == bits.OnesCount64(prefixes[0].Fixed) {
		n++
	}
	return n
}

// extent returns where in Counts the stretches of a prefix, all of them in the window, begin and end.
func (k *Kernel) extent(prefix *partition.Prefix, stretches []partition.Stretch) (at, end uint64) {
	last := &stretches[len(stretches)-1]
	at = prefix.Base + stretches[0].Off - k.Counts.First
	end = prefix.Base + last.Off + uint64(last.Size) - k.Counts.First
	return at, end
}

// count tallies the stretches of a prefix and marks those that have rows.
func (k *Kernel) count(prefix *partition.Prefix) error {
	stretches, rank := k.StretchesOf(prefix), k.layout.PrefixRank(prefix.Pattern)
	k.tally.beginPrefix(prefix)
	for i := range stretches {
		r := &stretches[i]
		at := prefix.Base + r.Off - k.Window.First
		if k.untouched(at) {
			continue
		}
		stretch := k.Counts.Slice(at, at+uint64(r.Size))
		if k.tally.stretch(r, &stretch) > 0 {
			k.Counts.setLive(at, rank)
		}
	}
	return nil
}

// mark marks the stretches of a prefix that have rows.
func (k *Kernel) mark(prefix *partition.Prefix) error {
	stretches, rank := k.StretchesOf(prefix), k.layout.PrefixRank(prefix.Pattern)
	for i := range stretches {
		at := prefix.Base + stretches[i].Off - k.Window.First
		if k.untouched(at) {
			continue
		}
		if stretch := k.Counts.Slice(at, at+uint64(stretches[i].Size)); !stretch.isZero() {
			k.Counts.setLive(at, rank)
		}
	}
	return nil
}

// StretchesOf returns the stretches of a prefix that lie in the window. Prefixes with the same node have the same
// stretches.
func (k *Kernel) StretchesOf(prefix *partition.Prefix) []partition.Stretch {
	if node := k.layout.Node(prefix); k.node != node {
		k.node, k.stretches = node, k.layout.Stretches(node)
	}
	stretches := k.stretches
	for len(stretches) > 0 && prefix.Base+stretches[0].Off < k.Window.First {
		stretches = stretches[1:]
	}
	end := k.Window.First + k.Window.Addresses
	for len(stretches) > 0 && prefix.Base+stretches[len(stretches)-1].Off >= end {
		stretches = stretches[:len(stretches)-1]
	}
	return stretches
}
