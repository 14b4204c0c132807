package render

import (
	"strings"
	"unicode/utf8"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
)

// A report shows tables and facts of at most these sizes in full; all boards have fewer layers.
const (
	reportRows    = 128 // rows of a table
	reportEntries = 32  // entries of a fact that is a list or a map
)

// Report is a summary for people: the run unless it is "", the problem, the tables, the totals, the notes. All digits
// are there. In place of a part that is too long to be read, it says where that part is.
func Report(run, name string, sum *puzzle.Summary, style Style) []byte {
	s := Sheet{Style: style}
	s.report(run, name, sum)
	return s.Bytes()
}

func (s *Sheet) report(run, name string, sum *puzzle.Summary) {
	s.head(run, name, sum)
	for i := range sum.Tables {
		t := &sum.Tables[i]
		if len(sum.Tables) > 1 {
			s.Flush()
			s.Printf("\ntable %s, %s", t.Name, plural.Of(len(t.Rows), "row"))
			if len(t.Rows) > reportRows {
				s.Printf(": too long to show; it is in the json document, and export --table %s writes it\n", t.Name)
				continue
			}
			s.Printf("\n")
		}
		s.Table(t)
	}
	s.totals(sum)
	s.notes(sum)
}

// Problem writes a problem, and a blank line, when there is one.
func (s *Sheet) Problem(p *puzzle.Problem) {
	if len(p.Lines) == 0 {
		return
	}
	s.lines(p.Lines)
	s.Printf("\n")
}

// head writes the subject of the summary: the run, the puzzle, the problem, and the other facts that are texts.
func (s *Sheet) head(run, name string, sum *puzzle.Summary) {
	var list []puzzle.Line
	if run != "" {
		list = append(list, puzzle.Line{Name: "run", Text: run})
	}
	list = append(append(list, puzzle.Line{Name: "puzzle", Text: name}), sum.Problem.Lines...)
	said := map[string]bool{}
	for _, l := range sum.Problem.Lines {
		said[l.Name] = true
	}
	for i := range sum.Facts {
		if f := &sum.Facts[i]; short(f) && !said[f.Name] {
			list = append(list, puzzle.Line{Name: f.Name, Text: s.plain(f.Kind, f.Value)})
		}
	}
	s.lines(list)
}

// lines writes names and texts in two columns. A text that is too long for the style goes on below its beginning.
func (s *Sheet) lines(list []puzzle.Line) {
	names := 0
	for _, l := range list {
		names = max(names, len(l.Name))
	}
	s.Columns()
	for _, l := range list {
		parts := []string{l.Text}
		if s.Width > 0 && utf8.RuneCountInString(l.Text) > s.Width-names-2 {
			parts = wrapped(l.Text, s.Width-names-2)
		}
		for i, part := range parts {
			if i == 0 {
				s.Printf("%s", l.Name)
			}
			s.Printf("\t%s\n", part)
		}
	}
	s.Flush()
}

// short reports whether a fact is one text: such facts come first.
func short(f *puzzle.Fact) bool {
	return f.Kind == puzzle.Text && f.Scalar()
}

// totals are the other facts, after a blank line when there are any.
func (s *Sheet) totals(sum *puzzle.Summary) {
	s.Columns()
	begun := false
	for i := range sum.Facts {
		if f := &sum.Facts[i]; !short(f) {
			if !begun {
				s.Printf("\n")
			}
			begun = true
			s.fact(f.Name, f)
		}
	}
	s.Flush()
}

// fact writes one line for a scalar or a list, and one for each entry of a fact with names.
func (s *Sheet) fact(label string, f *puzzle.Fact) {
	switch {
	case len(f.List) > reportEntries || len(f.Map) > reportEntries:
		s.Printf("%s\t%s, too many to show; they are in the json document\n", label,
			plural.Of(max(len(f.List), len(f.Map)), "entry"))
	case f.List != nil:
		var list []string
		for _, v := range f.List {
			list = append(list, s.plain(f.Kind, v))
		}
		s.Printf("%s\t%s\n", label, strings.Join(list, " "))
	case f.Map != nil:
		for _, e := range f.Map {
			s.Printf("%s\t%s: %s\n", label, e.Key, s.digits(e.Value.String()))
			label = ""
		}
	case f.Fields != nil:
		for i := range f.Fields {
			s.fact(label+"."+f.Fields[i].Name, &f.Fields[i])
		}
	default:
		s.Printf("%s\t%s", label, s.plain(f.Kind, f.Value))
		if s.Explained {
			s.Printf("\t%s", f.Doc)
		}
		s.Printf("\n")
	}
}

func (s *Sheet) notes(sum *puzzle.Summary) {
	for _, n := range sum.Notes {
		s.Printf("note: %s\n", n)
	}
}
