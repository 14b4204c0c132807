package counting

import (
	"context"
	"math/bits"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"
)

// A dense window holds the count of every slot: hi is nil when all counts are below 2^64. It is immutable once shared.
//
// live marks the runs that have a row: bit i is set when one of the runs that start in slots 8i..8i+7 has. A third of
// the runs that a kernel meets have none, most of them in the first half of a game.
type dense struct {
	first  uint64
	lo, hi []uint64
	live   []uint64
}

func newDense(w puzzle.Window) *dense {
	return &dense{first: w.First, lo: make([]uint64, w.Slots), live: make([]uint64, w.Slots/512+1)}
}

func (d *dense) bytes() uint64 { return 8 * uint64(len(d.lo)+len(d.hi)+len(d.live)) }

// at returns the count of a slot.
func (d *dense) at(slot uint64) uint128.Uint128 {
	n := uint128.From(d.lo[slot])
	if d.hi != nil {
		n.Hi = d.hi[slot]
	}
	return n
}

// setLive marks the run that starts at a slot; isLive asks.
func (d *dense) setLive(slot uint64)     { d.live[slot>>9] |= 1 << (slot >> 3 & 63) }
func (d *dense) isLive(slot uint64) bool { return d.live[slot>>9]>>(slot>>3&63)&1 != 0 }

// findLive marks the runs that have rows, from the counts.
func (d *dense) findLive(l *partition.Layout) {
	end := d.first + uint64(len(d.lo))
	leads := l.Leads()
	for i := range leads {
		lead := &leads[i]
		if lead.Base+lead.Slots <= d.first || lead.Base >= end {
			continue
		}
		l.EachMid(lead.Node, func(_, off uint64, lowType int32) bool {
			at := lead.Base + off
			if at < d.first || at >= end {
				return at < end
			}
			n := uint64(len(l.Space.LowPatterns(lowType)))
			at -= d.first
			if !allZero(d.lo[at:at+n]) || d.hi != nil && !allZero(d.hi[at:at+n]) {
				d.setLive(at)
			}
			return true
		})
	}
}

func allZero(s []uint64) bool {
	for _, x := range s {
		if x != 0 {
			return false
		}
	}
	return true
}

// loadDense reads the counts of a committed window, of which column and the one after it have the two words.
func loadDense(
	ctx context.Context, in puzzle.Source, w puzzle.Window, l *partition.Layout, column int,
) (*dense, error) {
	if v, ok := in.Cache().Get(w.ID()); ok {
		return v.(*dense), nil
	}
	d := newDense(w)
	err := in.Blocks(ctx, w, w.First, w.Slots, func(b *puzzle.Block) error {
		at := b.First - w.First
		expand(d.lo[at:at+uint64(b.Slots)], b.Occupied, b.Column(column))
		if hi := b.Column(column + 1); hi != nil {
			if d.hi == nil {
				d.hi = make([]uint64, w.Slots)
			}
			expand(d.hi[at:at+uint64(b.Slots)], b.Occupied, hi)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	d.findLive(l)
	in.Cache().Put(w.ID(), d, d.bytes())
	return d, nil
}

// expand puts the r-th value of column at the r-th occupied slot.
func expand(slots, occupied, column []uint64) {
	r := 0
	for i, w := range occupied {
		for ; w != 0; w &= w - 1 {
			slots[i*64+bits.TrailingZeros64(w)] = column[r]
			r++
		}
	}
}
