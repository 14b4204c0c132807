package join

import (
	"context"
	"fmt"
	"iter"

	"pagoda/internal/counting"
	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// A joiner multiplies the counts of a near window with those of the far enumeration.
type joiner struct {
	ComplementReader
	k       *counting.Kernel
	endings map[uint64][]Lookup  // by the elements that fix the prefix
	only    *counting.CellReader // not nil: the cell of far that is read now, see byParts
	pieces  []piece              // see byRuns
	ordered [mostPieces]counting.Gathered
	lowType int32           // of the pieces
	picked  counting.Picked // with the low patterns of their complements, all of them in one stretch of far:
	stretch uint64          // its prefix and mid
	at      uint64          // address of one of the counts, for errors
	ranks   []uint16        // of the complements in the stretch
	sum     uint128.Uint128
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
	for prefixes := d.k.Prefixes(); len(prefixes) > 0; {
		n := d.together(prefixes)
		if err := d.some(ctx, prefixes[:n]); err != nil {
			return err
		}
		prefixes = prefixes[n:]
	}
	return nil
}

// together says how many prefixes, from the first on, have the same stretches, all of them in the window, and the same
// endings; at least one.
func (d *joiner) together(prefixes []partition.Prefix) int {
	first, end := &prefixes[0], d.w.First+d.w.Addresses
	if first.Base < d.w.First {
		return 1
	}
	n := 1
	for most := min(len(prefixes), mostPieces); n < most; n++ {
		next := &prefixes[n]
		if !next.SameStretches(first) || next.Fixed != first.Fixed || next.Base+next.Addresses > end {
			break
		}
	}
	return n
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

// some adds the shares of prefixes that are together to the sum.
func (d *joiner) some(ctx context.Context, prefixes []partition.Prefix) error {
	lookups, err := d.lookups(prefixes[0].Fixed)
	if err != nil {
		return err
	}
	stretches := d.k.StretchesOf(&prefixes[0])
	for i := range lookups {
		l := &lookups[i]
		if d.only != nil && l.cell != d.only {
			continue
		}
		var part uint128.Uint128
		switch {
		case d.j.Slow || d.k.Counts.IsWide():
			part, err = d.byRows(ctx, prefixes, stretches, l)
		case l.Fields && !d.j.Runs:
			part, err = d.byStretches(ctx, prefixes, stretches, l)
		default:
			part, err = d.byRuns(ctx, prefixes, stretches, l)
		}
		if err != nil {
			return err
		}
		times, ok := part.Mul64(l.times)
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

// byRows looks the complement of every position up by itself.
func (d *joiner) byRows(
	ctx context.Context, prefixes []partition.Prefix, stretches []partition.Stretch, l *Lookup,
) (sum uint128.Uint128, err error) {
	s, dst := d.j.Near.Space, d.k.Counts
	for prefix, r := range each(prefixes, stretches) {
		at := prefix.Base + r.Off - dst.First
		if d.k.NoRows(at) {
			continue
		}
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

// each goes through the stretches of prefixes that have the same.
func each(prefixes []partition.Prefix, stretches []partition.Stretch) iter.Seq2[*partition.Prefix, *partition.Stretch] {
	return func(yield func(*partition.Prefix, *partition.Stretch) bool) {
		for p := range prefixes {
			for i := range stretches {
				if !yield(&prefixes[p], &stretches[i]) {
					return
				}
			}
		}
	}
}

// byStretches does what byRows does where fields stay fields: the complements of a stretch are one stretch of far,
// whose place is found once, and their order in it is a table.
func (d *joiner) byStretches(
	ctx context.Context, prefixes []partition.Prefix, stretches []partition.Stretch, l *Lookup,
) (sum uint128.Uint128, err error) {
	for i := range prefixes {
		if sum, err = d.prefixByStretches(ctx, sum, &prefixes[i], stretches, l); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// prefixByStretches is byStretches of one prefix; it adds to sum.
func (d *joiner) prefixByStretches(
	ctx context.Context, sum uint128.Uint128, prefix *partition.Prefix, stretches []partition.Stretch, l *Lookup,
) (_ uint128.Uint128, err error) {
	dst := d.k.Counts
	image, ok := d.ComplementReader.Prefix(l, prefix)
	if !ok {
		return sum, nil
	}
	for i := range stretches {
		r := &stretches[i]
		at := prefix.Base + r.Off - dst.First
		if d.k.NoRows(at) {
			continue
		}
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
