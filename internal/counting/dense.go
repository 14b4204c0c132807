package counting

import (
	"context"
	"math"
	"math/bits"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// A Dense window holds the count of every address. It is immutable once shared, and then as narrow as its counts allow.
//
// live marks the stretches that have a row: bit i is set when one of the stretches that start in addresses 8i..8i+7
// has. A third of the stretches that a kernel meets have none, most of them in the first half of a game. prefixes marks
// the prefixes of such stretches, by rank.
type Dense struct {
	First, Addresses uint64
	Counts
	live, prefixes marks
}

func newDense(w puzzle.Window, l *partition.Layout, counted width) *Dense {
	return &Dense{
		First: w.First, Addresses: w.Addresses, Counts: newCounts(w.Addresses, counted),
		live: newMarks(w.Addresses / 8), prefixes: newMarks(uint64(len(l.PrefixPatterns()))),
	}
}

func (d *Dense) bytes() uint64 {
	return 4*uint64(len(d.short)) + 8*uint64(len(d.lo)+len(d.hi)+len(d.live)+len(d.prefixes))
}

// holds reports whether an address is in the window.
func (d *Dense) holds(address uint64) bool { return address-d.First < d.Addresses }

// setLive marks the stretch that starts at an address, and its prefix; IsLive asks.
func (d *Dense) setLive(address uint64, prefix int32) {
	d.live.set(address / 8)
	d.prefixes.set(uint64(prefix))
}

// IsLive reports whether the stretch that starts at an address has been marked as having a row.
func (d *Dense) IsLive(address uint64) bool { return d.live.has(address / 8) }

// anyLive reports whether a stretch that starts in the given addresses may be marked.
func (d *Dense) anyLive(address, addresses uint64) bool {
	return d.live.any(address>>3, (address+addresses-1)>>3)
}

// findLive marks the stretches that have rows, from the addresses that have.
func (d *Dense) findLive(l *partition.Layout, rows marks) {
	end := d.First + d.Addresses
	prefixes := l.Prefixes()
	for i := range prefixes {
		prefix := &prefixes[i]
		if prefix.Base+prefix.Addresses <= d.First || prefix.Base >= end {
			continue
		}
		rank := l.PrefixRank(prefix.Pattern)
		l.EachMid(l.Node(prefix), func(_, off uint64, lowType int32) bool {
			at := prefix.Base + off
			if at < d.First || at >= end {
				return at < end
			}
			at -= d.First
			if rows.any(at, at+uint64(len(l.Space.LowPatterns(lowType)))-1) {
				d.setLive(at, rank)
			}
			return true
		})
	}
}

// loadDense reads the counts of a committed window, of which column and the one after it have the two words.
func loadDense(
	ctx context.Context, in puzzle.Source, w puzzle.Window, l *partition.Layout, column int,
) (*Dense, error) {
	if v, ok := in.Cache().Get(w.ID()); ok {
		if d, ok := v.(*Dense); ok { // or a value that a puzzle keeps of the window
			return d, nil
		}
	}
	d, err := readDense(ctx, in, w, []puzzle.Window{w}, l, column)
	if err != nil {
		return nil, err
	}
	in.Cache().Put(w.ID(), d, d.bytes())
	return d, nil
}

// readDense reads the counts of a range of a cell, which is that of the stored windows together.
func readDense(
	ctx context.Context, in puzzle.Source, w puzzle.Window, stored []puzzle.Window, l *partition.Layout, column int,
) (*Dense, error) {
	d, rows := newDense(w, l, bits32), newMarks(w.Addresses)
	for _, s := range stored {
		err := in.Blocks(ctx, s, s.First, s.Addresses, func(b *puzzle.Block) error {
			d.put(b.First-w.First, b.Occupied, b.Column(column), b.Column(column+1))
			rows.setAll(b.First-w.First, b.Occupied)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	d.findLive(l, rows)
	return d, nil
}

// put sets the counts of a block's rows, from the address at on; hi may be nil. It returns a bound of these counts.
func (c *Counts) put(at uint64, occupied, lo, hi []uint64) (largest uint128.Uint128) {
	for _, n := range lo {
		largest.Lo = max(largest.Lo, n)
	}
	for _, n := range hi {
		largest.Hi = max(largest.Hi, n)
	}
	if largest.Hi > 0 {
		largest.Lo = math.MaxUint64
	}
	c.widen(widthOf(largest))
	if largest.Hi > 0 {
		expand(c.hi[at:], occupied, hi)
	}
	if c.short != nil {
		expand(c.short[at:], occupied, lo)
	} else {
		expand(c.lo[at:], occupied, lo)
	}
	return largest
}

// expand puts the r-th value of column at the r-th occupied address.
func expand[T uint32 | uint64](addresses []T, occupied, column []uint64) {
	r := 0
	for i, w := range occupied {
		for ; w != 0; w &= w - 1 {
			addresses[i*64+bits.TrailingZeros64(w)] = T(column[r])
			r++
		}
	}
}
