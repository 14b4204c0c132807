// Package render turns the answers of a run or a question into forms for people and for programs: texts with columns
// that line up, JSON documents, and pictures as characters, SVG or DOT. It knows no puzzle, and opens no file: the
// caller says where the bytes go.
package render

import (
	"bytes"
	"cmp"
	"fmt"
	"text/tabwriter"

	"pagoda/internal/puzzle"
)

// A Sheet is text for people in which cells, ended by tabs, line up in columns. It is written to memory, which takes
// everything: there are no errors to look at.
type Sheet struct {
	Style
	// Explained has the Doc stand beside facts and below tables.
	Explained bool
	buf       bytes.Buffer
	tab       *tabwriter.Writer
}

// Columns begins a block of lines whose columns line up with each other, at their left ends.
func (s *Sheet) Columns() { s.block(0) }

// Numbers begins a block whose columns line up at their right ends.
func (s *Sheet) Numbers() { s.block(tabwriter.AlignRight) }

func (s *Sheet) block(flags uint) {
	s.Flush()
	s.tab = tabwriter.NewWriter(&s.buf, 0, 8, 2, ' ', flags)
}

// Flush ends a block.
func (s *Sheet) Flush() {
	if s.tab != nil {
		_ = s.tab.Flush()
		s.tab = nil
	}
}

// Printf writes to the present block, or plainly where there is none.
func (s *Sheet) Printf(format string, args ...any) {
	if s.tab != nil {
		_, _ = fmt.Fprintf(s.tab, format, args...)
	} else {
		_, _ = fmt.Fprintf(&s.buf, format, args...)
	}
}

// Table writes a table after a blank line, numbers and texts at their right ends.
func (s *Sheet) Table(t *puzzle.Table) {
	s.Numbers()
	s.Printf("\n")
	for _, c := range t.Columns {
		s.Printf("%s\t", c.Name)
	}
	for _, row := range t.Rows {
		s.Printf("\n")
		for i, c := range t.Columns {
			s.Printf("%s\t", s.plain(c.Kind, row[i]))
		}
	}
	s.Printf("\n")
	if s.Explained {
		s.Columns()
		for _, c := range t.Columns {
			s.Printf("  %s:\t%s\n", c.Name, c.Doc)
		}
	}
}

// plain is a value without quotes.
func (st Style) plain(k puzzle.Kind, v puzzle.Value) string {
	if k.Worded() {
		return cmp.Or(v.Shown, v.S)
	}
	return st.digits(v.N.String())
}

// Bytes ends the sheet and returns its text.
func (s *Sheet) Bytes() []byte {
	s.Flush()
	return s.buf.Bytes()
}
