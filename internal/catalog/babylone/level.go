package babylone

import (
	"context"
	"fmt"
	"math/bits"

	"pagoda/internal/puzzle"
)

// A level holds the results of the positions with one number of piles, in chunks of 1<<shift numbers: which of them are
// lost for the player to move, or their nimbers.
type level struct {
	shift   uint
	lost    [][]uint64 // a bit for each position, least significant first
	nimbers [][]byte   // instead of lost
}

// has reports whether a position is lost.
func (l *level) has(r uint64) bool {
	i := r & (1<<l.shift - 1)
	return l.lost[r>>l.shift][i/64]>>(i%64)&1 != 0
}

// mex is the least nimber that none of the given positions has.
func (l *level) mex(after []uint64) byte {
	seen := uint64(0)
	for _, r := range after {
		seen |= 1 << l.nimbers[r>>l.shift][r&(1<<l.shift-1)]
	}
	n := byte(0)
	for ; seen&1 != 0; seen >>= 1 {
		n++
	}
	return n
}

// A chunk holds the results of the positions of one window: bits of the lost ones, or nimbers.
type chunk struct {
	lost    []uint64
	nimbers []byte
}

func (c *chunk) bytes() uint64 { return 8*uint64(len(c.lost)) + uint64(len(c.nimbers)) + 64 }

func (b *Puzzle) newChunk(addresses uint64) *chunk {
	if b.count == CountWinner {
		return &chunk{lost: make([]uint64, (addresses+63)/64)}
	}
	return &chunk{nimbers: make([]byte, addresses)}
}

// level reads a whole layer, from the cache or from its rows.
func (b *Puzzle) level(ctx context.Context, in puzzle.Source, layer int) (*level, error) {
	windows, err := in.Windows(positionsCell(layer))
	if err != nil {
		return nil, err
	}
	l := &level{shift: b.shift}
	for _, w := range windows {
		var c *chunk
		if v, ok := in.Cache().Get(w.ID()); ok {
			c = v.(*chunk)
		} else {
			c = b.newChunk(w.Addresses)
			err := in.Blocks(ctx, w, w.First, w.Addresses, func(block *puzzle.Block) error { return c.read(w, block) })
			if err != nil {
				return nil, err
			}
			in.Cache().Put(w.ID(), c, c.bytes())
		}
		l.lost, l.nimbers = append(l.lost, c.lost), append(l.nimbers, c.nimbers)
	}
	return l, nil
}

// read takes the rows of a block.
func (c *chunk) read(w puzzle.Window, block *puzzle.Block) error {
	at := block.First - w.First
	if c.lost != nil {
		for i, word := range block.Occupied { // windows that are shorter than a word have one block of one word
			c.lost[at/64+uint64(i)] |= word
		}
		return nil
	}
	column, r := block.Column(0), 0
	for i, word := range block.Occupied {
		for ; word != 0; word &= word - 1 {
			n := uint64(0)
			if column != nil {
				n = column[r]
			}
			if n >= MaxBricks {
				return fmt.Errorf("window %v: nimber %d at position %d is too large; verify the run", w, n, block.First)
			}
			c.nimbers[at+uint64(64*i+bits.TrailingZeros64(word))] = byte(n)
			r++
		}
	}
	return nil
}
