package main

import (
	"bytes"
	"fmt"
	"text/tabwriter"

	"pagoda/internal/export"
	"pagoda/internal/puzzle"
)

// document is the JSON form of a summary, a contract described in docs/cli.md: the run, the puzzle, its facts in its own
// order, its tables as arrays of objects, and notes when there are any. What was not asked for is absent.
func document(run, name string, s *puzzle.Summary) []byte {
	b := []byte("{\n  \"run\": ")
	b = export.AppendJSON(b, run)
	b = export.AppendJSON(append(b, ",\n  \"puzzle\": "...), name)
	for _, f := range s.Facts {
		b = append(export.AppendJSON(append(b, ",\n  "...), f.Name), ": "...)
		if f.Map == nil {
			b = export.AppendValue(b, f.Kind, f.Value)
			continue
		}
		b = append(b, '{')
		for i, e := range f.Map {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = append(export.AppendJSON(b, e.Key), ": "...)
			b = export.AppendValue(b, f.Kind, puzzle.Value{N: e.Value})
		}
		b = append(b, '}')
	}
	if len(s.Notes) > 0 {
		b = append(b, ",\n  \"notes\": ["...)
		for i, n := range s.Notes {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = export.AppendJSON(b, n)
		}
		b = append(b, ']')
	}
	for _, t := range s.Tables {
		b = append(export.AppendJSON(append(b, ",\n  "...), t.Name), ": ["...)
		for i, row := range t.Rows {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, "\n    {"...)
			for k, c := range t.Columns {
				if k > 0 {
					b = append(b, ", "...)
				}
				b = append(export.AppendJSON(b, c.Name), ": "...)
				b = export.AppendValue(b, c.Kind, row[k])
			}
			b = append(b, '}')
		}
		b = append(b, "\n  ]"...)
	}
	return append(b, "\n}\n"...)
}

// report is a summary for people: what was asked, the tables, the totals, the notes. All digits are there.
func report(run, name string, s *puzzle.Summary) ([]byte, error) {
	var b bytes.Buffer
	head := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintf(head, "run\t%s\npuzzle\t%s\n", run, name)
	for _, f := range s.Facts {
		if f.Kind == puzzle.Text {
			fmt.Fprintf(head, "%s\t%s\n", f.Name, f.Value.S)
		}
	}
	if err := head.Flush(); err != nil {
		return nil, err
	}
	for i := range s.Tables {
		b.WriteByte('\n')
		if err := aligned(&b, &s.Tables[i]); err != nil {
			return nil, err
		}
	}
	totals := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	first := true
	for _, f := range s.Facts {
		if f.Kind == puzzle.Text {
			continue
		}
		if first {
			b.WriteByte('\n')
			first = false
		}
		if f.Map == nil {
			fmt.Fprintf(totals, "%s\t%s\n", f.Name, f.Value.N)
		}
		for i, e := range f.Map {
			label := ""
			if i == 0 {
				label = f.Name
			}
			fmt.Fprintf(totals, "%s\t%s: %s\n", label, e.Key, e.Value)
		}
	}
	if err := totals.Flush(); err != nil {
		return nil, err
	}
	for _, n := range s.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	return b.Bytes(), nil
}

// aligned writes a table with its columns aligned to the right.
func aligned(b *bytes.Buffer, t *puzzle.Table) error {
	w := tabwriter.NewWriter(b, 0, 8, 2, ' ', tabwriter.AlignRight)
	for _, c := range t.Columns {
		fmt.Fprintf(w, "%s\t", c.Name)
	}
	fmt.Fprintln(w)
	for _, row := range t.Rows {
		for i, c := range t.Columns {
			if c.Kind == puzzle.Text {
				fmt.Fprintf(w, "%s\t", row[i].S)
			} else {
				fmt.Fprintf(w, "%s\t", row[i].N)
			}
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
