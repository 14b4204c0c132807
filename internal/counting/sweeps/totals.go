package sweeps

import (
	"context"
	"fmt"
	"math"

	"pagoda/internal/counting"
	"pagoda/internal/counting/ways"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// totals are the polynomials of the positions of a window of the pass, as they are looked up.
type totals struct {
	rows   *ways.RowSet
	places []place  // by row; rows that only repeat a class have no counts
	lo, hi []uint64 // counts, of all positions; no hi when every count fits in 64 bits
}

// A place is where the counts of a position stand: those of least sweeps and more.
type place struct {
	at    uint32
	least uint8
	n     uint8
}

// startTotals are those of a start: one sequence, without a jump.
var startTotals = &totals{places: []place{{n: 1}}, lo: []uint64{1}}

// poly returns the polynomial of a row.
func (t *totals) poly(row int) poly {
	at := t.places[row]
	p := make(poly, int(at.least)+int(at.n))
	for i := range int(at.n) {
		p[int(at.least)+i].Lo = t.lo[int(at.at)+i]
		if t.hi != nil {
			p[int(at.least)+i].Hi = t.hi[int(at.at)+i]
		}
	}
	return p
}

// bytes returns the memory of the totals.
func (t *totals) bytes() uint64 {
	return t.rows.Bytes() + placeBytes*uint64(cap(t.places)) + 8*uint64(cap(t.lo)+cap(t.hi))
}

// placeBytes is the memory of a place.
const placeBytes = 8

// loadTotals reads the totals of a window of the side whose positions are those of a window of the pass.
func loadTotals(ctx context.Context, in puzzle.Source, w, pass puzzle.Window, stride uint64) (*totals, error) {
	if v, ok := in.Cache().Get(w.ID()); ok {
		if t, ok := v.(*totals); ok {
			return t, nil
		}
	}
	rows, err := ways.LoadAddresses(ctx, in, pass)
	if err != nil {
		return nil, err
	}
	t := &totals{rows: rows}
	end := uint64(0) // of the addresses of the last position
	err = in.Blocks(ctx, w, w.First, w.Addresses, func(b *puzzle.Block) error {
		row := -1
		return counting.EachAddress(b, func(address uint64) error {
			row++
			at := address - w.First
			if at >= end {
				i := at / stride
				for uint64(len(t.places)) <= i {
					t.places = append(t.places, place{})
				}
				end = (i + 1) * stride
				if len(t.lo) > math.MaxUint32-int(stride) {
					return fmt.Errorf("window %s: more than 2^32 counts: cut it into smaller windows", w)
				}
			}
			t.add(int(at+stride-end)+1, counting.Wide(b, 0, row))
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	in.Cache().Put(w.ID(), t, t.bytes())
	return t, nil
}

// add adds the count of so many sweeps, which come in order, to the last position.
func (t *totals) add(sweeps int, count uint128.Uint128) {
	p := &t.places[len(t.places)-1]
	if p.n == 0 {
		p.at, p.least = uint32(len(t.lo)), uint8(sweeps)
	}
	for int(p.least)+int(p.n) < sweeps {
		t.put(uint128.Uint128{})
		p.n++
	}
	t.put(count)
	p.n++
}

func (t *totals) put(count uint128.Uint128) {
	if count.Hi != 0 && t.hi == nil {
		t.hi = make([]uint64, len(t.lo))
	}
	t.lo = append(t.lo, count.Lo)
	if t.hi != nil {
		t.hi = append(t.hi, count.Hi)
	}
}
