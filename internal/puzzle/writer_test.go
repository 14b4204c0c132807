package puzzle

import (
	"math/rand/v2"
	"slices"
	"testing"
)

type blocksOf []*Block

func (s *blocksOf) Block(b *Block) error {
	*s = append(*s, b.Clone())
	return nil
}

// TestWriter: rows come back at their addresses from well-formed blocks, whether full, empty or the last one. Columns
// that are zero to the end of a block are absent.
func TestWriter(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	w := Window{Cell: Cell{1, "a"}, First: 1000, Addresses: 5*BlockAddresses - 77}
	want := map[uint64][3]uint64{}
	var got blocksOf
	x := NewWriter(w, &got)
	for i := uint64(0); i < w.Addresses; i++ {
		var row [3]uint64
		switch i / BlockAddresses { // by block: all columns, none, no rows at all, two columns, one row alone
		case 0:
			row = [3]uint64{random.Uint64N(2), random.Uint64N(3), 1}
		case 2:
			continue
		case 3:
			row[1] = i % 2
		case 4:
			if i != w.Addresses-1 {
				continue
			}
		}
		want[w.First+i] = row
		if err := x.Row(w.First+i, row[:]...); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := x.Flush(); err != nil { // of nothing
		t.Fatal(err)
	}
	var columns []int
	for _, b := range got {
		if err := b.Check(w); err != nil {
			t.Fatal(err)
		}
		columns = append(columns, len(b.Columns))
		r := 0
		for i := range uint64(b.Addresses) {
			if b.Occupied[i/64]>>(i%64)&1 == 0 {
				continue
			}
			var row [3]uint64
			for c := range b.Columns {
				row[c] = b.Columns[c][r]
			}
			if have, ok := want[b.First+i]; !ok || row != have {
				t.Fatalf("address %d: row %v, want %v, %v", b.First+i, row, have, ok)
			}
			delete(want, b.First+i)
			r++
		}
	}
	if len(want) > 0 || !slices.Equal(columns, []int{3, 0, 2, 0}) {
		t.Errorf("%d rows are missing; %v columns", len(want), columns)
	}
}
