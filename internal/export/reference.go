package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"pagoda/internal/puzzle"
)

// ErrReference is wrapped when a reference file cannot be read as what it should be.
var ErrReference = errors.New("not a usable reference file")

// A Reference is what a table and the facts of a run are expected to be, as far as a file says: values are decimal
// digits or text, by column and by the row's first column.
type Reference struct {
	rows  []referenceRow
	facts map[string]string
}

type referenceRow struct {
	key    string // value of the first column
	line   int    // in the file, 0 when it has no lines
	values map[string]string
}

// A Difference is a value that is not what the reference says.
type Difference struct {
	Place     string // "jumps 19, column paths", or the name of a fact
	Have, Own string // in the reference, in the run; "" when there is none
}

func (d Difference) String() string {
	have, own := d.Have, d.Own
	if own == "" {
		own = "absent"
	}
	return fmt.Sprintf("%s: the reference has %s, the run %s", d.Place, have, own)
}

// ReadReference reads a reference for the table t. The content tells its kind:
//
//	{...}        a JSON document such as "run --output json" prints: the array named like the table, and facts
//	a,b,...      CSV with a header; every column must be one of t, the first column of t among them
//	n a(n)       an OEIS b-file with the values of one column, which must be named; # begins a comment
//
// A reference may have fewer columns and rows than the table. Errors wrap ErrReference.
func ReadReference(data []byte, t *puzzle.Table, column string) (*Reference, error) {
	text := bytes.TrimSpace(data)
	first, _, _ := bytes.Cut(text, []byte("\n"))
	var r *Reference
	var err error
	switch {
	case len(text) == 0:
		err = errors.New("it is empty")
	case text[0] == '{':
		r, err = readJSONReference(text, t)
	case bytes.ContainsRune(first, ',') && text[0] != '#':
		r, err = readCSVReference(data, t)
	default:
		r, err = readBFile(text, t, column)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrReference, err)
	}
	return r, nil
}

// Compare returns the values in which the run differs from the reference, in the order of the reference, and the number
// of values that were compared.
func (r *Reference) Compare(t *puzzle.Table, facts []puzzle.Fact) (list []Difference, compared int) {
	key := t.Columns[0]
	rows := make(map[string][]puzzle.Value, len(t.Rows))
	for _, row := range t.Rows {
		rows[digits(key.Kind, row[0])] = row
	}
	for _, want := range r.rows {
		row, ok := rows[want.key]
		for i, c := range t.Columns {
			have, given := want.values[c.Name]
			if !given || i == 0 && ok {
				continue
			}
			compared++
			own := ""
			if ok {
				own = digits(c.Kind, row[i])
			}
			if own != have {
				list = append(list, Difference{fmt.Sprintf("%s %s, column %s", key.Name, want.key, c.Name), have, own})
			}
		}
	}
	for _, f := range facts {
		have, given := r.facts[f.Name]
		if !given || f.Map != nil || f.Kind.Worded() {
			continue
		}
		compared++
		if own := f.Value.N.String(); own != have {
			list = append(list, Difference{f.Name, have, own})
		}
	}
	return list, compared
}

func digits(k puzzle.Kind, v puzzle.Value) string {
	if k.Worded() {
		return v.S
	}
	return v.N.String()
}

func readCSVReference(data []byte, t *puzzle.Table) (*Reference, error) {
	in := csv.NewReader(bytes.NewReader(data))
	header, err := in.Read()
	if err != nil {
		return nil, err
	}
	key := slices.Index(header, t.Columns[0].Name)
	if key < 0 {
		return nil, fmt.Errorf("line 1: no column %s", t.Columns[0].Name)
	}
	for _, name := range header {
		if !slices.ContainsFunc(t.Columns, func(c puzzle.Column) bool { return c.Name == name }) {
			return nil, fmt.Errorf("line 1: the table has no column %q", name)
		}
	}
	r := &Reference{}
	for {
		fields, err := in.Read()
		if errors.Is(err, io.EOF) {
			return r, nil
		}
		if err != nil {
			return nil, err
		}
		line, _ := in.FieldPos(0)
		row := referenceRow{key: fields[key], line: line, values: map[string]string{}}
		for i, name := range header {
			row.values[name] = fields[i]
		}
		if err := r.add(row); err != nil {
			return nil, err
		}
	}
}

// add refuses a row whose key was there before: one of the two would be compared with the wrong row.
func (r *Reference) add(row referenceRow) error {
	for _, other := range r.rows {
		if other.key == row.key {
			return fmt.Errorf("line %d: row %s is there twice", row.line, row.key)
		}
	}
	r.rows = append(r.rows, row)
	return nil
}

func readBFile(text []byte, t *puzzle.Table, column string) (*Reference, error) {
	i, err := Chosen(BFile, t.Columns, column)
	if err != nil {
		return nil, err
	}
	r := &Reference{}
	for n, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if len(fields) != 2 {
			return nil, fmt.Errorf("line %d: want an index and a value", n+1)
		}
		for _, f := range fields {
			if strings.Trim(f, "0123456789") != "" {
				return nil, fmt.Errorf("line %d: %q is not a number", n+1, f)
			}
		}
		row := referenceRow{key: fields[0], line: n + 1, values: map[string]string{t.Columns[i].Name: fields[1]}}
		if err := r.add(row); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func readJSONReference(text []byte, t *puzzle.Table) (*Reference, error) {
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	r := &Reference{facts: map[string]string{}}
	for name, raw := range doc {
		if v, ok := scalar(raw); ok {
			r.facts[name] = v
		}
	}
	raw, ok := doc[t.Name]
	if !ok {
		return nil, fmt.Errorf("it has no array %q", t.Name)
	}
	var rows []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &rows); err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	for i, object := range rows {
		row := referenceRow{line: i + 1, values: map[string]string{}}
		for _, c := range t.Columns {
			raw, given := object[c.Name]
			if !given {
				continue
			}
			v, ok := scalar(raw)
			if !ok {
				return nil, fmt.Errorf("%s, row %d: %s is neither a string nor a whole number", t.Name, i+1, c.Name)
			}
			row.values[c.Name] = v
		}
		if row.key, ok = row.values[t.Columns[0].Name]; !ok {
			return nil, fmt.Errorf("%s, row %d: no %s", t.Name, i+1, t.Columns[0].Name)
		}
		if err := r.add(row); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// scalar reads a JSON string, or a number that is written as digits alone.
func scalar(raw json.RawMessage) (string, bool) {
	if strings.Trim(string(raw), "0123456789") == "" {
		return string(raw), true
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil && raw[0] == '"'
}
