package main

import (
	"bytes"
	"fmt"
	"text/tabwriter"
)

// A sheet is text for people in which cells, ended by tabs, line up in columns. It is written to memory, which takes
// everything: there are no errors to look at.
type sheet struct {
	buf bytes.Buffer
	tab *tabwriter.Writer
}

// columns begins a block of lines whose columns line up with each other, at their left ends.
func (s *sheet) columns() { s.block(0) }

// numbers is columns that line up at their right ends.
func (s *sheet) numbers() { s.block(tabwriter.AlignRight) }

func (s *sheet) block(flags uint) {
	s.flush()
	s.tab = tabwriter.NewWriter(&s.buf, 0, 8, 2, ' ', flags)
}

func (s *sheet) flush() {
	if s.tab != nil {
		_ = s.tab.Flush()
		s.tab = nil
	}
}

// printf writes to the present block, or plainly where there is none.
func (s *sheet) printf(format string, args ...any) {
	if s.tab != nil {
		_, _ = fmt.Fprintf(s.tab, format, args...)
	} else {
		_, _ = fmt.Fprintf(&s.buf, format, args...)
	}
}

// text ends the sheet.
func (s *sheet) text() []byte {
	s.flush()
	return s.buf.Bytes()
}
