package render

import (
	"strings"

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
func Report(run, name string, sum *puzzle.Summary) []byte {
	var s Sheet
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
	return s.Bytes()
}

// Problem writes a problem, and a blank line, when there is one.
func (s *Sheet) Problem(p *puzzle.Problem) {
	if len(p.Lines) == 0 {
		return
	}
	s.Columns()
	for _, l := range p.Lines {
		s.Printf("%s\t%s\n", l.Name, l.Text)
	}
	s.Flush()
	s.Printf("\n")
}

// head writes the subject of the summary: the run, the puzzle, the problem, and the other facts that are texts.
func (s *Sheet) head(run, name string, sum *puzzle.Summary) {
	s.Columns()
	if run != "" {
		s.Printf("run\t%s\n", run)
	}
	s.Printf("puzzle\t%s\n", name)
	said := map[string]bool{}
	for _, l := range sum.Problem.Lines {
		s.Printf("%s\t%s\n", l.Name, l.Text)
		said[l.Name] = true
	}
	for i := range sum.Facts {
		if f := &sum.Facts[i]; short(f) && !said[f.Name] {
			s.Printf("%s\t%s\n", f.Name, f.Value.S)
		}
	}
}

// short reports whether a fact is one text: such facts come first.
func short(f *puzzle.Fact) bool {
	return f.Kind == puzzle.Text && f.List == nil && f.Map == nil && f.Fields == nil
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
			list = append(list, plain(f.Kind, v))
		}
		s.Printf("%s\t%s\n", label, strings.Join(list, " "))
	case f.Map != nil:
		for _, e := range f.Map {
			s.Printf("%s\t%s: %s\n", label, e.Key, e.Value)
			label = ""
		}
	case f.Fields != nil:
		for i := range f.Fields {
			s.fact(label+"."+f.Fields[i].Name, &f.Fields[i])
		}
	default:
		s.Printf("%s\t%s\n", label, plain(f.Kind, f.Value))
	}
}

func (s *Sheet) notes(sum *puzzle.Summary) {
	for _, n := range sum.Notes {
		s.Printf("note: %s\n", n)
	}
}
