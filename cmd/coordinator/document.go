package main

import (
	"pagoda/internal/export"
	"pagoda/internal/puzzle"
)

// document is the JSON form of a summary, a contract described in docs/cli.md: the run, the puzzle, its facts in its
// own order, its tables as arrays of objects, and notes when there are any. What was not asked for is absent.
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

// What a report shows in full; all boards have fewer layers.
const (
	reportRows    = 128 // rows of a table
	reportEntries = 32  // entries of a fact that is a map
)

// report is a summary for people: what was asked, the tables, the totals, the notes. All digits are there. Of what is
// too long to be read it says where it is.
func report(run, name string, sum *puzzle.Summary) []byte {
	var s sheet
	s.columns()
	s.printf("run\t%s\npuzzle\t%s\n", run, name)
	totals := false
	for _, f := range sum.Facts {
		if f.Kind == puzzle.Text {
			s.printf("%s\t%s\n", f.Name, f.Value.S)
		} else {
			totals = true
		}
	}
	for i := range sum.Tables {
		t := &sum.Tables[i]
		if len(sum.Tables) > 1 {
			s.flush()
			s.printf("\ntable %s, %d rows", t.Name, len(t.Rows))
			if len(t.Rows) > reportRows {
				s.printf(": too long to show; it is in the json document, and export --table %s writes it\n", t.Name)
				continue
			}
			s.printf("\n")
		}
		s.table(t)
	}
	s.columns()
	if totals {
		s.printf("\n")
	}
	for _, f := range sum.Facts {
		switch {
		case f.Kind == puzzle.Text:
		case f.Map == nil:
			s.printf("%s\t%s\n", f.Name, f.Value.N)
		case len(f.Map) > reportEntries:
			s.printf("%s\t%d entries, too many to show; they are in the json document\n", f.Name, len(f.Map))
		default:
			label := f.Name
			for _, e := range f.Map {
				s.printf("%s\t%s: %s\n", label, e.Key, e.Value)
				label = ""
			}
		}
	}
	s.flush()
	for _, n := range sum.Notes {
		s.printf("note: %s\n", n)
	}
	return s.text()
}

// table writes a table after a blank line.
func (s *sheet) table(t *puzzle.Table) {
	s.numbers()
	s.printf("\n")
	for _, c := range t.Columns {
		s.printf("%s\t", c.Name)
	}
	for _, row := range t.Rows {
		s.printf("\n")
		for i, c := range t.Columns {
			if c.Kind == puzzle.Text {
				s.printf("%s\t", row[i].S)
			} else {
				s.printf("%s\t", row[i].N)
			}
		}
	}
	s.printf("\n")
}
