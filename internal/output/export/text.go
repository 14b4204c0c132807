package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"pagoda/internal/puzzle"
)

// writeCSV writes a header and the rows as RFC 4180 has it, but with bare line feeds.
func writeCSV(w io.Writer, rows Rows) error {
	var line []byte
	for i, c := range rows.Columns {
		if i > 0 {
			line = append(line, ',')
		}
		line = appendCSV(line, c.Name)
	}
	if _, err := w.Write(append(line, '\n')); err != nil {
		return err
	}
	return rows.Each(func(row []puzzle.Value) error {
		line = line[:0]
		for i, c := range rows.Columns {
			if i > 0 {
				line = append(line, ',')
			}
			if c.Kind.Worded() {
				line = appendCSV(line, row[i].S)
			} else {
				line = row[i].N.AppendText10(line)
			}
		}
		_, err := w.Write(append(line, '\n'))
		return err
	})
}

// appendCSV appends one field of text, quoted where a reader could mistake it. encoding/csv would do as well, at the
// price of one string for each number of each row.
func appendCSV(b []byte, s string) []byte {
	if s != "" && !strings.ContainsAny(s, "\",\r\n") && s[0] != ' ' && s[len(s)-1] != ' ' {
		return append(b, s...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(s, `"`, `""`)...)
	return append(b, '"')
}

// writeJSONL writes one object on each line, fields in the order of the columns.
func writeJSONL(w io.Writer, rows Rows) error {
	names := make([][]byte, len(rows.Columns))
	for i, c := range rows.Columns {
		names[i] = append(AppendJSON(nil, c.Name), ':')
	}
	var line []byte
	return rows.Each(func(row []puzzle.Value) error {
		line = append(line[:0], '{')
		for i, c := range rows.Columns {
			if i > 0 {
				line = append(line, ',')
			}
			line = append(line, names[i]...)
			line = AppendValue(line, c.Kind, row[i])
		}
		_, err := w.Write(append(line, '}', '\n'))
		return err
	})
}

// AppendValue appends the JSON form of a value: a Number as a number, a Count as a string of digits, a Text as a
// string, a Double as a number.
func AppendValue(b []byte, k puzzle.Kind, v puzzle.Value) []byte {
	switch k {
	case puzzle.Number:
		return v.N.AppendText10(b)
	case puzzle.Count:
		return append(v.N.AppendText10(append(b, '"')), '"')
	case puzzle.Double:
		return append(b, v.S...)
	}
	return AppendJSON(b, v.S)
}

// AppendJSON appends s as a JSON string.
func AppendJSON(b []byte, s string) []byte {
	plain := true
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			plain = false
			break
		}
	}
	if plain {
		return append(append(append(b, '"'), s...), '"')
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // so that an address can be copied as it is
	if err := e.Encode(s); err != nil {
		panic(err) // a string always has a JSON form
	}
	return append(b, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
}

// writeMarkdown writes a table with pipes; numbers are aligned to the right.
func writeMarkdown(w io.Writer, rows Rows) error {
	var head, rule strings.Builder
	for _, c := range rows.Columns {
		head.WriteString("| " + c.Name + " ")
		if c.Kind == puzzle.Text {
			rule.WriteString("| --- ")
		} else {
			rule.WriteString("| ---: ")
		}
	}
	if _, err := io.WriteString(w, head.String()+"|\n"+rule.String()+"|\n"); err != nil {
		return err
	}
	cell := strings.NewReplacer("\\", "\\\\", "|", "\\|", "\n", "<br>", "<", "&lt;", "&", "&amp;")
	var line []byte
	return rows.Each(func(row []puzzle.Value) error {
		line = line[:0]
		for i, c := range rows.Columns {
			line = append(line, "| "...)
			if c.Kind.Worded() {
				line = append(line, cell.Replace(row[i].S)...)
			} else {
				line = row[i].N.AppendText10(line)
			}
			line = append(line, ' ')
		}
		_, err := w.Write(append(line, "|\n"...))
		return err
	})
}

// writeBFile writes the lines "n a(n)" of an OEIS b-file: n is the first column, ascending by one.
func writeBFile(w io.Writer, rows Rows, o Options) error {
	col, err := Chosen(BFile, rows.Columns, o.Column)
	if err != nil {
		return err
	}
	var line []byte
	var last uint64
	first := true
	return rows.Each(func(row []puzzle.Value) error {
		n := row[0].N.Lo
		if !first && n != last+1 {
			return fmt.Errorf("bfile: %s goes from %d to %d, and a b-file has no gaps: %w",
				rows.Columns[0].Name, last, n, ErrFormat)
		}
		first, last = false, n
		line = append(row[0].N.AppendText10(line[:0]), ' ')
		_, err := w.Write(append(row[col].N.AppendText10(line), '\n'))
		return err
	})
}
