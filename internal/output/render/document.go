package render

import (
	"encoding/json"
	"slices"

	"pagoda/internal/output/export"
	"pagoda/internal/puzzle"
)

// Document is the JSON form of a summary, a contract described in docs/cli.md: the run unless it is "", the puzzle, the
// facts in their own order, the tables as arrays of objects, and notes when there are any. Facts that were not asked
// for are absent.
func Document(run, name string, s *puzzle.Summary) []byte {
	return append(members(run, name, s), "\n}\n"...)
}

// members is a document without its end.
func members(run, name string, s *puzzle.Summary) []byte {
	b := []byte("{")
	if run != "" {
		b = append(export.AppendJSON(append(b, "\n  \"run\": "...), run), ',')
	}
	b = export.AppendJSON(append(b, "\n  \"puzzle\": "...), name)
	for _, f := range documentFacts(s) {
		b = append(export.AppendJSON(append(b, ",\n  "...), f.Name), ": "...)
		b = appendFact(b, &f)
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
	for i := range s.Tables {
		t := &s.Tables[i]
		b = append(export.AppendJSON(append(b, ",\n  "...), t.Name), ": ["...)
		for i, row := range t.Rows {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendRow(append(b, "\n    "...), t.Columns, row)
		}
		b = append(b, "\n  ]"...)
	}
	return b
}

// documentFacts are the facts of the problem, and then those of the summary. A fact or a table of the summary replaces
// the fact of the problem with the same name.
func documentFacts(s *puzzle.Summary) []puzzle.Fact {
	var list []puzzle.Fact
	own := slices.Clone(s.Facts)
	for _, f := range s.Problem.Facts {
		if i := slices.IndexFunc(own, func(o puzzle.Fact) bool { return o.Name == f.Name }); i >= 0 {
			f = own[i]
			own = slices.Delete(own, i, i+1)
		}
		if !slices.ContainsFunc(s.Tables, func(t puzzle.Table) bool { return t.Name == f.Name }) {
			list = append(list, f)
		}
	}
	return append(list, own...)
}

// Marshal is the document of a value that encoding/json marshals as an object, with the facts of a problem ahead of its
// own fields, of which none changes.
func Marshal(document any, p *puzzle.Problem) ([]byte, error) {
	text, err := json.MarshalIndent(document, "", "  ")
	var own map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(text, &own)
	}
	if err != nil {
		return nil, err
	}
	b := []byte("{")
	for i := range p.Facts {
		if _, has := own[p.Facts[i].Name]; !has {
			b = append(export.AppendJSON(append(b, "\n  "...), p.Facts[i].Name), ": "...)
			b = append(appendFact(b, &p.Facts[i]), ',')
		}
	}
	return append(append(b, text[1:]...), '\n'), nil
}

// appendFact appends the value of a fact: a scalar, an array of scalars, or an object.
func appendFact(b []byte, f *puzzle.Fact) []byte {
	switch {
	case f.List != nil:
		b = append(b, '[')
		for i, v := range f.List {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = export.AppendValue(b, f.Kind, v)
		}
		return append(b, ']')
	case f.Map != nil:
		b = append(b, '{')
		for i, e := range f.Map {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = append(export.AppendJSON(b, e.Key), ": "...)
			b = export.AppendValue(b, f.Kind, puzzle.Value{N: e.Value})
		}
		return append(b, '}')
	case f.Fields != nil:
		b = append(b, '{')
		for i := range f.Fields {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = append(export.AppendJSON(b, f.Fields[i].Name), ": "...)
			b = appendFact(b, &f.Fields[i])
		}
		return append(b, '}')
	}
	return export.AppendValue(b, f.Kind, f.Value)
}

// appendRow appends a row as an object on one line.
func appendRow(b []byte, columns []puzzle.Column, row []puzzle.Value) []byte {
	b = append(b, '{')
	for k, c := range columns {
		if k > 0 {
			b = append(b, ", "...)
		}
		b = append(export.AppendJSON(b, c.Name), ": "...)
		b = export.AppendValue(b, c.Kind, row[k])
	}
	return append(b, '}')
}
