package ways

import (
	"context"
	"math/bits"
	"slices"

	"pagoda/internal/counting"
	"pagoda/internal/peg"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// A RowSet is a stored window as it is looked up, address by address: which addresses have rows, how many rows there
// are before each 64 addresses, and the columns. An address takes 2 bits and a row the size of its columns, so that
// rows that are few among the addresses stay small.
type RowSet struct {
	first   uint64
	ranks   []rank
	columns [4][]uint64 // by row; as long as the last row whose block has the column
}

// A rank says which of 64 addresses have rows, and how many rows there are before them. The two lie side by side, since
// a look-up waits for memory.
type rank struct {
	occupied uint64
	before   uint32
}

const rankBytes = 16

// LoadRows reads a window for look-ups.
func LoadRows(ctx context.Context, in puzzle.Source, w puzzle.Window) (*RowSet, error) {
	if v, ok := in.Cache().Get(w.ID()); ok {
		if s, ok := v.(*RowSet); ok {
			return s, nil
		}
	}
	s, rows := newRowSet(w), 0
	err := in.Blocks(ctx, w, w.First, w.Addresses, func(b *puzzle.Block) error {
		s.occupy(b)
		for c := range s.columns {
			if col := b.Column(c); col != nil {
				missing := make([]uint64, rows-len(s.columns[c])) // of blocks before that had none
				s.columns[c] = append(append(s.columns[c], missing...), col...)
			}
		}
		rows += b.Rows()
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.countBefore()
	in.Cache().Put(w.ID(), s, s.Bytes())
	return s, nil
}

// LoadAddresses reads which addresses of a window have rows, but not the rows. It keeps nothing in the cache.
func LoadAddresses(ctx context.Context, in puzzle.Source, w puzzle.Window) (*RowSet, error) {
	s := newRowSet(w)
	err := in.Blocks(ctx, w, w.First, w.Addresses, func(b *puzzle.Block) error {
		s.occupy(b)
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.countBefore()
	return s, nil
}

func newRowSet(w puzzle.Window) *RowSet {
	words := (w.Addresses + 63) / 64
	return &RowSet{first: w.First, ranks: make([]rank, words)}
}

// occupy notes the addresses of a block.
func (s *RowSet) occupy(b *puzzle.Block) {
	ranks := s.ranks[(b.First-s.first)/64:] // blocks begin at multiples of 64 addresses
	for i, word := range b.Occupied {
		ranks[i].occupied = word
	}
}

// countBefore counts the rows before each 64 addresses.
func (s *RowSet) countBefore() {
	sum := uint32(0)
	for i := range s.ranks {
		s.ranks[i].before = sum
		sum += uint32(bits.OnesCount64(s.ranks[i].occupied))
	}
}

// Bytes returns the memory of the set.
func (s *RowSet) Bytes() uint64 {
	size := rankBytes * uint64(len(s.ranks))
	for _, c := range s.columns {
		size += 8 * uint64(len(c))
	}
	return size
}

// Row returns which row is that of an address; ok is false when it has none.
func (s *RowSet) Row(address uint64) (r int, ok bool) {
	at := address - s.first
	here, bit := s.ranks[at/64], uint64(1)<<(at%64)
	return int(here.before) + bits.OnesCount64(here.occupied&(bit-1)), here.occupied&bit != 0
}

// count returns the count of a row that has its two words in column and the one after it.
func (s *RowSet) count(column, r int) (n uint128.Uint128) {
	if lo := s.columns[column]; r < len(lo) {
		n.Lo = lo[r]
	}
	if hi := s.columns[column+1]; r < len(hi) {
		n.Hi = hi[r]
	}
	return n
}

// rows are those of a finished run, to be looked up: where few are wanted, each in its block alone, and otherwise in
// windows that the cache of the source keeps.
type rows struct {
	puzzle.Source
	few bool
}

// row looks up the row of an address of a cell; ok is false when it has none.
func (in rows) row(
	ctx context.Context, c puzzle.Cell, address uint64,
) (paths, ways uint128.Uint128, ok bool, err error) {
	ws, err := in.Windows(c)
	if err != nil {
		return paths, ways, false, err
	}
	i := slices.IndexFunc(ws, func(w puzzle.Window) bool { return address-w.First < w.Addresses })
	if i < 0 {
		return paths, ways, false, nil
	}
	if in.few {
		err = in.Blocks(ctx, ws[i], address, 1, func(b *puzzle.Block) error {
			var r int
			if r, ok = rowInBlock(b, address); ok {
				paths, ways = counting.Wide(b, columnPaths, r), counting.Wide(b, columnWays, r)
			}
			return nil
		})
		return paths, ways, ok, err
	}
	s, err := LoadRows(ctx, in, ws[i])
	if err != nil {
		return paths, ways, false, err
	}
	r, ok := s.Row(address)
	if !ok {
		return paths, ways, false, nil
	}
	return s.count(columnPaths, r), s.count(columnWays, r), true, nil
}

// rowInBlock returns which row of a block is that of an address; ok is false when it has none.
func rowInBlock(b *puzzle.Block, address uint64) (r int, ok bool) {
	at := address - b.First
	word, bit := b.Occupied[at/64], uint64(1)<<(at%64)
	for _, before := range b.Occupied[:at/64] {
		r += bits.OnesCount64(before)
	}
	return r + bits.OnesCount64(word&(bit-1)), word&bit != 0
}

// paths looks up the paths from an enumeration's start to a position after n jumps.
func (in rows) paths(ctx context.Context, s *counting.Enumeration, p peg.Position, n int) (uint128.Uint128, error) {
	v, address, ok := s.Locate(p, n)
	if !ok {
		return uint128.Uint128{}, nil
	}
	paths, _, _, err := in.row(ctx, puzzle.Cell{Layer: n, Key: s.Key(v)}, address)
	return paths, err
}
