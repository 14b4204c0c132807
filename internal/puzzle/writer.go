package puzzle

import "slices"

// A Writer writes the rows of a window in the order of their addresses, and makes the blocks of them.
type Writer struct {
	window Window
	out    Sink
	block  Block
	rows   int // of the block
}

// NewWriter returns a writer of the rows of w.
func NewWriter(w Window, out Sink) *Writer { return &Writer{window: w, out: out} }

// Row writes a row. All rows of a window have as many values, one for each column.
func (x *Writer) Row(address uint64, values ...uint64) error {
	b := &x.block
	if x.rows > 0 && address-b.First >= uint64(b.Addresses) {
		if err := x.Flush(); err != nil {
			return err
		}
	}
	if x.rows == 0 {
		at := (address - x.window.First) / BlockAddresses * BlockAddresses
		b.First, b.Addresses = x.window.First+at, int(min(BlockAddresses, x.window.Addresses-at))
		b.Occupied = slices.Grow(b.Occupied[:0], BlockAddresses/64)[:(b.Addresses+63)/64]
		clear(b.Occupied)
		b.Columns = slices.Grow(b.Columns[:0], len(values))[:len(values)]
		for c := range b.Columns {
			b.Columns[c] = b.Columns[c][:0]
		}
	}
	i := address - b.First
	b.Occupied[i/64] |= 1 << (i % 64)
	for c, v := range values {
		b.Columns[c] = append(b.Columns[c], v)
	}
	x.rows++
	return nil
}

// Flush writes the rows that are not in a block yet. It is called after the last row.
func (x *Writer) Flush() error {
	if x.rows == 0 {
		return nil
	}
	x.rows = 0
	b := x.block // less the columns at its end that are all zero
	for n := len(b.Columns); n > 0 && !slices.ContainsFunc(b.Columns[n-1], func(v uint64) bool { return v != 0 }); n-- {
		b.Columns = b.Columns[:n-1]
	}
	return x.out.Block(&b)
}
