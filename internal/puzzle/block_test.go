package puzzle

import (
	"strings"
	"testing"
)

func TestBlockCheck(t *testing.T) {
	w := Window{Cell: Cell{1, "a"}, First: 100, Addresses: BlockAddresses + 70}
	good := func() *Block { // the second block: 70 addresses, rows at the first and the last
		return &Block{First: 100 + BlockAddresses, Addresses: 70, Occupied: []uint64{1, 1 << 5}, Columns: [][]uint64{{5, 6}}}
	}
	if err := good().Check(w); err != nil {
		t.Fatal(err)
	}
	if b := good(); b.Rows() != 2 || b.Column(0)[1] != 6 || b.Column(1) != nil {
		t.Errorf("rows %d, columns %v %v", b.Rows(), b.Column(0), b.Column(1))
	}
	for want, change := range map[string]func(*Block){
		"does not belong":  func(b *Block) { b.First++ },
		"belong to window": func(b *Block) { b.First = 0 },
		"want 70":          func(b *Block) { b.Addresses = 71 },
		"occupancy words":  func(b *Block) { b.Occupied = b.Occupied[:1] },
		"past its last":    func(b *Block) { b.Occupied[1] = 1 << 6 },
		"has no rows":      func(b *Block) { clear(b.Occupied) },
		"for 2 rows":       func(b *Block) { b.Columns[0] = b.Columns[0][:1] },
	} {
		b := good()
		change(b)
		if err := b.Check(w); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}
