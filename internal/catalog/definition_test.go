package catalog

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/config"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle/setting"
)

var (
	wordForm = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	argForm  = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)
)

// reserved are the flags that every question has, and the parameter of the API for arguments.
var reserved = []string{"data", "config", "url", "certs", "output", "out", "figure", "table", "help", "arg",
	"exit_code"}

// TestDefinitions demands of every puzzle the properties that commands and API rely on.
func TestDefinitions(t *testing.T) {
	names := map[string]bool{}
	for i := range All {
		d := &All[i]
		if !wordForm.MatchString(d.Name) || names[d.Name] || d.Short == "" || d.New == nil {
			t.Errorf("puzzle %q: its name is no word or is taken, or it lacks Short or New", d.Name)
		}
		names[d.Name] = true
		taken := map[string]bool{}
		for _, s := range config.General("", nil, config.Machine{}, nil) {
			taken[s.Name] = true
		}
		for _, s := range d.Settings {
			if !wordForm.MatchString(s.Name) || taken[s.Name] || s.Doc == "" {
				t.Errorf("puzzle %s, setting %q: its name is no word or is taken, or it has no Doc", d.Name, s.Name)
			}
			taken[s.Name] = true
		}
		for k := range d.Questions {
			q := &d.Questions[k]
			where := d.Name + " " + q.Name
			if !wordForm.MatchString(q.Name) || d.Question(q.Name) != q || q.Short == "" || q.Long == "" || q.Answer == nil {
				t.Errorf("%s: its name is no word or is taken, or it lacks Short, Long or Answer", where)
			}
			flags, letters := slices.Clone(reserved), []string{"h"}
			for _, s := range q.Flags {
				if !wordForm.MatchString(s.Name) || slices.Contains(flags, s.Name) || s.Doc == "" {
					t.Errorf("%s: flag %q is no word or is taken, or has no Doc", where, s.Name)
				}
				if s.Letter != "" && (len(s.Letter) != 1 || slices.Contains(letters, s.Letter)) {
					t.Errorf("%s: flag %s: -%s is taken, or no letter", where, s.Name, s.Letter)
				}
				flags, letters = append(flags, s.Name), append(letters, s.Letter)
			}
			if _, err := setting.NewSet(q.Flags, nil); err != nil {
				t.Errorf("%s: a default of a flag is refused: %v", where, err)
			}
			for _, e := range q.Examples {
				if strings.HasPrefix(e+" ", q.Name+" ") {
					t.Errorf("%s: the example %q has the question itself, which comes before it", where, e)
				}
			}
			for n, a := range q.Args {
				last := n == len(q.Args)-1
				if !argForm.MatchString(a.Name) || !last && (a.Optional || a.Repeated) {
					t.Errorf("%s: argument %q is not in capitals, or others follow what need not be given", where, a.Name)
				}
			}
			for _, output := range render.Outputs(q) {
				if err := (render.Form{Output: output}).Check(q); err != nil {
					t.Errorf("%s: %v", where, err)
				}
			}
		}
	}
}
