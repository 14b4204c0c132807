package join

import (
	"context"
	"fmt"
	"slices"

	"pagoda/internal/counting"
	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// A joiner multiplies the counts of a near window with those of the far enumeration.
type joiner struct {
	ComplementReader
	k       *counting.Kernel
	endings map[uint64][]Lookup  // by the elements that fix the prefix
	only    *counting.CellReader // not nil: the cell of far that is read now, see byParts
	sums    []uint128.Uint128    // by lookup
	sum     uint128.Uint128

	// See byRuns.
	pieces   []piece
	firsts   []uint64 // of pieces that are joined together
	lows     []uint32 // likewise
	turned   counting.Turned
	products [productsAhead + 1]product
	now      int // the product that is made next
}

func newJoiner(j *Join, k *counting.Kernel, in puzzle.Source) *joiner {
	return &joiner{ComplementReader: NewComplementReader(j, k.Window, k.Vector, in), k: k, endings: map[uint64][]Lookup{}}
}

func (d *joiner) lookups(fixed uint64) ([]Lookup, error) {
	if l, ok := d.endings[fixed]; ok {
		return l, nil
	}
	var list []Lookup
	for _, e := range d.j.endings(fixed) {
		l, ok, err := d.Lookup(e)
		if err != nil {
			return nil, err
		}
		if ok {
			list = append(list, l)
		}
	}
	d.endings[fixed] = list
	return list, nil
}

// prefixes adds the shares of all prefixes of the window to the sum.
func (d *joiner) prefixes(ctx context.Context) error {
	prefixes := d.k.Prefixes()
	var fixed []uint64 // in the order in which they are met
	together := map[uint64][]*partition.Prefix{}
	for i := range prefixes {
		f := prefixes[i].Fixed
		if together[f] == nil {
			fixed = append(fixed, f)
		}
		together[f] = append(together[f], &prefixes[i])
	}
	for _, f := range fixed {
		if err := d.some(ctx, together[f]); err != nil {
			return err
		}
	}
	return nil
}

// byParts joins the window where memory is short: with one cell of far after the other, and with as much of it as there
// is memory for beside the window.
func (d *joiner) byParts(ctx context.Context) (uint128.Uint128, error) {
	addresses := counting.PartAddresses(d.in.MemoryBytes(), d.w)
	for _, u := range d.j.FarVectors(d.v) {
		cell, err := d.reader(u)
		if err != nil {
			return d.sum, err
		}
		d.only = cell
		for cell.NextPart(addresses, nil) {
			if err := d.prefixes(ctx); err != nil {
				return d.sum, err
			}
		}
	}
	return d.sum, nil
}

// some adds the shares of prefixes that have the same endings to the sum.
func (d *joiner) some(ctx context.Context, prefixes []*partition.Prefix) error {
	lookups, err := d.lookups(prefixes[0].Fixed)
	if err != nil {
		return err
	}
	d.sums = slices.Grow(d.sums[:0], len(lookups))[:len(lookups)]
	clear(d.sums)
	byRows := d.j.Slow || d.k.Counts.IsWide()
	for _, prefix := range prefixes {
		for i := range lookups {
			switch l := &lookups[i]; {
			case d.only != nil && l.cell != d.only:
			case byRows:
				d.sums[i], err = d.byRows(ctx, d.sums[i], prefix, l)
			case l.Fields && !d.j.Runs:
				d.sums[i], err = d.byStretches(ctx, d.sums[i], prefix, l)
			}
			if err != nil {
				return err
			}
		}
	}
	for i := range lookups {
		l := &lookups[i]
		if !byRows && (!l.Fields || d.j.Runs) && (d.only == nil || l.cell == d.only) {
			if d.sums[i], err = d.byRuns(ctx, prefixes, l); err != nil {
				return err
			}
		}
		times, ok := d.sums[i].Mul64(l.times)
		if d.sum, err = d.add(d.sum, times, ok); err != nil {
			return err
		}
	}
	return nil
}

func (d *joiner) add(sum, x uint128.Uint128, fits bool) (uint128.Uint128, error) {
	sum, ok := sum.Add(x)
	if !ok || !fits {
		return sum, fmt.Errorf("window %s: solutions: %w", d.w, puzzle.ErrOverflow)
	}
	return sum, nil
}

// byRows adds the share of a prefix to sum, and looks the complement of every position up by itself.
func (d *joiner) byRows(
	ctx context.Context, sum uint128.Uint128, prefix *partition.Prefix, l *Lookup,
) (_ uint128.Uint128, err error) {
	s, dst := d.j.Near.Space, d.k.Counts
	for at, r := range d.k.WithRows(prefix) {
		high := prefix.Pattern<<s.Prefix.Shift | r.Mid<<s.Mid.Shift
		for rank, low := range s.LowPatterns(r.LowType) {
			at := at + uint64(rank)
			n := dst.At(at)
			if n.IsZero() {
				continue
			}
			m, err := d.Row(ctx, l, high|uint64(low)<<s.Low.Shift, dst.First+at)
			if err != nil {
				return sum, err
			}
			p, ok := counting.Product(n, m)
			if sum, err = d.add(sum, p, ok); err != nil {
				return sum, err
			}
		}
	}
	return sum, nil
}

// byStretches is byRows where fields stay fields: the complements of a stretch are one stretch of far, whose place is
// found once, and their order in it is a table.
func (d *joiner) byStretches(
	ctx context.Context, sum uint128.Uint128, prefix *partition.Prefix, l *Lookup,
) (_ uint128.Uint128, err error) {
	dst := d.k.Counts
	image, ok := d.ComplementReader.Prefix(l, prefix)
	if !ok {
		return sum, nil
	}
	for at, r := range d.k.WithRows(prefix) {
		w, from, ranks, err := d.Stretch(ctx, l, image, r)
		if err != nil {
			return sum, err
		}
		if w == nil {
			continue
		}
		near, far := dst.Slice(at, at+uint64(r.Size)), w.Slice(from, w.Addresses)
		part, ok := counting.Dot(&near, &far, ranks)
		if sum, err = d.add(sum, part, ok); err != nil {
			return sum, err
		}
	}
	return sum, nil
}
