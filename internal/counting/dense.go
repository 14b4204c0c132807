package counting

import (
	"context"
	"math/bits"

	"pagoda/internal/puzzle"
)

// A dense window holds the count of every slot: hi is nil when all counts are below 2^64. It is immutable once shared.
type dense struct {
	first  uint64
	lo, hi []uint64
}

func (d *dense) bytes() uint64 { return 8 * uint64(len(d.lo)+len(d.hi)) }

// loadDense reads a committed window.
func loadDense(ctx context.Context, in puzzle.Source, w puzzle.Window) (*dense, error) {
	if v, ok := in.Cache().Get(w.ID()); ok {
		return v.(*dense), nil
	}
	d := &dense{first: w.First, lo: make([]uint64, w.Slots)}
	err := in.Blocks(ctx, w, w.First, w.Slots, func(b *puzzle.Block) error {
		at := b.First - w.First
		expand(d.lo[at:at+uint64(b.Slots)], b.Occupied, b.Column(0))
		if hi := b.Column(1); hi != nil {
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
