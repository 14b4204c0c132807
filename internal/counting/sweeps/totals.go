package sweeps

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"pagoda/internal/counting"
	"pagoda/internal/counting/ways"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// totals are the polynomials of the positions of a window of the pass, as they are looked up. They stay in memory for
// the windows that read them, so the counts of a position have as many bytes as its largest.
type totals struct {
	rows   *ways.RowSet
	places []place // by row; rows that only repeat a class have no counts
	counts []byte  // of all positions, least byte first; slack bytes follow
}

// A place is where the counts of a position stand: those of least sweeps and more.
type place struct {
	at    uint32
	least uint8
	n     uint8
	width uint8 // bytes of a count
}

// slack is how many bytes may be read behind the last count.
const slack = 7

// startTotals are those of a start: one sequence, without a jump.
var startTotals = &totals{places: []place{{n: 1, width: 1}}, counts: append([]byte{1}, make([]byte, slack)...)}

// low returns the low 64 bits of the count that begins at a byte, of so many bytes.
func (t *totals) low(at, width int) uint64 {
	x := binary.LittleEndian.Uint64(t.counts[at:])
	if width < 8 {
		x &= 1<<(8*width) - 1
	}
	return x
}

// count returns the count that begins at a byte, of so many bytes.
func (t *totals) count(at, width int) (n uint128.Uint128) {
	n.Lo = t.low(at, width)
	if width > 8 {
		n.Hi = t.low(at+8, width-8)
	}
	return n
}

// poly returns the polynomial of a row.
func (t *totals) poly(row int) poly {
	at := t.places[row]
	p := make(poly, int(at.least)+int(at.n))
	for i := range int(at.n) {
		p[int(at.least)+i] = t.count(int(at.at)+i*int(at.width), int(at.width))
	}
	return p
}

// bytes returns the memory of the totals.
func (t *totals) bytes() uint64 {
	return t.rows.Bytes() + placeBytes*uint64(cap(t.places)) + uint64(cap(t.counts))
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
	var last poly    // of the last position
	end := uint64(0) // of its addresses
	err = in.Blocks(ctx, w, w.First, w.Addresses, func(b *puzzle.Block) error {
		row := -1
		return counting.EachAddress(b, func(address uint64) error {
			row++
			if at := address - w.First; at >= end {
				if err := t.add(w, last, end/stride); err != nil {
					return err
				}
				last.clear()
				end = (at/stride + 1) * stride
			}
			last.grow(int(address-w.First+stride-end) + 2)
			last[len(last)-1] = counting.Wide(b, 0, row)
			return nil
		})
	})
	if err == nil {
		err = t.add(w, last, end/stride)
	}
	if err != nil {
		return nil, err
	}
	// Both have grown, and are kept as large as they are.
	t.places, t.counts = slices.Clone(t.places), slices.Concat(t.counts, make([]byte, slack))
	in.Cache().Put(w.ID(), t, t.bytes())
	return t, nil
}

// add adds the polynomial of the position before so many of a window.
func (t *totals) add(w puzzle.Window, p poly, rows uint64) error {
	for uint64(len(t.places)) < rows {
		t.places = append(t.places, place{})
	}
	least := slices.IndexFunc(p, func(n uint128.Uint128) bool { return !n.IsZero() })
	if least < 0 {
		return nil
	}
	if len(t.counts) > math.MaxUint32-16*len(p) {
		return fmt.Errorf("window %s: more than 4 GiB of counts: cut it into smaller windows", w)
	}
	var all uint128.Uint128 // bits of any count
	for _, n := range p[least:] {
		all.Lo, all.Hi = all.Lo|n.Lo, all.Hi|n.Hi
	}
	width := (bits.Len64(all.Lo) + 7) / 8
	if all.Hi != 0 {
		width = 8 + (bits.Len64(all.Hi)+7)/8
	}
	t.places[rows-1] = place{uint32(len(t.counts)), uint8(least), uint8(len(p) - least), uint8(width)}
	for _, n := range p[least:] {
		var word [16]byte
		binary.LittleEndian.PutUint64(word[:], n.Lo)
		binary.LittleEndian.PutUint64(word[8:], n.Hi)
		t.counts = append(t.counts, word[:width]...)
	}
	return nil
}
