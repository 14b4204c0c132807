// Package export writes tables for people and for other programs: CSV, JSON lines, Parquet, Markdown and OEIS
// b-files.
//
// Exactness is the point. A count can have 39 digits, and most readers of most formats would silently round it to a
// double. So each format carries counts in a way that survives:
//
//	csv      plain decimal digits; tell the reader that the columns are text or DECIMAL(38,0)
//	jsonl    decimal strings; small numbers (kind puzzle.Number) are JSON numbers
//	parquet  INT64 where every value surely fits, DECIMAL(38,0) where all have at most 38 digits, otherwise text; never
//	         a double
//	markdown plain decimal digits
//	bfile    "n a(n)" in decimal digits
//
// Output depends on the rows and the options alone, and that of Parquet, which names who wrote it, on the build of the
// program. Rows are streamed; memory does not grow with them.
package export

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
)

// A Format names a way to write a table.
type Format string

// The formats.
const (
	CSV      Format = "csv"
	JSONL    Format = "jsonl"
	Parquet  Format = "parquet"
	Markdown Format = "markdown"
	BFile    Format = "bfile"
)

// Formats lists every format.
func Formats() []Format { return []Format{CSV, JSONL, Parquet, Markdown, BFile} }

// ErrFormat is wrapped by errors that a different choice of format or column avoids.
var ErrFormat = errors.New("cannot be written in this format")

// Rows is a table that is produced row by row. Each may be called more than once and gives the same rows each time; the
// row passed to emit is valid until emit returns.
type Rows struct {
	Columns []puzzle.Column
	Each    func(emit func(row []puzzle.Value) error) error
}

// FromTable makes Rows of a table in memory.
func FromTable(t *puzzle.Table) Rows {
	return Rows{Columns: t.Columns, Each: func(emit func([]puzzle.Value) error) error {
		for _, r := range t.Rows {
			if err := emit(r); err != nil {
				return err
			}
		}
		return nil
	}}
}

// Options are settings of single formats.
type Options struct {
	// Column is the one column that a b-file shows.
	Column string
	// Origin says where a Parquet file comes from, in its metadata, beside the version of the program.
	Origin []Note
}

// A Note is an entry of the metadata of a file; there its name begins with "pagoda.".
type Note struct{ Name, Text string }

// Write writes rows to w. Errors of w and of rows.Each are returned as they are; ErrFormat is wrapped when the rows
// do not suit the format.
func Write(w io.Writer, f Format, rows Rows, o Options) error {
	if err := Suits(f, rows.Columns, o); err != nil {
		return err
	}
	rows = checked(rows)
	switch f {
	case CSV:
		return writeCSV(w, rows)
	case JSONL:
		return writeJSONL(w, rows)
	case Parquet:
		return writeParquet(w, rows, o.Origin)
	case Markdown:
		return writeMarkdown(w, rows)
	default:
		return writeBFile(w, rows, o)
	}
}

// Suits says whether a table with these columns can be written in format f, before any of it is.
func Suits(f Format, columns []puzzle.Column, o Options) error {
	if !slices.Contains(Formats(), f) {
		return fmt.Errorf("format %q is not one of %v: %w", f, Formats(), ErrFormat)
	}
	if f != BFile {
		return nil
	}
	_, err := Chosen(BFile, columns, o.Column)
	return err
}

// Chosen returns the index of the column that a form of one column shows over the first, which must be small numbers.
// Only a b-file must be told which; elsewhere "" is the first Count. Errors wrap ErrFormat.
func Chosen(f Format, columns []puzzle.Column, name string) (int, error) {
	if len(columns) < 2 || columns[0].Kind != puzzle.Number {
		return 0, fmt.Errorf("%s: the table does not begin with a column of small numbers: %w", f, ErrFormat)
	}
	var names []string
	first := -1
	for i, c := range columns[1:] {
		if c.Kind.Worded() {
			continue
		}
		if c.Name == name {
			return i + 1, nil
		}
		if first < 0 && c.Kind == puzzle.Count {
			first = i + 1
		}
		names = append(names, c.Name)
	}
	if name == "" && f != BFile && first >= 0 {
		return first, nil
	}
	what := fmt.Sprintf("there is no column %.60q", name)
	if name == "" {
		what = "one column must be named"
	}
	return 0, fmt.Errorf("%s: %s; choose one of %s: %w", f, what, strings.Join(names, ", "), ErrFormat)
}

// maxNumber is the largest integer that a double holds exactly with all its smaller neighbours; every JSON reader takes
// it.
const maxNumber = 1<<53 - 1

// checked makes sure that each row has its columns and that a Number is small.
func checked(rows Rows) Rows {
	return Rows{Columns: rows.Columns, Each: func(emit func([]puzzle.Value) error) error {
		n := 0
		return rows.Each(func(row []puzzle.Value) error {
			if len(row) != len(rows.Columns) {
				return fmt.Errorf("row %d has %d fields for %d columns", n, len(row), len(rows.Columns))
			}
			for i, c := range rows.Columns {
				if c.Kind == puzzle.Number && row[i].N.Cmp(uint128.From(maxNumber)) > 0 {
					return fmt.Errorf("row %d: %s is %v, too large for a column of small numbers: %w", n, c.Name, row[i].N, ErrFormat)
				}
			}
			n++
			return emit(row)
		})
	}}
}
