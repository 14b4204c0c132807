package counting

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"sort"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// A kernel computes one window.
type kernel struct {
	g      *enumeration
	w      puzzle.Window
	v      partition.Vector
	layout *partition.Layout
	in     puzzle.Source
	edges  []edge
	width  width // of the counts, as far as is known beforehand
	// flushAddresses is the number of addresses whose counts, each times all jumps of the board, surely add up below 2^64.
	flushAddresses uint64

	moves     *moves // along which the counts are pulled
	dst       *dense
	transient bool   // dst has the counts of the current batch only, and does not mark stretches
	mask      *dense // where not nil: a window of the same addresses; stretches that have no row in it need no counts
	from      uint64 // addresses of dst before the current batch
	scratch   *scratch
	node      *partition.Node // of the prefix looked at last, with its stretches
	stretches []partition.Stretch
	tally     accumulator
}

// An edge is a parent cell with the jumps that lead from it.
type edge struct {
	partition.Edge
	cell    puzzle.Cell
	layout  *partition.Layout
	column  int // of the low words among the columns of its rows
	steps   *stepTable
	windows []parentWindow
	last    *dense          // the window used last
	flow    uint128.Uint128 // what this window took, over whole classes
	sumLo   uint64          // what the current batch of prefixes took, one position of each class
	sumHi   uint64
}

type parentWindow struct {
	puzzle.Window
	data *dense // nil until needed
}

func (g *enumeration) newKernel(w puzzle.Window, in puzzle.Source) (*kernel, error) {
	return g.newKernelOf(w, in, nil)
}

// newKernelOf returns a kernel that pulls along those edges only that keep says; nil says all.
func (g *enumeration) newKernelOf(
	w puzzle.Window, in puzzle.Source, keep func(partition.Vector, partition.Edge) bool,
) (*kernel, error) {
	v, err := g.vector(w.Cell)
	if err != nil {
		return nil, fmt.Errorf("window %s: %w", w, err)
	}
	k := &kernel{g: g, w: w, v: v, layout: g.space.Layout(v), in: in, moves: g.moves}
	if w.First+w.Addresses > k.layout.Addresses() {
		return nil, fmt.Errorf("window %s: addresses %d..%d are outside the cell's %d addresses",
			w, w.First, w.First+w.Addresses, k.layout.Addresses())
	}
	k.tally.init(k)
	var list []edge
	for _, e := range g.edges(v, w.Layer) {
		if keep != nil && !keep(v, e) {
			continue
		}
		list = append(list, edge{Edge: e, cell: puzzle.Cell{Layer: w.Layer - 1, Key: g.key(e.End)}})
	}
	return k, k.openEdges(list, maxPaths)
}

// openEdges looks up the cells to pull from and bounds the counts: an address takes at most one count for each jump of
// an edge. largest names the scalar that bounds the counts of a cell.
func (k *kernel) openEdges(list []edge, largest string) error {
	var address uint128.Uint128 // bounds the count of an address
	if k.w.Layer == 0 {
		address = k.g.unit
	}
	fits := true
	for _, x := range list {
		t, err := k.in.Tally(x.cell)
		if err != nil {
			return err
		}
		largest := t.Max(largest)
		if largest.IsZero() {
			continue // nothing comes from there
		}
		ws, err := k.in.Windows(x.cell)
		if err != nil {
			return err
		}
		x.layout = k.g.space.Layout(x.End)
		x.steps = k.moves.steps.of(x.Edge, k.layout, x.layout)
		for _, w := range ws {
			x.windows = append(x.windows, parentWindow{Window: w})
		}
		k.edges = append(k.edges, x)
		p, ok := largest.Mul64(uint64(k.moves.table.most[x.Removed]))
		sum, ok2 := address.Add(p)
		address, fits = sum, fits && ok && ok2
	}
	// The narrow kernels sum what the two stretches of a twin job take in one word.
	stretch, ok := address.Mul64(2 * uint64(k.g.space.MaxLow()))
	k.width = widthOf(address)
	if !fits || !ok || stretch.Hi > 0 {
		k.width = bits128
	}
	if out, ok := address.Mul64(uint64(len(k.moves.table.jumps))); fits && ok && out.Hi == 0 {
		k.flushAddresses = math.MaxUint64 / max(out.Lo, 1)
	}
	return nil
}

// compute computes the window, writes it and tallies it.
func (k *kernel) compute(ctx context.Context, out puzzle.Sink) (puzzle.Tally, error) {
	if err := k.fill(ctx, k.count); err != nil {
		return puzzle.Tally{}, err
	}
	if err := writeBlocks(k.w, k.dst, out); err != nil {
		return puzzle.Tally{}, err
	}
	k.in.Cache().Put(k.w.ID(), k.dst, k.dst.bytes())
	return k.tally.finish()
}

// fill computes the counts of the window, and passes each prefix to done when it is finished.
func (k *kernel) fill(ctx context.Context, done func(*partition.Prefix) error) error {
	k.dst = newDense(k.w, k.layout, k.width)
	if k.w.Layer == 0 {
		if err := k.placeStart(); err != nil {
			return err
		}
	}
	if err := k.pullAll(ctx, done); err != nil {
		return err
	}
	k.dst.narrow()
	return nil
}

// pullAll pulls the counts of all prefixes of the window, and passes each prefix to done when it is finished.
func (k *kernel) pullAll(ctx context.Context, done func(*partition.Prefix) error) error {
	k.scratch = scratches.Get().(*scratch)
	defer k.scratch.release()
	if k.transient {
		k.dst = &dense{}
	}
	for prefixes := k.prefixes(); len(prefixes) > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := k.batch(prefixes)
		if k.transient {
			k.placeBatch(prefixes[:n])
		}
		if err := k.pullBatch(ctx, prefixes[:n]); err != nil {
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

// placeBatch makes room for the counts of a batch, in the place of those of the batch before.
func (k *kernel) placeBatch(prefixes []partition.Prefix) {
	first, last := k.stretchesOf(&prefixes[0])[0], prefixes[len(prefixes)-1]
	stretches := k.stretchesOf(&last)
	end := stretches[len(stretches)-1]
	k.dst.first = prefixes[0].Base + first.Off
	k.dst.addresses = last.Base + end.Off + uint64(end.Size) - k.dst.first
	k.dst.counts = k.scratch.buffer.counts(k.dst.addresses, k.width)
}

// placeStart sets the count of the start.
func (k *kernel) placeStart() error {
	_, x, _ := k.g.space.Locate(k.g.start)
	at, ok := k.layout.Address(x)
	if !ok {
		return fmt.Errorf("window %s: the start has no address", k.w)
	}
	if at >= k.w.First && at-k.w.First < k.w.Addresses {
		k.dst.set(at-k.w.First, k.g.unit)
	}
	return nil
}

// prefixes returns the prefixes that have stretches in the window.
func (k *kernel) prefixes() []partition.Prefix {
	prefixes := k.layout.Prefixes()
	i := sort.Search(len(prefixes), func(i int) bool { return prefixes[i].Base+prefixes[i].Addresses > k.w.First })
	j := sort.Search(len(prefixes), func(j int) bool { return prefixes[j].Base >= k.w.First+k.w.Addresses })
	return prefixes[i:j]
}

// batch says how many prefixes, from the first on, are to be pulled together: prefixes with the same stretches, all of
// them in the window, that weigh the same in the flow, and whose counts stay in the first-level cache.
func (k *kernel) batch(prefixes []partition.Prefix) int {
	most := min(len(prefixes), batchPrefixes, max(1, batchAddresses/int(prefixes[0].Addresses)))
	if k.width == bits128 || prefixes[0].Base < k.w.First {
		return 1
	}
	n, end := 1, k.w.First+k.w.Addresses
	for n < most && prefixes[n].SameStretches(&prefixes[0]) && prefixes[n].Base+prefixes[n].Addresses <= end &&
		bits.OnesCount64(prefixes[n].Fixed) == bits.OnesCount64(prefixes[0].Fixed) {
		n++
	}
	return n
}

// extent returns where in dst the stretches of a prefix, all of them in the window, begin and end.
func (k *kernel) extent(prefix *partition.Prefix, stretches []partition.Stretch) (at, end uint64) {
	last := &stretches[len(stretches)-1]
	at = prefix.Base + stretches[0].Off - k.dst.first
	end = prefix.Base + last.Off + uint64(last.Size) - k.dst.first
	return at, end
}

// count tallies the stretches of a prefix and marks those that have rows.
func (k *kernel) count(prefix *partition.Prefix) error {
	stretches, rank := k.stretchesOf(prefix), k.layout.PrefixRank(prefix.Pattern)
	k.tally.beginPrefix(prefix)
	for i := range stretches {
		r := &stretches[i]
		at := prefix.Base + r.Off - k.w.First
		if k.untouched(at) {
			continue
		}
		stretch := k.dst.slice(at, at+uint64(r.Size))
		if k.tally.stretch(r, &stretch) > 0 {
			k.dst.setLive(at, rank)
		}
	}
	return nil
}

// mark marks the stretches of a prefix that have rows.
func (k *kernel) mark(prefix *partition.Prefix) error {
	stretches, rank := k.stretchesOf(prefix), k.layout.PrefixRank(prefix.Pattern)
	for i := range stretches {
		at := prefix.Base + stretches[i].Off - k.w.First
		if k.untouched(at) {
			continue
		}
		if stretch := k.dst.slice(at, at+uint64(stretches[i].Size)); !stretch.isZero() {
			k.dst.setLive(at, rank)
		}
	}
	return nil
}

// stretchesOf returns the stretches of a prefix that lie in the window. Prefixes with the same node have the same
// stretches.
func (k *kernel) stretchesOf(prefix *partition.Prefix) []partition.Stretch {
	if node := k.layout.Node(prefix); k.node != node {
		k.node, k.stretches = node, k.layout.Stretches(node)
	}
	stretches := k.stretches
	for len(stretches) > 0 && prefix.Base+stretches[0].Off < k.w.First {
		stretches = stretches[1:]
	}
	end := k.w.First + k.w.Addresses
	for len(stretches) > 0 && prefix.Base+stretches[len(stretches)-1].Off >= end {
		stretches = stretches[:len(stretches)-1]
	}
	return stretches
}

// window returns the parent's window that holds an address, loading it when it is met first. A stretch never crosses a
// window.
func (e *edge) window(ctx context.Context, in puzzle.Source, address uint64) (*dense, error) {
	if d := e.last; d != nil && d.holds(address) {
		return d, nil
	}
	w := e.find(address)
	if w.data == nil {
		var err error
		if w.data, err = loadDense(ctx, in, w.Window, e.layout, e.column); err != nil {
			return nil, err
		}
	}
	e.last = w.data
	return w.data, nil
}

// find returns the parent's window that holds an address.
func (e *edge) find(address uint64) *parentWindow {
	i, j := 0, len(e.windows)
	for j-i > 1 {
		m := (i + j) / 2
		if e.windows[m].First <= address {
			i = m
		} else {
			j = m
		}
	}
	return &e.windows[i]
}

// livePrefixes returns the marks of the parent's prefixes, if all of them are in one window and that has been loaded.
func (e *edge) livePrefixes() marks {
	if len(e.windows) != 1 || e.windows[0].data == nil {
		return nil
	}
	return e.windows[0].data.prefixes
}

// isDead reports whether a prefix of the parent is known to have no rows: half of those that a kernel meets have none.
func (e *edge) isDead(prefix *partition.Prefix) bool {
	d := e.last
	if d == nil || !d.holds(prefix.Base) {
		d = e.find(prefix.Base).data
	}
	return d != nil && prefix.Base+prefix.Addresses <= d.first+d.addresses &&
		!d.anyLive(prefix.Base-d.first, prefix.Addresses)
}
