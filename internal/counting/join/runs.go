package join

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"pagoda/internal/counting"
	"pagoda/internal/partition"
	"pagoda/internal/puzzle/uint128"
)

// Run by run: where fields do not stay fields.
//
// Two enumerations may put the holes into fields in different ways. A turn of the board may also take a field of one to
// holes outside that field of the other. This happens on boards whose symmetries permute the classes, 6x6 and
// triangles. Then the complements of a stretch are in many stretches of far. A run is the addresses whose low patterns
// agree in the bits that become prefix and mid in far: their complements are in one stretch. The share of a low pattern
// in its complement does not depend on the rest of the position. So a low type is cut into runs once, for all stretches
// that have it. A stretch gives the complement of its own prefix and mid; each run changes that to the place of its
// stretch in far, and each address of the run changes the low pattern there.
//
// Where low stays low, a stretch is one run. Where all of low becomes prefix and mid, every address is one.

// runs are the addresses of the stretches of a near low type, in the order of their complements.
type runs struct {
	list      []run
	addresses []uint16 // in the stretch
	lows      []uint32 // likewise: the bits that their patterns change in far's low field
}

// A run is a range of these addresses.
type run struct {
	high     uint64 // the bits that their patterns change in far's prefix and mid, in far's order
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
	at.Store(r) // a concurrent caller makes the same runs
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

// A piece is a stretch of the near window, with its low type and its place on the far side.
//
// The complements of one run of a stretch are few of the counts of a far stretch, and the processor cannot foresee the
// order in which far stretches are met. Joining one piece at a time would waste most of the bytes fetched of a far
// stretch. So the pieces of a window are sorted by their places. Those with the same place are joined together, a far
// stretch for all of them at once.
type piece struct {
	place   uint64 // prefix and mid of the complement, with pegs on all holes of near's low field
	at      uint64 // its first address in the window
	lowType int32
	low     uint32 // the low pattern of the complement, likewise
}

const (
	mostPieces = 1 << 16 // that are put in order at a time
	mostCounts = 1 << 17 // of pieces that are joined together: those of one more stretch may follow
)

// byRuns is byRows run by run, for prefixes that have the same endings.
func (d *joiner) byRuns(
	ctx context.Context, prefixes []*partition.Prefix, l *Lookup,
) (sum uint128.Uint128, err error) {
	s, far := d.j.Near.Space, d.j.Far.Space
	for _, prefix := range prefixes {
		for at, r := range d.k.WithRows(prefix) {
			y := l.spread.Apply(s.Ordered(s.Board.Full()) ^ (prefix.Pattern<<s.Prefix.Shift | r.Mid<<s.Mid.Shift))
			d.pieces = append(d.pieces, piece{y &^ whole(far.Low), at, r.LowType, uint32(far.Low.Of(y))})
		}
		if len(d.pieces) >= mostPieces {
			if sum, err = d.joinPieces(ctx, sum, l); err != nil {
				return sum, err
			}
		}
	}
	return d.joinPieces(ctx, sum, l)
}

// joinPieces joins the pieces, those of the same place together, and forgets them.
func (d *joiner) joinPieces(ctx context.Context, sum uint128.Uint128, l *Lookup) (_ uint128.Uint128, err error) {
	slices.SortFunc(d.pieces, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.lowType, b.lowType), cmp.Compare(a.place, b.place), cmp.Compare(a.at, b.at))
	})
	for rest := d.pieces; len(rest) > 0; {
		first := &rest[0]
		rs := d.runsOf(l, first.lowType)
		most := min(len(rest), max(1, mostCounts/len(rs.addresses)))
		n := 1
		for n < most && rest[n].lowType == first.lowType && rest[n].place == first.place {
			n++
		}
		if sum, err = d.joinTogether(ctx, sum, rest[:n], rs, l); err != nil {
			return sum, err
		}
		rest = rest[n:]
	}
	d.pieces = d.pieces[:0]
	for i := range d.products {
		if sum, err = d.multiply(sum, &d.products[i]); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// joinTogether joins pieces of the same low type and place.
func (d *joiner) joinTogether(
	ctx context.Context, sum uint128.Uint128, pieces []piece, rs *runs, l *Lookup,
) (_ uint128.Uint128, err error) {
	d.firsts, d.lows = d.firsts[:0], d.lows[:0]
	for i := range pieces {
		d.firsts, d.lows = append(d.firsts, pieces[i].at), append(d.lows, pieces[i].low)
	}
	if len(rs.list) == 1 {
		d.turned.Leave(&d.k.Counts.Counts, d.firsts)
	} else {
		d.turned.Turn(&d.k.Counts.Counts, d.firsts, rs.addresses, len(rs.addresses)/len(rs.list))
	}
	for i := range rs.list {
		r := &rs.list[i]
		w, from, g, err := d.place(ctx, l, pieces[0].place^r.high, d.k.Counts.First+pieces[0].at)
		if err != nil {
			return sum, err
		}
		if w == nil {
			continue
		}
		p := &d.products[d.now]
		near, lows := p.picked.Pick(&d.turned, int(r.from), int(r.to), rs.lows, d.lows)
		if len(lows) == 0 {
			continue
		}
		p.near, p.far = near, w.Slice(from, w.Addresses)
		p.ranks = slices.Grow(p.ranks[:0], len(lows))[:len(lows)]
		d.j.Far.Space.LowImageRanks(g, lows, p.ranks)
		p.far.Fetch(p.ranks)
		d.now = (d.now + 1) % len(d.products)
		if sum, err = d.multiply(sum, &d.products[d.now]); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// A product is that of counts of the near window with those of their complements, which are in one stretch of far. It
// is multiplied out some products later, when the counts of far have come from memory.
type product struct {
	picked    counting.Picked
	near, far counting.Counts
	ranks     []uint16 // of the complements in the stretch; none when it is multiplied out
}

// productsAhead is how many products wait for memory.
const productsAhead = 3

// multiply adds a product to sum, if it waits.
func (d *joiner) multiply(sum uint128.Uint128, p *product) (uint128.Uint128, error) {
	if len(p.ranks) == 0 {
		return sum, nil
	}
	part, ok := counting.Dot(&p.near, &p.far, p.ranks)
	p.ranks = p.ranks[:0]
	return d.add(sum, part, ok)
}
