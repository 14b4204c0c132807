package counting

import (
	"context"

	"pagoda/internal/partition"
	"pagoda/internal/puzzle"
)

// A CellReader reads the windows of one cell, each when it is first needed.
type CellReader struct {
	Layout  *partition.Layout
	column  int // of the low words among the columns of its rows
	windows []parentWindow
	spot           // of the vector that is read; zero where the cell has one vector
	last    *Dense // the window used last
	// part, where it is not all of the cell, has the windows that may be read now: see NextPart.
	part       span
	first, end uint64 // addresses of the part
	inParts    bool
}

type parentWindow struct {
	puzzle.Window
	data *Dense // nil until needed
}

// NewCellReader returns a reader of the counts of a cell that begin in its first column.
func NewCellReader(in puzzle.Source, c puzzle.Cell, l *partition.Layout) (*CellReader, error) {
	r := &CellReader{}
	return r, r.open(in, c, l)
}

// open looks up the windows of the cell.
func (r *CellReader) open(in puzzle.Source, c puzzle.Cell, l *partition.Layout) error {
	ws, err := in.Windows(c)
	if err != nil {
		return err
	}
	r.Layout = l
	for _, w := range ws {
		r.windows = append(r.windows, parentWindow{Window: w})
	}
	return nil
}

// openVector makes ready to read a vector of a cell of several. Its addresses are those of a window.
func (r *CellReader) openVector(ctx context.Context, in puzzle.Source, g *Enumeration) error {
	j, err := g.loadJoint(ctx, in, r.cell)
	if err != nil {
		return err
	}
	v := r.vectors[r.index]
	r.Layout = g.Space.Layout(v)
	w := puzzle.Window{Cell: r.id, Addresses: r.Layout.Addresses()}
	r.windows = []parentWindow{{w, j.parts[r.index]}}
	return nil
}

// Window returns the cell's window that holds an address, loading it when it is met first. A stretch never crosses a
// window.
func (r *CellReader) Window(ctx context.Context, in puzzle.Source, address uint64) (*Dense, error) {
	if d := r.last; d != nil && d.holds(address) {
		return d, nil
	}
	w := r.find(address)
	if w.data == nil {
		var err error
		if w.data, err = loadDense(ctx, in, w.Window, r.Layout, r.column); err != nil {
			return nil, err
		}
	}
	r.last = w.data
	return w.data, nil
}

// NextPart forgets the windows that have been read and goes on to the next part of the cell: as many windows as have so
// many addresses together, at least one. It reports false when there is none. Addresses Outside the part must not be
// read. Windows that are known not to be wanted are passed over.
func (r *CellReader) NextPart(addresses uint64, wanted func(puzzle.Window) bool) bool {
	r.forget()
	r.inParts = true
	from, total := r.part.to, uint64(0)
	r.part = span{from, from}
	for ; r.part.to < len(r.windows); r.part.to++ {
		w := &r.windows[r.part.to]
		if wanted != nil && !wanted(w.Window) {
			continue
		}
		if total > 0 && total+w.Addresses > addresses {
			break
		}
		total += w.Addresses
	}
	if total == 0 {
		return false
	}
	last := &r.windows[r.part.to-1]
	r.first, r.end = r.windows[from].First, last.First+last.Addresses
	return true
}

// Outside reports whether an address is outside the part of the cell that is being read.
func (r *CellReader) Outside(address uint64) bool {
	return r.inParts && (address < r.first || address >= r.end)
}

// forget drops the windows that have been read.
func (r *CellReader) forget() {
	for i := r.part.from; i < r.part.to && r.cell == nil; i++ {
		r.windows[i].data = nil
	}
	r.last = nil
}

// find returns the cell's window that holds an address.
func (r *CellReader) find(address uint64) *parentWindow {
	i, j := 0, len(r.windows)
	for j-i > 1 {
		m := (i + j) / 2
		if r.windows[m].First <= address {
			i = m
		} else {
			j = m
		}
	}
	return &r.windows[i]
}

// livePrefixes returns the marks of the cell's prefixes, if all of them are in one window and that has been loaded.
func (r *CellReader) livePrefixes() marks {
	if len(r.windows) != 1 || r.windows[0].data == nil {
		return nil
	}
	return r.windows[0].data.prefixes
}

// isDead reports whether a prefix of the parent is known to have no rows: half of those that a kernel meets have none.
func (r *CellReader) isDead(prefix *partition.Prefix) bool {
	d := r.last
	if d == nil || !d.holds(prefix.Base) {
		d = r.find(prefix.Base).data
	}
	return d != nil && prefix.Base+prefix.Addresses <= d.First+d.Addresses &&
		!d.anyLive(prefix.Base-d.First, prefix.Addresses)
}
