package counting

import (
	"context"
	"fmt"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// A joint is the counts of a cell of several vectors, vector by vector.
type joint struct {
	parts   []*Dense          // nil where a vector has no row
	largest []uint128.Uint128 // bounds the counts of each; 0 where there is no row
}

func newJoint(c *cell) *joint {
	return &joint{parts: make([]*Dense, len(c.vectors)), largest: make([]uint128.Uint128, len(c.vectors))}
}

func (j *joint) bytes() (n uint64) {
	for _, d := range j.parts {
		if d != nil {
			n += d.bytes()
		}
	}
	return n
}

// A keeper is a source that keeps the cells of several vectors which it has read, whatever its cache forgets: a window
// reads them for many vectors, several times each. One computation uses it.
type keeper struct {
	puzzle.Source
	kept map[puzzle.WindowID]any
}

// Cache is the keeper itself.
func (k *keeper) Cache() puzzle.Cache { return k }

// Get returns what is kept, or is in the cache of the source.
func (k *keeper) Get(id puzzle.WindowID) (any, bool) {
	if v, ok := k.kept[id]; ok {
		return v, true
	}
	v, ok := k.Source.Cache().Get(id)
	k.keep(id, v)
	return v, ok
}

// Put offers v to the cache of the source too.
func (k *keeper) Put(id puzzle.WindowID, v any, size uint64) {
	k.keep(id, v)
	k.Source.Cache().Put(id, v, size)
}

func (k *keeper) keep(id puzzle.WindowID, v any) {
	if _, ok := v.(*joint); ok {
		k.kept[id] = v
	}
}

// computeCell computes the window of a cell of several vectors.
func (s *Enumeration) computeCell(
	ctx context.Context, c *cell, w puzzle.Window, in *keeper, out puzzle.Sink,
) (sum puzzle.Tally, err error) {
	if w.First != 0 || w.Addresses != c.addresses() {
		return sum, fmt.Errorf("window %s: addresses %d..%d are not the %d of its cell",
			w, w.First, w.First+w.Addresses, c.addresses())
	}
	j := newJoint(c)
	for i, v := range c.vectors {
		if in.MemoryBytes() > 0 {
			clear(in.kept) // the memory is that of one vector
		}
		part := w
		part.Addresses = s.Space.Addresses(v)
		k, err := s.barren(ctx, v, part, in)
		if err != nil {
			return sum, err
		}
		if k == nil {
			if k, err = s.newKernel(ctx, v, part, in, nil); err != nil {
				return sum, err
			}
			k.beside = w.Addresses - part.Addresses
			if err := k.fill(ctx, k.count); err != nil {
				return sum, err
			}
		}
		t, err := k.tally.finish()
		if err != nil {
			return sum, err
		}
		if err := sum.Merge(&t); err != nil {
			return sum, fmt.Errorf("window %s: %w", w, err)
		}
		if j.largest[i] = k.tally.largest; !j.largest[i].IsZero() {
			j.parts[i] = k.Counts
		}
	}
	if err := writeJoint(c, j, out); err != nil {
		return sum, err
	}
	in.Cache().Put(w.ID(), j, j.bytes())
	return sum, nil
}

// writeJoint passes the rows of a cell of several vectors to out, block by block, leaving out blocks without rows.
func writeJoint(c *cell, j *joint, out puzzle.Sink) error {
	buf := blockBuffers.Get().(*blockBuffer)
	defer blockBuffers.Put(buf)
	for first := uint64(0); first < c.addresses(); first += puzzle.BlockAddresses {
		end := min(first+puzzle.BlockAddresses, c.addresses())
		block := puzzle.Block{First: first, Addresses: int(end - first), Occupied: buf.occupied[:(end-first+63)/64]}
		clear(block.Occupied)
		rows, wide := 0, false
		for i := c.at(first); i < len(c.vectors) && c.bases[i] < end; i++ {
			d := j.parts[i]
			if d == nil {
				continue
			}
			from := max(first, c.bases[i])
			counts := d.Slice(from-c.bases[i], min(end-c.bases[i], d.Addresses))
			addresses := uint64(len(counts.short) + len(counts.lo))
			occupied := block.Occupied[(from-first)/64:][:(addresses+63)/64]
			n, anyHi := compact(&counts, occupied, buf.lo[rows:], buf.hi[rows:])
			if anyHi && !wide {
				clear(buf.hi[:rows])
			}
			if wide = wide || anyHi; wide && counts.hi == nil {
				clear(buf.hi[rows : rows+n])
			}
			rows += n
		}
		if rows == 0 {
			continue
		}
		block.Columns = append(block.Columns, buf.lo[:rows])
		if wide {
			block.Columns = append(block.Columns, buf.hi[:rows])
		}
		if err := out.Block(&block); err != nil {
			return err
		}
	}
	return nil
}

// loadJoint reads the counts of a committed cell of several vectors.
func (s *Enumeration) loadJoint(ctx context.Context, in puzzle.Source, c *cell) (*joint, error) {
	w := puzzle.Window{Cell: c.id, Addresses: c.addresses()}
	if v, ok := in.Cache().Get(w.ID()); ok {
		if j, ok := v.(*joint); ok {
			return j, nil
		}
	}
	j, rows := newJoint(c), make([]marks, len(c.vectors))
	err := in.Blocks(ctx, w, 0, w.Addresses, func(block *puzzle.Block) error {
		return c.pieces(block, func(i int, piece *puzzle.Block) error {
			d := j.parts[i]
			if d == nil {
				part := puzzle.Window{Addresses: s.Space.Addresses(c.vectors[i])}
				d = newDense(part, s.Space.Layout(c.vectors[i]), bits32)
				j.parts[i], rows[i] = d, newMarks(part.Addresses)
			}
			largest := d.put(piece.First, piece.Occupied, piece.Column(0), piece.Column(1))
			if j.largest[i].Cmp(largest) < 0 {
				j.largest[i] = largest
			}
			rows[i].setAll(piece.First, piece.Occupied)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	for i, d := range j.parts {
		if d != nil {
			d.findLive(s.Space.Layout(c.vectors[i]), rows[i])
		}
	}
	in.Cache().Put(w.ID(), j, j.bytes())
	return j, nil
}

// pieces divides a block of the cell among the vectors that have rows in it. The first address of a piece is that in
// its vector, the i-th. An address between two vectors that has a row makes the window one that cannot be read.
func (c *cell) pieces(block *puzzle.Block, fn func(i int, piece *puzzle.Block) error) error {
	row, blockEnd := 0, block.First+uint64(block.Addresses)
	for i := c.at(block.First); i < len(c.vectors) && c.bases[i] < blockEnd; i++ {
		from, end := max(c.bases[i], block.First), blockEnd
		if i+1 < len(c.bases) {
			end = min(end, c.bases[i+1])
		}
		occupied := block.Occupied[(from-block.First)/64 : (end-block.First+63)/64]
		if end > c.ends[i] {
			end = c.ends[i]
			if bit := (end - c.bases[i]) % 64; occupied[len(occupied)-1]>>bit != 0 {
				return &puzzle.MissingError{
					Window: puzzle.WindowID{Cell: c.id}, Cause: fmt.Errorf("a row at address %d or after is of no position", end),
				}
			}
		}
		piece := puzzle.Block{First: from - c.bases[i], Addresses: int(end - from), Occupied: occupied}
		rows := piece.Rows()
		if rows == 0 {
			continue
		}
		for _, column := range block.Columns {
			piece.Columns = append(piece.Columns, column[row:row+rows])
		}
		row += rows
		if err := fn(i, &piece); err != nil {
			return err
		}
	}
	return nil
}
