package join

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"pagoda/internal/counting"
	"pagoda/internal/partition"
	"pagoda/internal/uint128"
)

// Run by run: where fields do not stay fields.
//
// Two enumerations may put the holes into fields in different ways, and a turn of the board may take the fields of one
// to other holes than those of the other: so it is on boards whose symmetries permute the classes, 6x6 and triangles.
// Then the complements of a stretch are in many stretches of far. But those of its addresses whose low patterns agree
// in what becomes prefix and mid in far are in one of them: a run. What a low pattern contributes to prefix, mid and
// low of its complement does not depend on the rest of the position, so a low type is cut into runs once, for all
// stretches that have it. A stretch gives the complement of its own prefix and mid; each run changes that to the place
// of its stretch in far, and each address of the run changes the low pattern there.
//
// Where low stays low, a stretch is one run. Where all of low becomes prefix and mid, every address is one.

// runs are the addresses of the stretches of a near low type, in the order of their complements.
type runs struct {
	list      []run
	addresses []uint16 // in the stretch
	lows      []uint32 // likewise: what their patterns change in far's low field
}

// A run is a range of these addresses.
type run struct {
	high     uint64 // what their patterns change in far's prefix and mid, in far's order
	from, to int32
}

// runsOf cuts the addresses of the stretches of a near low type into runs.
func (m *ComplementReader) runsOf(l *Lookup, lowType int32) *runs {
	at := &l.runs[lowType]
	if r := at.Load(); r != nil {
		return r
	}
	s, far := m.j.Near.Space, m.j.Far.Space
	lowBits := whole(far.Low)
	type address struct {
		changes uint64 // in far's order
		at      uint16
	}
	var list []address
	for i, x := range s.LowPatterns(lowType) {
		list = append(list, address{l.spread.Apply(uint64(x) << s.Low.Shift), uint16(i)})
	}
	slices.SortFunc(list, func(a, b address) int {
		return cmp.Or(cmp.Compare(a.changes&^lowBits, b.changes&^lowBits), cmp.Compare(a.at, b.at))
	})
	r := &runs{}
	for i, a := range list {
		high := a.changes &^ lowBits
		if len(r.list) == 0 || r.list[len(r.list)-1].high != high {
			r.list = append(r.list, run{high: high, from: int32(i)})
		}
		r.list[len(r.list)-1].to = int32(i + 1)
		r.addresses = append(r.addresses, a.at)
		r.lows = append(r.lows, uint32(far.Low.Of(a.changes)))
	}
	at.Store(r) // whoever makes it at the same time makes the same
	return r
}

// place finds the stretch of far that holds the complements with prefix and mid as in y, and the element of far's group
// that moves them there; w and from are those of stretchAt. at is an address of the near cell, for errors.
func (m *ComplementReader) place(
	ctx context.Context, l *Lookup, y, at uint64,
) (w *counting.Dense, from uint64, g int, err error) {
	far := m.j.Far.Space
	prefix := far.Prefix.Of(y)
	g = int(l.best[prefix])
	off, lowType := uint64(0), int32(-1)
	to := l.cell.Layout.PrefixOf(far.PrefixImage(g, prefix))
	if to != nil {
		off, lowType = l.cell.Layout.Mid(l.cell.Layout.Node(to), far.MidImage(g, far.Mid.Of(y)))
	}
	if lowType < 0 {
		return nil, 0, 0, fmt.Errorf("window %s: the complement of address %d has none", m.w, at)
	}
	w, from, err = m.stretchAt(ctx, l, to.Base+off)
	return w, from, g, err
}

// mostPieces is how many stretches are joined together, run by run.
const mostPieces = 64

// A piece is a stretch whose runs are joined together with those of others of its low type. These have the same mid
// where something of near's prefix comes to far's low field, and else the same prefix. So a far stretch, of which each
// of them has a small part, is met once for many of them.
type piece struct {
	counts counting.Counts // in the order of the runs
	y      uint64          // the complement of its prefix and mid, with what low patterns change set in full
	at     uint64          // its first address, for errors
}

// byRuns does what byRows does, run by run, for prefixes that have the same stretches.
func (d *joiner) byRuns(
	ctx context.Context, prefixes []partition.Prefix, stretches []partition.Stretch, l *Lookup,
) (sum uint128.Uint128, err error) {
	order := make([]int, len(stretches))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(stretches[a].LowType, stretches[b].LowType) })
	if l.mixes {
		for _, i := range order {
			for p := range prefixes {
				if sum, err = d.piece(ctx, sum, &prefixes[p], &stretches[i], l); err != nil {
					return sum, err
				}
			}
		}
	} else {
		for p := range prefixes {
			for _, i := range order {
				if sum, err = d.piece(ctx, sum, &prefixes[p], &stretches[i], l); err != nil {
					return sum, err
				}
			}
		}
	}
	return d.flush(ctx, sum, l)
}

// piece puts a stretch to the pieces, which are joined when they are many, or of another low type.
func (d *joiner) piece(
	ctx context.Context, sum uint128.Uint128, prefix *partition.Prefix, r *partition.Stretch, l *Lookup,
) (uint128.Uint128, error) {
	s, dst := d.j.Near.Space, d.k.Counts
	at := prefix.Base + r.Off - dst.First
	if d.k.NoRows(at) {
		return sum, nil
	}
	if len(d.pieces) > 0 && (len(d.pieces) == mostPieces || d.lowType != r.LowType) {
		var err error
		if sum, err = d.flush(ctx, sum, l); err != nil {
			return sum, err
		}
	}
	counts := dst.Slice(at, at+uint64(r.Size))
	if rs := d.runsOf(l, r.LowType); len(rs.list) > 1 {
		counts = d.ordered[len(d.pieces)].Gather(&counts, rs.addresses)
	}
	d.lowType = r.LowType
	high := prefix.Pattern<<s.Prefix.Shift | r.Mid<<s.Mid.Shift
	d.pieces = append(d.pieces, piece{counts, l.spread.Apply(s.Ordered(s.Board.Full()) ^ high), dst.First + at})
	return sum, nil
}

// flush joins the pieces.
func (d *joiner) flush(ctx context.Context, sum uint128.Uint128, l *Lookup) (_ uint128.Uint128, err error) {
	if len(d.pieces) == 0 {
		return sum, nil
	}
	rs, low := d.runsOf(l, d.lowType), d.j.Far.Space.Low
	for i := range rs.list {
		r := &rs.list[i]
		lows := rs.lows[r.from:r.to]
		for k := range d.pieces {
			piece := &d.pieces[k]
			y := (piece.y ^ r.high) &^ whole(low)
			if k > 0 && y != d.stretch {
				if sum, err = d.joinPicked(ctx, sum, l); err != nil {
					return sum, err
				}
			}
			d.stretch, d.at = y, piece.at
			counts := piece.counts.Slice(uint64(r.from), uint64(r.to))
			d.picked.Pick(&counts, uint32(low.Of(piece.y)), lows)
		}
		if sum, err = d.joinPicked(ctx, sum, l); err != nil {
			return sum, err
		}
	}
	d.pieces = d.pieces[:0]
	return sum, nil
}

// joinPicked joins the counts that have been picked, whose complements are in one stretch of far.
func (d *joiner) joinPicked(ctx context.Context, sum uint128.Uint128, l *Lookup) (uint128.Uint128, error) {
	near, lows := d.picked.Take()
	if len(lows) == 0 {
		return sum, nil
	}
	w, from, g, err := d.place(ctx, l, d.stretch, d.at)
	if err != nil || w == nil {
		return sum, err
	}
	d.ranks = slices.Grow(d.ranks[:0], len(lows))[:len(lows)]
	d.j.Far.Space.LowImageRanks(g, lows, d.ranks)
	far := w.Slice(from, w.Addresses)
	part, ok := counting.Dot(&near, &far, d.ranks)
	return d.add(sum, part, ok)
}
