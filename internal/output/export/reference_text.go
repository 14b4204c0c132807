package export

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// parseText reads a table with a header, or a b-file. The first line that is no comment tells which.
func parseText(data []byte) (*Reference, error) {
	first := ""
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			first = line
			break
		}
	}
	switch {
	case first == "":
		return nil, errors.New("it has nothing but comments")
	case first[0] == '|':
		return parseLines(data, markdownFields)
	case strings.Contains(first, "\t") && !isDigits(strings.Fields(first)...):
		return parseCSV(data, '\t')
	case strings.Contains(first, ";"):
		return parseCSV(data, ';')
	case strings.Contains(first, ","):
		return parseCSV(data, ',')
	case isDigits(strings.Fields(first)...):
		return parseBFile(data)
	case len(strings.Fields(first)) > 1:
		return parseLines(data, strings.Fields)
	}
	return nil, fmt.Errorf("%.60q is neither a header of columns nor an index and a value", first)
}

func isDigits(fields ...string) bool {
	for _, f := range fields {
		if f == "" || strings.Trim(f, "0123456789") != "" {
			return false
		}
	}
	return true
}

func parseCSV(data []byte, separator rune) (*Reference, error) {
	in := csv.NewReader(bytes.NewReader(data))
	in.Comma, in.Comment, in.TrimLeadingSpace = separator, '#', separator != '\t'
	header, err := in.Read()
	if err != nil {
		return nil, err
	}
	t := referenceTable{}
	for _, name := range header {
		t.columns = append(t.columns, strings.TrimSpace(name))
	}
	for {
		fields, err := in.Read()
		if errors.Is(err, io.EOF) {
			return &Reference{tables: []referenceTable{t}}, nil
		}
		if err != nil {
			return nil, err
		}
		line, _ := in.FieldPos(0)
		t.add(line, fields)
	}
}

func (t *referenceTable) add(line int, fields []string) {
	row := referenceRow{line: line, values: make([]field, len(fields))}
	for i, f := range fields {
		row.values[i] = field{f, true}
	}
	t.rows = append(t.rows, row)
}

// parseLines reads a table of one row on each line, the columns of which split gives; nil is a line without a row.
func parseLines(data []byte, split func(string) []string) (*Reference, error) {
	t := referenceTable{}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		switch fields := split(line); {
		case fields == nil:
		case t.columns == nil:
			t.columns = fields
		case len(fields) != len(t.columns):
			return nil, fmt.Errorf("line %d: %d columns, and the header has %d", n, len(fields), len(t.columns))
		default:
			t.add(n, fields)
		}
	}
	return &Reference{tables: []referenceTable{t}}, nil
}

// markdownCell undoes the escapes of writeMarkdown. A pipe that is no end of a cell has a backslash before it.
var markdownCell = strings.NewReplacer(`\\`, `\`, `\|`, "|", "<br>", "\n", "&lt;", "<", "&amp;", "&")

// markdownFields are the cells of a line of a Markdown table; nil is the rule below the header.
func markdownFields(line string) (fields []string) {
	line = strings.TrimPrefix(line, "|")
	if strings.Trim(line, "|-: ") == "" && strings.Contains(line, "---") {
		return nil
	}
	from := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '|':
			fields = append(fields, markdownCell.Replace(strings.TrimSpace(line[from:i])))
			from = i + 1
		}
	}
	if rest := strings.TrimSpace(line[from:]); rest != "" {
		fields = append(fields, markdownCell.Replace(rest))
	}
	return fields
}

// parseBFile reads the lines of a b-file, whose indices ascend.
func parseBFile(data []byte) (*Reference, error) {
	t := referenceTable{columns: []string{"n", "a(n)"}}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
			continue
		case len(fields) != 2:
			return nil, fmt.Errorf("line %d: want an index and a value", n)
		}
		for i, f := range fields {
			if !isDigits(f) {
				return nil, fmt.Errorf("line %d: %.60q is not a number", n, f)
			}
			fields[i] = canonical(f)
		}
		if k := len(t.rows); k > 0 {
			switch last := t.rows[k-1].values[0].text; {
			case last == fields[0]:
				return nil, fmt.Errorf("line %d: row %s is there twice", n, last)
			case longer(last, fields[0]):
				return nil, fmt.Errorf("line %d: index %s comes after index %s", n, fields[0], last)
			}
		}
		t.add(n, fields)
	}
	return &Reference{Sequence: true, tables: []referenceTable{t}}, nil
}

// canonical is a number without leading zeros.
func canonical(digits string) string {
	if s := strings.TrimLeft(digits, "0"); s != "" {
		return s
	}
	return "0"
}

// longer reports whether the canonical number a is greater than b.
func longer(a, b string) bool { return len(a) > len(b) || len(a) == len(b) && a > b }
