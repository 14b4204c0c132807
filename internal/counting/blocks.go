package counting

import (
	"sync"

	"pagoda/internal/puzzle"
)

// A blockBuffer is the room that writeBlocks packs a block in; it is worth keeping between windows.
type blockBuffer struct {
	occupied [puzzle.BlockAddresses / 64]uint64
	lo, hi   [puzzle.BlockAddresses + 7]uint64 // room for the whole vectors of pack
}

var blockBuffers = sync.Pool{New: func() any { return new(blockBuffer) }}

// writeBlocks passes a computed window to out, block by block, leaving out blocks without rows.
func writeBlocks(w puzzle.Window, d *Dense, out puzzle.Sink) error {
	var b puzzle.Block
	buf := blockBuffers.Get().(*blockBuffer)
	defer blockBuffers.Put(buf)
	for at := uint64(0); at < w.Addresses; at += puzzle.BlockAddresses {
		n := min(puzzle.BlockAddresses, w.Addresses-at)
		b.First, b.Addresses = w.First+at, int(n)
		b.Occupied = buf.occupied[:(n+63)/64]
		c := d.Slice(at, at+n)
		rows, anyHi := compact(&c, b.Occupied, buf.lo[:], buf.hi[:])
		if rows == 0 {
			continue
		}
		b.Columns = append(b.Columns[:0], buf.lo[:rows])
		if anyHi {
			b.Columns = append(b.Columns, buf.hi[:rows])
		}
		if err := out.Block(&b); err != nil {
			return err
		}
	}
	return nil
}

// compact packs the counts that are not zero and marks their addresses.
func compact(c *Counts, occupied, outLo, outHi []uint64) (rows int, anyHi bool) {
	if c.hi == nil {
		return pack(c, occupied, outLo), false
	}
	var or uint64
	clear(occupied)
	for i, x := range c.lo {
		h := c.hi[i]
		if x|h == 0 {
			continue
		}
		outLo[rows], outHi[rows] = x, h
		or |= h
		occupied[i/64] |= 1 << (i % 64)
		rows++
	}
	return rows, or != 0
}
