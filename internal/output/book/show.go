package book

import (
	"fmt"
	"html/template"
	"strings"

	"pagoda/internal/puzzle"
)

const (
	// mostEntries bounds the entries of a list or a map that a page shows, mostFields the fields of all its tables.
	// Records and CSV files have all of them.
	mostEntries = 40
	mostFields  = 1200
)

// digits writes a whole number in groups of three digits. The space between groups comes from the style sheet: a copied
// number has digits alone.
func digits(text string) template.HTML {
	if len(text) < 5 || strings.Trim(text, "0123456789") != "" {
		return template.HTML(template.HTMLEscapeString(text)) //nolint:gosec // escaped here
	}
	var b strings.Builder
	first := (len(text)-1)%3 + 1
	b.WriteString(text[:first])
	for i := first; i < len(text); i += 3 {
		b.WriteString("<i>" + text[i:i+3] + "</i>")
	}
	return template.HTML(b.String()) //nolint:gosec // digits alone
}

// value writes a value for people.
func value(k puzzle.Kind, v puzzle.Value) template.HTML {
	if k.Worded() && v.Shown != "" {
		return digits(v.Shown)
	}
	return digits(k.Plain(v))
}

// A number is a fact as a page shows it.
type number struct {
	Name  string
	Value template.HTML
	Doc   string
}

// numbers are the facts but those texts that the problem has said.
func (r *Record) numbers() (list []number) {
	said := map[string]bool{}
	for _, l := range r.Problem {
		said[l.Name] = true
	}
	for i := range r.summary.Facts {
		if f := &r.summary.Facts[i]; f.Kind != puzzle.Text || !f.Scalar() || !said[f.Name] {
			list = append(list, shown(f.Name, f)...)
		}
	}
	return list
}

// shown is a fact, or the fields of one, as a page shows them.
func shown(name string, f *puzzle.Fact) (list []number) {
	var b strings.Builder
	switch {
	case len(f.List) > mostEntries || len(f.Map) > mostEntries:
		fmt.Fprintf(&b, "%d entries, in record.json", max(len(f.List), len(f.Map)))
	case f.List != nil:
		for i, v := range f.List {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(string(value(f.Kind, v)))
		}
	case f.Map != nil:
		for i, e := range f.Map {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(template.HTMLEscapeString(e.Key) + ": " + string(digits(e.Value.String())))
		}
	case f.Fields != nil:
		for i := range f.Fields {
			list = append(list, shown(name+"."+f.Fields[i].Name, &f.Fields[i])...)
		}
		return list
	default:
		b.WriteString(string(value(f.Kind, f.Value)))
	}
	return []number{{name, template.HTML(b.String()), f.Doc}} //nolint:gosec // escaped above
}

// A grid is a table as a page shows it.
type grid struct {
	Name    string
	Columns []gridColumn
	Told    []gridColumn      // columns that have something to say about them
	Rows    [][]template.HTML // nil: there are too many
	Count   int
	CSV     string
	Charts  []template.HTML
}

type gridColumn struct {
	Name, Doc string
	Digits    bool
}

// newGrid returns the grid of a table, without its rows.
func newGrid(t *puzzle.Table) grid {
	g := grid{Name: t.Name, Count: len(t.Rows)}
	for _, c := range t.Columns {
		g.Columns = append(g.Columns, gridColumn{c.Name, c.Doc, c.Kind != puzzle.Text})
		if c.Doc != "" {
			g.Told = append(g.Told, g.Columns[len(g.Columns)-1])
		}
	}
	return g
}

// fill takes over the rows of the table.
func (g *grid) fill(t *puzzle.Table) {
	for _, row := range t.Rows {
		line := make([]template.HTML, len(row))
		for k, v := range row {
			line[k] = value(t.Columns[k].Kind, v)
		}
		g.Rows = append(g.Rows, line)
	}
}

// grids are the tables, with the rows of as many as a page takes, and their charts.
func (r *Record) grids(charts map[string][]template.HTML) (list []grid) {
	fields := 0
	for i := range r.summary.Tables {
		t := &r.summary.Tables[i]
		g := newGrid(t)
		g.CSV, g.Charts = t.Name+".csv", charts[t.Name]
		if n := len(t.Rows) * len(t.Columns); fields+n <= mostFields {
			fields += n
			g.fill(t)
		}
		list = append(list, g)
	}
	return list
}
