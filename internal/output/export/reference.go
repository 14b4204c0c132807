package export

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// ErrReference is wrapped when a reference cannot be read, or has nothing in common with a run.
var ErrReference = errors.New("not a usable reference file")

// A Reference holds the tables and facts of a run as a file gives them. Its values are as they are written there.
type Reference struct {
	// Sequence says that it is a b-file: its one table has an index and a value in each row, and no names of columns.
	Sequence bool
	tables   []referenceTable
	facts    map[string]string
}

// A referenceTable has the columns that the file names. Its name is "" where the file names no table.
type referenceTable struct {
	name    string
	columns []string
	rows    []referenceRow
}

type referenceRow struct {
	line   int     // in the file, or the number of the row where the file has no lines
	values []field // by column; those that are missing in the end are not given
}

// A field is a value, or none.
type field struct {
	text  string
	given bool
}

// maxFields bounds the values of a reference: a small Parquet file can hold very many.
const maxFields = 1 << 25

var (
	utf8Mark   = []byte("\xef\xbb\xbf")
	utf16Marks = [][]byte{{0xff, 0xfe}, {0xfe, 0xff}}
	parquetTag = []byte("PAR1")
)

// ReadReference reads a reference. The content tells its kind:
//
//	PAR1...      Parquet
//	{...}        a JSON document such as "run --output json" prints, with facts and tables by name
//	{...}\n{...} JSON lines, or an array of such objects: the rows of one table
//	| a | b |    Markdown
//	a,b          CSV with a header; semicolons, tabs and blanks separate columns as well
//	n a(n)       an OEIS b-file: an index and a value on each line
//
// In all texts # begins a line of comment, and blank lines, carriage returns and a byte order mark are of no account.
// Errors wrap ErrReference.
func ReadReference(data []byte) (*Reference, error) {
	r, err := parseReference(data)
	if err == nil {
		err = r.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrReference, err)
	}
	return r, nil
}

func parseReference(data []byte) (*Reference, error) {
	if bytes.HasPrefix(data, parquetTag) {
		return parseParquet(data)
	}
	for _, mark := range utf16Marks {
		if bytes.HasPrefix(data, mark) {
			return nil, errors.New("it is UTF-16: save it as UTF-8")
		}
	}
	data = bytes.ReplaceAll(bytes.TrimPrefix(data, utf8Mark), []byte("\r\n"), []byte("\n"))
	switch text := bytes.TrimSpace(data); {
	case len(text) == 0:
		return nil, errors.New("it is empty")
	case text[0] == '{' || text[0] == '[':
		return parseJSON(text)
	case text[0] == '<':
		return nil, errors.New("it is a picture or a page, which has no table to read")
	}
	return parseText(data)
}

// check refuses columns that are there twice.
func (r *Reference) check() error {
	for _, t := range r.tables {
		for i, name := range t.columns {
			if slices.Contains(t.columns[:i], name) {
				return fmt.Errorf("two columns are named %.60q", name)
			}
		}
	}
	return nil
}

// Tables lists the tables by name; one whose name the file does not say is "".
func (r *Reference) Tables() (names []string) {
	for _, t := range r.tables {
		names = append(names, t.name)
	}
	return names
}

// First is the text of the first row of a table in a column; "" where there is none.
func (r *Reference) First(table, column string) string {
	for _, t := range r.tables {
		if i := slices.Index(t.columns, column); t.name == table && i >= 0 && len(t.rows) > 0 && i < len(t.rows[0].values) {
			return t.rows[0].values[i].text
		}
	}
	return ""
}

// Columns are the columns of a table; nil of a b-file, which does not name them.
func (r *Reference) Columns(table string) []string {
	if r.Sequence {
		return nil
	}
	for _, t := range r.tables {
		if t.name == table {
			return t.columns
		}
	}
	return nil
}
