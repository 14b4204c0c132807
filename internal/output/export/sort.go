package export

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// A Sorter puts the rows of a table into the order of their first column: numbers by value, texts by length and then
// byte by byte, which for numbers written in one base is their order too. Rows that are equal there keep the order in
// which they came.
//
// A store keeps rows in the order of its addresses, which means nothing to people. Rows that do not fit in memory are
// sorted in pieces on disk and merged.
type Sorter struct {
	columns []puzzle.Column
	dir     string
	limit   int // bytes of rows held in memory

	arena []byte // encoded rows, one behind the other
	index []int  // where they begin
	file  *os.File
	runs  []run // sorted pieces of the file
	size  int64
}

type run struct{ from, bytes int64 }

// NewSorter sorts rows with these columns in about limit bytes of memory, and else in a file without a name in dir:
// nothing is left behind, however the process ends.
func NewSorter(columns []puzzle.Column, dir string, limit int) *Sorter {
	return &Sorter{columns: columns, dir: dir, limit: limit}
}

// Add takes a row.
func (s *Sorter) Add(row []puzzle.Value) error {
	if len(s.arena)+8*len(s.index) >= s.limit && len(s.index) > 0 {
		if err := s.spill(); err != nil {
			return fmt.Errorf("sort in folder %s: %w", s.dir, plain(err))
		}
	}
	s.index = append(s.index, len(s.arena))
	at := len(s.arena)
	s.arena = append(s.arena, 0, 0, 0, 0) // length of the row, these four bytes not counted
	for i, c := range s.columns {
		if c.Kind.Worded() {
			s.arena = binary.AppendUvarint(s.arena, uint64(len(row[i].S)))
			s.arena = append(s.arena, row[i].S...)
			continue
		}
		s.arena = binary.AppendUvarint(s.arena, row[i].N.Hi)
		s.arena = binary.AppendUvarint(s.arena, row[i].N.Lo)
	}
	binary.LittleEndian.PutUint32(s.arena[at:], uint32(len(s.arena)-at-4))
	return nil
}

// Rows returns the rows that were added, sorted, until Close.
func (s *Sorter) Rows() Rows {
	s.sort()
	return Rows{Columns: s.columns, Each: s.each}
}

// Close closes the file.
func (s *Sorter) Close() error {
	s.arena, s.index, s.runs = nil, nil, nil
	if s.file == nil {
		return nil
	}
	f := s.file
	s.file = nil
	return f.Close()
}

// row returns the encoded row that begins at the given place of the arena, without its length.
func (s *Sorter) row(at int) []byte {
	n := int(binary.LittleEndian.Uint32(s.arena[at:]))
	return s.arena[at+4 : at+4+n]
}

func (s *Sorter) sort() {
	slices.SortStableFunc(s.index, func(a, b int) int { return s.compare(s.row(a), s.row(b)) })
}

// compare orders two encoded rows by their first column.
func (s *Sorter) compare(a, b []byte) int {
	x, n := binary.Uvarint(a)
	y, m := binary.Uvarint(b)
	a, b = a[n:], b[m:]
	if x != y {
		return cmp.Compare(x, y) // a longer text, a larger high word
	}
	if s.columns[0].Kind.Worded() {
		return bytes.Compare(a[:x], b[:y])
	}
	x, _ = binary.Uvarint(a)
	y, _ = binary.Uvarint(b)
	return cmp.Compare(x, y)
}

// spill writes the rows in memory to the file, sorted.
func (s *Sorter) spill() error {
	if s.file == nil {
		f, err := os.CreateTemp(s.dir, ".sort-*")
		if err != nil {
			return err
		}
		if err := os.Remove(f.Name()); err != nil {
			return errors.Join(err, f.Close())
		}
		s.file = f
	}
	s.sort()
	w := bufio.NewWriterSize(s.file, 1<<18)
	for _, at := range s.index {
		if _, err := w.Write(s.arena[at : at+4+len(s.row(at))]); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	s.runs = append(s.runs, run{s.size, int64(len(s.arena))})
	s.size += int64(len(s.arena))
	s.arena, s.index = s.arena[:0], s.index[:0]
	return nil
}

// each passes the rows of all runs, and of the memory as the last of them, in order.
func (s *Sorter) each(emit func(row []puzzle.Value) error) error {
	m := merge{less: s.compare}
	for i, r := range s.runs {
		m.heads = append(m.heads, &head{order: i, next: reader(s.file, r)})
	}
	left := s.index
	m.heads = append(m.heads, &head{order: len(s.runs), next: func() ([]byte, error) {
		if len(left) == 0 {
			return nil, io.EOF
		}
		at := left[0]
		left = left[1:]
		return s.row(at), nil
	}})
	if err := m.begin(); err != nil {
		return fmt.Errorf("sort in folder %s: %w", s.dir, plain(err))
	}
	row := make([]puzzle.Value, len(s.columns))
	for len(m.heads) > 0 {
		s.decode(m.heads[0].row, row)
		if err := emit(row); err != nil {
			return err
		}
		if err := m.advance(); err != nil {
			return fmt.Errorf("sort in folder %s: %w", s.dir, plain(err))
		}
	}
	return nil
}

func (s *Sorter) decode(b []byte, row []puzzle.Value) {
	for i, c := range s.columns {
		x, n := binary.Uvarint(b)
		b = b[n:]
		if c.Kind.Worded() {
			row[i].S = string(b[:x])
			b = b[x:]
			continue
		}
		y, n := binary.Uvarint(b)
		b = b[n:]
		row[i].N = uint128.Uint128{Hi: x, Lo: y}
	}
}

// reader returns the encoded rows of a run one by one, each valid until the next. A file that has become shorter is an
// error, not an end.
func reader(f *os.File, r run) func() ([]byte, error) {
	in := bufio.NewReaderSize(io.NewSectionReader(f, r.from, r.bytes), 1<<17)
	left := r.bytes
	var buf []byte
	return func() ([]byte, error) {
		if left == 0 {
			return nil, io.EOF
		}
		var size [4]byte
		if _, err := io.ReadFull(in, size[:]); err != nil {
			return nil, io.ErrUnexpectedEOF
		}
		n := int(binary.LittleEndian.Uint32(size[:]))
		buf = slices.Grow(buf[:0], n)[:n]
		if _, err := io.ReadFull(in, buf); err != nil {
			return nil, io.ErrUnexpectedEOF
		}
		left -= int64(len(size) + n)
		return buf, nil
	}
}

// A head is the first row of a run that has not been passed on.
type head struct {
	row   []byte
	order int
	next  func() ([]byte, error)
}

// merge is a heap of heads.
type merge struct {
	heads []*head
	less  func(a, b []byte) int
}

func (m *merge) begin() error {
	all := m.heads
	m.heads = nil
	for _, h := range all {
		switch row, err := h.next(); {
		case err == nil:
			h.row = row
			m.heads = append(m.heads, h)
		case !errors.Is(err, io.EOF):
			return err
		}
	}
	heap.Init(m)
	return nil
}

// advance replaces the first head by its successor.
func (m *merge) advance() error {
	row, err := m.heads[0].next()
	switch {
	case err == nil:
		m.heads[0].row = row
		heap.Fix(m, 0)
	case errors.Is(err, io.EOF):
		heap.Pop(m)
	default:
		return err
	}
	return nil
}

func (m *merge) Len() int      { return len(m.heads) }
func (m *merge) Swap(i, j int) { m.heads[i], m.heads[j] = m.heads[j], m.heads[i] }
func (m *merge) Less(i, j int) bool {
	if c := m.less(m.heads[i].row, m.heads[j].row); c != 0 {
		return c < 0
	}
	return m.heads[i].order < m.heads[j].order
}
func (m *merge) Push(x any) { m.heads = append(m.heads, x.(*head)) }
func (m *merge) Pop() any {
	last := m.heads[len(m.heads)-1]
	m.heads = m.heads[:len(m.heads)-1]
	return last
}
