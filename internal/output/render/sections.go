package render

import (
	"slices"
	"strings"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/plural"
)

// Measures of sections: the width of a line, and how long a table may be to be shown in full.
const (
	sectionWidth = 100
	sectionRows  = 32
)

// sections writes numbered sections with the tables that belong to them.
func (s *Sheet) sections(a *puzzle.Answer) {
	shown := map[string]bool{}
	for i, section := range a.Sections {
		s.Flush()
		s.Printf("\n%d. %s\n", i+1, section.Heading)
		for _, l := range wrapped(section.Text, sectionWidth) {
			s.Printf("   %s\n", l)
		}
		for _, name := range section.Tables {
			k := slices.IndexFunc(a.Summary.Tables, func(t puzzle.Table) bool { return t.Name == name })
			switch {
			case k < 0:
			case shown[name]:
				s.Printf("   table %s, see above\n", name)
			case len(a.Summary.Tables[k].Rows) <= sectionRows:
				s.Table(&a.Summary.Tables[k])
			default:
				s.Printf("   table %s, %s: --output csv --table %s\n", name,
					plural.Of(len(a.Summary.Tables[k].Rows), "row"), name)
			}
			s.Flush()
			shown[name] = true
		}
	}
}

// wrapped breaks a text into lines of at most width characters where its words allow.
func wrapped(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
