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
	g      *sweep
	w      puzzle.Window
	v      partition.Vector
	layout *partition.Layout
	in     puzzle.Source
	edges  []edge
	width  width // of the counts, as far as is known beforehand
	// flushAddresses is the number of addresses whose counts, each times all jumps of the board, surely add up below 2^64.
	flushAddresses uint64

	moves   *moves // along which the counts are pulled
	dst     *dense
	passing bool   // dst has the counts of the current batch only, and does not mark runs
	mask    *dense // where not nil: a window of the same addresses; runs that have no row in it need no counts
	from    uint64 // addresses of dst before the current batch
	scratch *scratch
	node    *partition.Node // of the lead looked at last, with its runs
	runs    []partition.Run
	tally   tallier
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
	sumLo   uint64          // what the current batch of leads took, one position of each class
	sumHi   uint64
}

type parentWindow struct {
	puzzle.Window
	data *dense // nil until needed
}

func (g *sweep) newKernel(w puzzle.Window, in puzzle.Source) (*kernel, error) {
	return g.newKernelOf(w, in, nil)
}

// newKernelOf returns a kernel that pulls along those edges only that keep says; nil says all.
func (g *sweep) newKernelOf(
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
	// The narrow kernels sum what the two runs of a twin job take in one word.
	run, ok := address.Mul64(2 * uint64(k.g.space.MaxLow()))
	k.width = widthOf(address)
	if !fits || !ok || run.Hi > 0 {
		k.width = bits128
	}
	if out, ok := address.Mul64(uint64(len(k.moves.table.jumps))); fits && ok && out.Hi == 0 {
		k.flushAddresses = math.MaxUint64 / max(out.Lo, 1)
	}
	return nil
}

// run computes the window, writes it and tallies it.
func (k *kernel) run(ctx context.Context, out puzzle.Sink) (puzzle.Tally, error) {
	if err := k.fill(ctx, k.count); err != nil {
		return puzzle.Tally{}, err
	}
	if err := writeBlocks(k.w, k.dst, out); err != nil {
		return puzzle.Tally{}, err
	}
	k.in.Cache().Put(k.w.ID(), k.dst, k.dst.bytes())
	return k.tally.finish()
}

// fill computes the counts of the window, and passes each lead to done when it is finished.
func (k *kernel) fill(ctx context.Context, done func(*partition.Lead) error) error {
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

// pullAll pulls the counts of all leads of the window, and passes each lead to done when it is finished.
func (k *kernel) pullAll(ctx context.Context, done func(*partition.Lead) error) error {
	k.scratch = scratches.Get().(*scratch)
	defer k.scratch.release()
	if k.passing {
		k.dst = &dense{}
	}
	for leads := k.leads(); len(leads) > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := k.batch(leads)
		if k.passing {
			k.passOn(leads[:n])
		}
		if err := k.pullBatch(ctx, leads[:n]); err != nil {
			return err
		}
		for i := range n {
			if err := done(&leads[i]); err != nil {
				return err
			}
		}
		leads = leads[n:]
	}
	return nil
}

// passOn makes room for the counts of a batch, in the place of those of the batch before.
func (k *kernel) passOn(leads []partition.Lead) {
	first, last := k.runsOf(&leads[0])[0], leads[len(leads)-1]
	runs := k.runsOf(&last)
	end := runs[len(runs)-1]
	k.dst.first = leads[0].Base + first.Off
	k.dst.addresses = last.Base + end.Off + uint64(end.Size) - k.dst.first
	k.dst.counts = k.scratch.room.counts(k.dst.addresses, k.width)
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

// leads returns the leads that have runs in the window.
func (k *kernel) leads() []partition.Lead {
	leads := k.layout.Leads()
	i := sort.Search(len(leads), func(i int) bool { return leads[i].Base+leads[i].Addresses > k.w.First })
	j := sort.Search(len(leads), func(j int) bool { return leads[j].Base >= k.w.First+k.w.Addresses })
	return leads[i:j]
}

// batch says how many leads, from the first on, are to be pulled together: leads with the same runs, all of them in the
// window, that weigh the same in the flow, and whose counts stay in the first-level cache.
func (k *kernel) batch(leads []partition.Lead) int {
	most := min(len(leads), batchLeads, max(1, batchAddresses/int(leads[0].Addresses)))
	if k.width == bits128 || leads[0].Base < k.w.First {
		return 1
	}
	n := 1
	for n < most && leads[n].SameRuns(&leads[0]) && leads[n].Base+leads[n].Addresses <= k.w.First+k.w.Addresses &&
		bits.OnesCount64(leads[n].Fixed) == bits.OnesCount64(leads[0].Fixed) {
		n++
	}
	return n
}

// extent returns where in dst the runs of a lead, all of them in the window, begin and end.
func (k *kernel) extent(lead *partition.Lead, runs []partition.Run) (at, end uint64) {
	last := &runs[len(runs)-1]
	at = lead.Base + runs[0].Off - k.dst.first
	end = lead.Base + last.Off + uint64(last.Size) - k.dst.first
	return at, end
}

// count tallies the runs of a lead and marks those that have rows.
func (k *kernel) count(lead *partition.Lead) error {
	runs, rank := k.runsOf(lead), k.layout.LeadRank(lead.Pattern)
	k.tally.beginLead(lead)
	for i := range runs {
		r := &runs[i]
		at := lead.Base + r.Off - k.w.First
		if k.untouched(at) {
			continue
		}
		run := k.dst.slice(at, at+uint64(r.Size))
		if k.tally.run(r, &run) > 0 {
			k.dst.setLive(at, rank)
		}
	}
	return nil
}

// mark marks the runs of a lead that have rows.
func (k *kernel) mark(lead *partition.Lead) error {
	runs, rank := k.runsOf(lead), k.layout.LeadRank(lead.Pattern)
	for i := range runs {
		at := lead.Base + runs[i].Off - k.w.First
		if k.untouched(at) {
			continue
		}
		if run := k.dst.slice(at, at+uint64(runs[i].Size)); !run.isZero() {
			k.dst.setLive(at, rank)
		}
	}
	return nil
}

// runsOf returns the runs of a lead that lie in the window. Leads with the same node have the same runs.
func (k *kernel) runsOf(lead *partition.Lead) []partition.Run {
	if node := k.layout.Node(lead); k.node != node {
		k.node, k.runs = node, k.layout.Runs(node)
	}
	runs := k.runs
	for len(runs) > 0 && lead.Base+runs[0].Off < k.w.First {
		runs = runs[1:]
	}
	end := k.w.First + k.w.Addresses
	for len(runs) > 0 && lead.Base+runs[len(runs)-1].Off >= end {
		runs = runs[:len(runs)-1]
	}
	return runs
}

// window returns the parent's window that holds an address, loading it when it is met first. A run never crosses a
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

// liveLeads returns the marks of the parent's leads, if all of them are in one window and that has been loaded.
func (e *edge) liveLeads() marks {
	if len(e.windows) != 1 || e.windows[0].data == nil {
		return nil
	}
	return e.windows[0].data.leads
}

// isDead reports whether a lead of the parent is known to have no rows: half of those that a kernel meets have none.
func (e *edge) isDead(lead *partition.Lead) bool {
	d := e.last
	if d == nil || !d.holds(lead.Base) {
		d = e.find(lead.Base).data
	}
	return d != nil && lead.Base+lead.Addresses <= d.first+d.addresses && !d.anyLive(lead.Base-d.first, lead.Addresses)
}
