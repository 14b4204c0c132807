package counting

import (
	"context"
	"fmt"
	"math/bits"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// A kernel computes one window.
type kernel struct {
	g      *Games
	w      puzzle.Window
	v      partition.Vector
	layout *partition.Layout
	in     puzzle.Source
	edges  []edge
	wide   bool // counts may reach 2^64: every slot has a high word

	dst    *dense
	active []activeJump
	tally  tallier
}

// An edge is a parent cell with the jumps that lead from it.
type edge struct {
	partition.Edge
	cell    puzzle.Cell
	layout  *partition.Layout
	best    []uint8 // by lead pattern: the element that makes it canonical
	windows []parentWindow
	flow    uint128.Uint128 // what this window took, over whole classes
	sumLo   uint64          // what the current lead took, one position of each class
	sumHi   uint64
}

type parentWindow struct {
	puzzle.Window
	data *dense // nil until needed
}

// An activeJump is a jump that the current lead pattern allows to be undone.
type activeJump struct {
	*jump
	edge    *edge
	element int             // makes the predecessors' lead canonical
	lead    *partition.Lead // that canonical lead, in the parent's layout
	lists   []pairList      // by low type of the run
}

func (g *Games) newKernel(w puzzle.Window, in puzzle.Source) (*kernel, error) {
	v, err := partition.ParseKey(w.Key)
	if err != nil {
		return nil, fmt.Errorf("window %s: %w", w, err)
	}
	if n, ok := g.cells[v]; !ok || n != w.Layer {
		return nil, fmt.Errorf("window %s: no such cell", w)
	}
	k := &kernel{g: g, w: w, v: v, layout: g.space.Layout(v), in: in}
	if w.First+w.Slots > k.layout.Slots() {
		return nil, fmt.Errorf("window %s: addresses %d..%d are outside the cell's %d slots",
			w, w.First, w.First+w.Slots, k.layout.Slots())
	}
	k.tally.init(k)
	return k, k.openEdges()
}

// openEdges looks up the parents and decides whether counts can pass 2^64. A slot takes at most one count for each jump
// of an edge, so jumps x largest count bounds it; the sum over a run bounds what the narrow kernel adds up.
func (k *kernel) openEdges() error {
	runs := uint64(k.g.space.MaxLow())
	bound := uint128.Uint128{}
	for _, e := range k.g.edges(k.v, k.w.Layer) {
		cell := puzzle.Cell{Layer: k.w.Layer - 1, Key: e.Parent.Key()}
		t, err := k.in.Tally(cell)
		if err != nil {
			return err
		}
		largest := t.Max(maxPaths)
		if largest.IsZero() {
			continue // nothing comes from there
		}
		ws, err := k.in.Windows(cell)
		if err != nil {
			return err
		}
		x := edge{Edge: e, cell: cell, layout: k.g.space.Layout(e.Parent), best: k.g.space.BestElement(e.Coset)}
		for _, w := range ws {
			x.windows = append(x.windows, parentWindow{Window: w})
		}
		k.edges = append(k.edges, x)
		jumps := uint64(k.g.table.class[e.Removed+1] - k.g.table.class[e.Removed])
		// The narrow kernel also sums a lead's flow in one word: all runs of the lead, all jumps of the edge.
		p, ok := largest.Mul64(jumps * runs)
		if sum, ok2 := bound.Add(p); ok && ok2 {
			bound = sum
		} else {
			bound = uint128.Uint128{Hi: 1}
		}
	}
	k.wide = bound.Hi > 0
	return nil
}

func (k *kernel) run(ctx context.Context, out puzzle.Sink) (puzzle.Tally, error) {
	k.dst = &dense{first: k.w.First, lo: make([]uint64, k.w.Slots)}
	if k.wide {
		k.dst.hi = make([]uint64, k.w.Slots)
	}
	if k.w.Layer == 0 {
		if err := k.placeStart(); err != nil {
			return puzzle.Tally{}, err
		}
	}
	end := k.w.First + k.w.Slots
	leads := k.layout.Leads()
	for i := range leads {
		lead := &leads[i]
		if lead.Base+lead.Slots <= k.w.First || lead.Base >= end {
			continue
		}
		if err := ctx.Err(); err != nil {
			return puzzle.Tally{}, err
		}
		if err := k.lead(ctx, lead); err != nil {
			return puzzle.Tally{}, err
		}
	}
	if k.wide && allZero(k.dst.hi) {
		k.dst.hi = nil
	}
	if err := writeBlocks(k.w, k.dst, out); err != nil {
		return puzzle.Tally{}, err
	}
	k.in.Cache().Put(k.w.ID(), k.dst, k.dst.bytes())
	return k.tally.finish()
}

// placeStart sets the count of the start to 1.
func (k *kernel) placeStart() error {
	_, x, _ := k.g.space.Locate(k.g.params.Start)
	at, ok := k.layout.Address(x)
	if !ok {
		return fmt.Errorf("window %s: the start has no address", k.w)
	}
	if at >= k.w.First && at-k.w.First < k.w.Slots {
		k.dst.lo[at-k.w.First] = 1
	}
	return nil
}

// lead computes all runs of a lead pattern that lie in the window.
func (k *kernel) lead(ctx context.Context, lead *partition.Lead) error {
	k.activate(lead)
	k.tally.beginLead(lead)
	end := k.w.First + k.w.Slots
	var err error
	k.layout.EachMid(lead.Node, func(mid, off uint64, lowType int32) bool {
		first := lead.Base + off
		if first < k.w.First {
			return true
		}
		if first >= end {
			return false
		}
		err = k.runOf(ctx, mid, first-k.w.First, lowType)
		return err == nil
	})
	if err != nil {
		return err
	}
	return k.tally.endLead()
}

// activate finds the jumps that the lead pattern allows to be undone, and where their predecessors are.
func (k *kernel) activate(lead *partition.Lead) {
	k.active = k.active[:0]
	t := k.g.table
	for i := range k.edges {
		e := &k.edges[i]
		for j := t.class[e.Removed]; j < t.class[e.Removed+1]; j++ {
			jp := &t.jumps[j]
			if !jp.lead.reverseOK(lead.Pattern) {
				continue
			}
			x := lead.Pattern ^ jp.lead.mask
			g := int(e.best[x])
			if from := e.layout.LeadOf(k.g.space.LeadImage(g, x)); from != nil {
				k.active = append(k.active, activeJump{jp, e, g, from, k.g.pairs.lists(jp.shape, g)})
			}
		}
	}
}

// runOf computes the run of a mid pattern: at is its first slot in the window.
func (k *kernel) runOf(ctx context.Context, mid, at uint64, lowType int32) error {
	n := uint64(len(k.g.space.LowPatterns(lowType)))
	lo := k.dst.lo[at : at+n : at+n]
	var hi []uint64
	if k.wide {
		hi = k.dst.hi[at : at+n : at+n]
	}
	for i := range k.active {
		a := &k.active[i]
		if !a.mid.reverseOK(mid) {
			continue
		}
		list := &a.lists[lowType]
		if !list.built.Load() {
			k.g.pairs.build(list, a.low, a.element, lowType)
		}
		if len(list.pairs) == 0 {
			continue
		}
		off, fromType := a.edge.layout.Mid(a.lead.Node, k.g.space.MidImage(a.element, mid^a.mid.mask))
		if fromType != list.fromType {
			return fmt.Errorf("window %s: run at %d: predecessors of low type %d, want %d", k.w, at, fromType, list.fromType)
		}
		plo, phi, err := a.edge.slots(ctx, k.in, a.lead.Base+off, uint64(list.fromSize))
		if err != nil {
			return err
		}
		switch {
		case k.wide:
			sumLo, sumHi, overflow := addPairsWide(lo, hi, plo, phi, list.pairs)
			var c uint64
			a.edge.sumLo, c = bits.Add64(a.edge.sumLo, sumLo, 0)
			a.edge.sumHi, c = bits.Add64(a.edge.sumHi, sumHi, c)
			if overflow || c != 0 {
				return fmt.Errorf("window %s: %w", k.w, puzzle.ErrOverflow)
			}
		case list.plain:
			a.edge.took(addRun(lo, plo))
		default:
			a.edge.took(addPairs(lo, plo, list.pairs))
		}
	}
	return k.tally.run(mid, lowType, lo, hi)
}

// took adds to the lead's flow.
func (e *edge) took(sum uint64) {
	var c uint64
	e.sumLo, c = bits.Add64(e.sumLo, sum, 0)
	e.sumHi += c
}

// slots returns n consecutive counts of the parent from an address on. A run never crosses a window.
func (e *edge) slots(ctx context.Context, in puzzle.Source, address, n uint64) (lo, hi []uint64, err error) {
	i := 0
	if len(e.windows) > 1 {
		j := len(e.windows)
		for j-i > 1 {
			m := (i + j) / 2
			if e.windows[m].First <= address {
				i = m
			} else {
				j = m
			}
		}
	}
	w := &e.windows[i]
	if w.data == nil {
		if w.data, err = loadDense(ctx, in, w.Window); err != nil {
			return nil, nil, err
		}
	}
	at := address - w.First
	lo = w.data.lo[at : at+n]
	if w.data.hi != nil {
		hi = w.data.hi[at : at+n]
	}
	return lo, hi, nil
}

func allZero(s []uint64) bool {
	for _, x := range s {
		if x != 0 {
			return false
		}
	}
	return true
}
