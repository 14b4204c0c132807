package counting

import (
	"context"
	"fmt"
	"math/bits"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// A dotter multiplies the counts of a near window with those of the far sweep.
type dotter struct {
	j       *join
	k       *kernel
	in      puzzle.Source
	far     map[partition.Vector]*edge
	endings map[uint64][]lookup // by the elements that fix the lead
}

// A lookup is an ending, prepared for the cell of the near window.
type lookup struct {
	ending
	spread partition.Spread // from near's ordered complement to far's order
	fields bool             // spread takes each field of near to the same field of far
	cell   *edge
	best   []uint8
}

func (d *dotter) lookups(fixed uint64) ([]lookup, error) {
	if l, ok := d.endings[fixed]; ok {
		return l, nil
	}
	near, far := d.k.g.space, d.j.far.space
	var list []lookup
	for _, e := range d.j.endings(fixed) {
		u, coset := far.Canonical(d.j.complement(d.k.v, e.element))
		if n, ok := d.j.far.cells[u]; !ok || n != d.j.farJumps {
			continue // not in far's lattice: all counts are 0
		}
		cell, ok := d.far[u]
		if !ok {
			c := puzzle.Cell{Layer: d.j.farJumps, Key: d.j.far.key(u)}
			ws, err := d.in.Windows(c)
			if err != nil {
				return nil, err
			}
			cell = &edge{cell: c, layout: far.Layout(u)}
			for _, w := range ws {
				cell.windows = append(cell.windows, parentWindow{Window: w})
			}
			d.far[u] = cell
		}
		l := lookup{ending: e, spread: near.SpreadTo(far, e.element), cell: cell, best: far.BestElement(coset)}
		l.fields = sameFields(near, far, l.spread)
		list = append(list, l)
	}
	d.endings[fixed] = list
	return list, nil
}

// sameFields reports whether a spread takes each field of one space to the same field of another.
func sameFields(near, far *partition.Space, s partition.Spread) bool {
	whole := func(f partition.Field) uint64 { return uint64(f.Size()-1) << f.Shift }
	return s.Apply(whole(near.Lead)) == whole(far.Lead) && s.Apply(whole(near.Mid)) == whole(far.Mid) &&
		s.Apply(whole(near.Low)) == whole(far.Low)
}

// lead returns a lead's share of the sum.
func (d *dotter) lead(ctx context.Context, lead *partition.Lead) (sum uint128.Uint128, err error) {
	lookups, err := d.lookups(lead.Fixed)
	if err != nil {
		return sum, err
	}
	runs := d.k.runsOf(lead)
	for i := range lookups {
		l := &lookups[i]
		var part uint128.Uint128
		if l.fields && d.k.dst.hi == nil && !d.j.slow {
			part, err = d.byRuns(ctx, lead, runs, l)
		} else {
			part, err = d.byRows(ctx, lead, runs, l)
		}
		if err != nil {
			return sum, err
		}
		times, ok := part.Mul64(l.times)
		sum, err = d.add(sum, times, ok)
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}

func (d *dotter) add(sum, x uint128.Uint128, fits bool) (uint128.Uint128, error) {
	sum, ok := sum.Add(x)
	if !ok || !fits {
		return sum, fmt.Errorf("window %s: solutions: %w", d.k.w, puzzle.ErrOverflow)
	}
	return sum, nil
}

// byRows looks the complement of every position up by itself. It works between any two orders of holes.
func (d *dotter) byRows(
	ctx context.Context, lead *partition.Lead, runs []partition.Run, l *lookup,
) (sum uint128.Uint128, err error) {
	k, s, far := d.k, d.k.g.space, d.j.far.space
	full := s.Ordered(s.Board.Full())
	for i := range runs {
		r := &runs[i]
		at := lead.Base + r.Off - k.w.First
		if !k.dst.isLive(at) {
			continue
		}
		high := lead.Pattern<<s.Lead.Shift | r.Mid<<s.Mid.Shift
		for rank, low := range s.LowPatterns(r.LowType) {
			n := k.dst.at(at + uint64(rank))
			if n.IsZero() {
				continue
			}
			y := l.spread.Apply(full ^ (high | uint64(low)<<s.Low.Shift))
			address, ok := l.cell.layout.Address(far.Move(int(l.best[far.Lead.Of(y)]), y))
			if !ok {
				return sum, fmt.Errorf("window %s: the complement of address %d has none", k.w, k.w.First+at+uint64(rank))
			}
			w, err := l.cell.window(ctx, d.in, address)
			if err != nil {
				return sum, err
			}
			p, ok := product(n, w.at(address-w.first))
			if sum, err = d.add(sum, p, ok); err != nil {
				return sum, err
			}
		}
	}
	return sum, nil
}

// byRuns does what byRows does where fields stay fields: the complements of a run are one run of far, whose place is
// found once, and their order in it is a table.
func (d *dotter) byRuns(
	ctx context.Context, lead *partition.Lead, runs []partition.Run, l *lookup,
) (sum uint128.Uint128, err error) {
	k, s, far := d.k, d.k.g.space, d.j.far.space
	// The spread of the complement of one field: the others, set in full, are taken away.
	image := func(f partition.Field, pattern uint64) uint64 {
		return l.spread.Apply((uint64(f.Size()-1) ^ pattern) << f.Shift)
	}
	y := far.Lead.Of(image(s.Lead, lead.Pattern))
	g := int(l.best[y])
	to := l.cell.layout.LeadOf(far.LeadImage(g, y))
	if to == nil {
		return sum, nil // no position of the cell has this lead: all counts are 0
	}
	for i := range runs {
		r := &runs[i]
		at := lead.Base + r.Off - k.w.First
		if !k.dst.isLive(at) {
			continue
		}
		off, lowType := l.cell.layout.Mid(to.Node, far.MidImage(g, far.Mid.Of(image(s.Mid, r.Mid))))
		if lowType < 0 {
			continue
		}
		w, err := l.cell.window(ctx, d.in, to.Base+off)
		if err != nil {
			return sum, err
		}
		from := to.Base + off - w.first
		if !w.isLive(from) {
			continue
		}
		ranks := d.rankList(l, g, r.LowType)
		part, ok := dot(k.dst.lo[at:at+uint64(r.Size)], w, from, ranks)
		if sum, err = d.add(sum, part, ok); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// dot returns the sum of near[i] x far[from+ranks[i]]; ok is false when it does not fit.
func dot(near []uint64, far *dense, from uint64, ranks []uint16) (sum uint128.Uint128, ok bool) {
	lo := far.lo[from:]
	if far.hi == nil {
		var carry uint64
		for i, n := range near {
			if n == 0 {
				continue
			}
			h, l := bits.Mul64(n, lo[ranks[i]])
			var c uint64
			sum.Lo, c = bits.Add64(sum.Lo, l, 0)
			sum.Hi, c = bits.Add64(sum.Hi, h, c)
			carry |= c
		}
		return sum, carry == 0
	}
	for i, n := range near {
		if n == 0 {
			continue
		}
		p, fits := product(uint128.From(n), far.at(from+uint64(ranks[i])))
		if sum, ok = sum.Add(p); !ok || !fits {
			return sum, false
		}
	}
	return sum, true
}

// product returns n*m; ok is false when it does not fit.
func product(n, m uint128.Uint128) (p uint128.Uint128, ok bool) {
	if n.Hi > 0 {
		n, m = m, n
	}
	p, ok = m.Mul64(n.Lo)
	return p, ok && n.Hi == 0 || n.IsZero() || m.IsZero()
}

// A rankKey names a list of ranks: by the element of the ending, that of far's group, and the low type.
type rankKey struct {
	element string
	g       int
	lowType int32
}

// rankList returns, for the slots of a run, the ranks of their complements in far's run.
func (d *dotter) rankList(l *lookup, g int, lowType int32) []uint16 {
	key := rankKey{string(l.element), g, lowType}
	d.j.mu.Lock()
	defer d.j.mu.Unlock()
	if list, ok := d.j.ranks[key]; ok {
		return list
	}
	s, far := d.k.g.space, d.j.far.space
	patterns := s.LowPatterns(lowType)
	list := make([]uint16, len(patterns))
	for i, x := range patterns {
		y := l.spread.Apply((uint64(s.Low.Size()-1) ^ uint64(x)) << s.Low.Shift)
		_, rank := far.LowRank(far.LowImage(g, far.Low.Of(y)))
		list[i] = uint16(rank)
	}
	d.j.ranks[key] = list
	return list
}
