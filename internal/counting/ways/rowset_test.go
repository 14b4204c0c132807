package ways

import (
	"context"
	"math/rand/v2"
	"testing"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/puzzletest"
	"pagoda/internal/puzzle/uint128"
)

// blockSource is a source of one window.
type blockSource struct {
	*puzzletest.Memory
	w      puzzle.Window
	blocks []puzzle.Block
}

func (s blockSource) Blocks(
	_ context.Context, _ puzzle.Window, first, addresses uint64, fn func(*puzzle.Block) error,
) error {
	for i := range s.blocks {
		if b := &s.blocks[i]; b.First >= first+addresses || b.First+uint64(b.Addresses) <= first {
			continue
		}
		if err := fn(&s.blocks[i]); err != nil {
			return err
		}
	}
	return nil
}

// Windows is the one window.
func (s blockSource) Windows(puzzle.Cell) ([]puzzle.Window, error) { return []puzzle.Window{s.w}, nil }

// Rows are found in windows of several blocks, of which some are missing and some have columns that others lack, and in
// a block alone.
func TestRowSet(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	w := puzzle.Window{Cell: puzzle.Cell{Key: "a"}, First: 1000, Addresses: 5*puzzle.BlockAddresses - 77}
	type counts struct{ paths, ways uint128.Uint128 }
	want := map[uint64]counts{}
	s := blockSource{Memory: puzzletest.New(puzzletest.Options{}), w: w}
	for i, columns := range []int{2, 4, 0, 1, 3} {
		if columns == 0 {
			continue
		}
		b := puzzle.Block{First: w.First + uint64(i)*puzzle.BlockAddresses, Addresses: puzzle.BlockAddresses}
		b.Addresses = min(b.Addresses, int(w.First+w.Addresses-b.First))
		b.Occupied, b.Columns = make([]uint64, (b.Addresses+63)/64), make([][]uint64, columns)
		for address := 0; address < b.Addresses; address += 1 + random.IntN(50) {
			b.Occupied[address/64] |= 1 << (address % 64)
			var n [4]uint64
			for c := range b.Columns {
				n[c] = random.Uint64()
				b.Columns[c] = append(b.Columns[c], n[c])
			}
			want[b.First+uint64(address)] = counts{uint128.Uint128{Lo: n[0], Hi: n[1]}, uint128.Uint128{Lo: n[2], Hi: n[3]}}
		}
		s.blocks = append(s.blocks, b)
	}
	set, err := LoadRows(context.Background(), s, w)
	if err != nil {
		t.Fatal(err)
	}
	for address := w.First; address < w.First+w.Addresses; address++ {
		r, ok := set.Row(address)
		c, there := want[address]
		if ok != there {
			t.Fatalf("address %d: row %v, want %v", address, ok, there)
		}
		if ok && (set.count(columnPaths, r) != c.paths || set.count(columnWays, r) != c.ways) {
			t.Fatalf("address %d: %v and %v, want %v", address, set.count(columnPaths, r), set.count(columnWays, r), c)
		}
		paths, ways, ok, err := rows{s, true}.row(t.Context(), w.Cell, address)
		if err != nil || ok != there || paths != c.paths || ways != c.ways {
			t.Fatalf("address %d alone: %v and %v, %v, %v, want %v", address, paths, ways, ok, err, c)
		}
	}
}
