package counting

import (
	"context"
	"fmt"
	"math/bits"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// A joiner multiplies the counts of a near window with those of the far enumeration.
type joiner struct {
	complementReader
	k       *kernel
	endings map[uint64][]lookup // by the elements that fix the prefix
	sum     uint128.Uint128
}

func newJoiner(j *join, k *kernel, in puzzle.Source) *joiner {
	return &joiner{complementReader: newComplementReader(j, k.w, k.v, in), k: k, endings: map[uint64][]lookup{}}
}

func (d *joiner) lookups(fixed uint64) ([]lookup, error) {
	if l, ok := d.endings[fixed]; ok {
		return l, nil
	}
	var list []lookup
	for _, e := range d.j.endings(fixed) {
		l, ok, err := d.lookup(e)
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

// prefix adds a prefix's share to the sum.
func (d *joiner) prefix(ctx context.Context, prefix *partition.Prefix) error {
	lookups, err := d.lookups(prefix.Fixed)
	if err != nil {
		return err
	}
	stretches := d.k.stretchesOf(prefix)
	for i := range lookups {
		l := &lookups[i]
		var part uint128.Uint128
		if l.fields && d.k.dst.width() < bits128 && !d.j.slow {
			part, err = d.byStretches(ctx, prefix, stretches, l)
		} else {
			part, err = d.byRows(ctx, prefix, stretches, l)
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

// noRows reports whether the stretch at an address is known to have no rows.
func (d *joiner) noRows(at uint64) bool {
	if d.k.transient {
		return d.k.untouched(at)
	}
	return !d.k.dst.isLive(at)
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
	ctx context.Context, prefix *partition.Prefix, stretches []partition.Stretch, l *lookup,
) (sum uint128.Uint128, err error) {
	s, dst := d.j.near.space, d.k.dst
	for i := range stretches {
		r := &stretches[i]
		at := prefix.Base + r.Off - dst.first
		if d.noRows(at) {
			continue
		}
		high := prefix.Pattern<<s.Prefix.Shift | r.Mid<<s.Mid.Shift
		for rank, low := range s.LowPatterns(r.LowType) {
			at := at + uint64(rank)
			n := dst.at(at)
			if n.IsZero() {
				continue
			}
			m, err := d.row(ctx, l, high|uint64(low)<<s.Low.Shift, dst.first+at)
			if err != nil {
				return sum, err
			}
			p, ok := product(n, m)
			if sum, err = d.add(sum, p, ok); err != nil {
				return sum, err
			}
		}
	}
	return sum, nil
}

// byStretches does what byRows does where fields stay fields: the complements of a stretch are one stretch of far,
// whose place is found once, and their order in it is a table.
func (d *joiner) byStretches(
	ctx context.Context, prefix *partition.Prefix, stretches []partition.Stretch, l *lookup,
) (sum uint128.Uint128, err error) {
	dst := d.k.dst
	image, ok := d.complementReader.prefix(l, prefix)
	if !ok {
		return sum, nil
	}
	for i := range stretches {
		r := &stretches[i]
		at := prefix.Base + r.Off - dst.first
		if d.noRows(at) {
			continue
		}
		w, from, ranks, err := d.stretch(ctx, l, image, r)
		if err != nil {
			return sum, err
		}
		if w == nil {
			continue
		}
		near, far := dst.slice(at, at+uint64(r.Size)), w.slice(from, w.addresses)
		part, ok := dot(&near, &far, ranks)
		if sum, err = d.add(sum, part, ok); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// dot returns the sum of near[i] x far[ranks[i]], for near counts of at most 64 bits; ok is false when it does not fit.
func dot(near, far *counts, ranks []uint16) (sum uint128.Uint128, ok bool) {
	switch {
	case near.short != nil && far.short != nil:
		return dotShort(near.short, far.short, ranks), true
	case near.short != nil && far.hi == nil:
		return dotNarrow(near.short, far.lo, ranks)
	case far.short != nil:
		return dotNarrow(near.lo, far.short, ranks)
	case far.hi == nil:
		return dotNarrow(near.lo, far.lo, ranks)
	}
	for i, rank := range ranks {
		p, fits := product(near.at(uint64(i)), far.at(uint64(rank)))
		if sum, ok = sum.Add(p); !ok || !fits {
			return sum, false
		}
	}
	return sum, true
}

// dotShort is dot for counts below 2^32, of which there are fewer than 2^32. It multiplies zeros too: two of three
// counts are, and nobody can predict which.
func dotShort(near, far []uint32, ranks []uint16) (sum uint128.Uint128) {
	ranks = ranks[:len(near)]
	for i, n := range near {
		var c uint64
		sum.Lo, c = bits.Add64(sum.Lo, uint64(n)*uint64(far[ranks[i]]), 0)
		sum.Hi += c
	}
	return sum
}

func dotNarrow[N, F uint32 | uint64](near []N, far []F, ranks []uint16) (sum uint128.Uint128, ok bool) {
	var carry uint64
	for i, n := range near {
		if n == 0 {
			continue
		}
		h, l := bits.Mul64(uint64(n), uint64(far[ranks[i]]))
		var c uint64
		sum.Lo, c = bits.Add64(sum.Lo, l, 0)
		sum.Hi, c = bits.Add64(sum.Hi, h, c)
		carry |= c
	}
	return sum, carry == 0
}

// product returns n*m; ok is false when it does not fit.
func product(n, m uint128.Uint128) (p uint128.Uint128, ok bool) {
	if n.Hi > 0 {
		n, m = m, n
	}
	p, ok = m.Mul64(n.Lo)
	return p, ok && n.Hi == 0 || n.IsZero() || m.IsZero()
}
