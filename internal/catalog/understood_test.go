package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pagoda/internal/output/render"
	"pagoda/internal/puzzle"
)

// TestConfigsSayTheirProblem demands of every config that is shipped that it says how it was understood.
func TestConfigsSayTheirProblem(t *testing.T) {
	paths, err := filepath.Glob("../../configs/*.yaml")
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d configs: %v", len(paths), err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c, err := load(t, path, string(data))
		if err != nil {
			t.Fatal(err)
		}
		d, err := All.Find(c.Text("puzzle"))
		if err != nil {
			t.Fatal(err)
		}
		if p, err := d.State(c); err != nil || len(p.Lines) == 0 || p.Lines[0].Text == "" {
			t.Errorf("%s: %v, %v", path, p, err)
		}
	}
}

// asked are small questions that need no run, among them those of which something is there once.
var asked = map[string][]string{
	"peg feasible": {"oo. ..o", "o.. ..o", "oo. o..", "oo. any", "oo. images(o..)", "o.. at-most-1", "oo. dead",
		"oo. ?.?", "oo. fewest-pegs", "oo. most-pegs", "oo. images(o.o)"},
	"peg solve": {"oo. ..o", "oo. o..", "oo. any", "oo. ?..", "oo. most-pegs", "oo. fewest-pegs",
		"oo. images(.o.)"},
	"peg read":          {"oo.", "31"},
	"peg army":          {"1", "5"},
	"peg board":         {"ooo", "english"},
	"peg import":        {"oo.", "ooo/o.o/ooo"},
	"peg position":      {"oo.", "..o", "ooo"},
	"peg bounds":        {"oo. ..o", "oo. o.."},
	"peg graph":         {"ooo", "oooo"},
	"peg chance":        {"oo.", "oo. ..o", "ooo"},
	"peg pagoda":        {"", "oo. ..o"},
	"peg play":          {"1x3", "a1-c1"},
	"peg list":          {"oo. ..o", "oo. o.."},
	"peg rank":          {"1x3", "a1-c1"},
	"peg space":         {"oo. ..o", "oo. o.."},
	"tiles solve":       {"RVR/BWB", "RVRV/BWBW"},
	"tiles play":        {"RVR/BWB", "RVRV/BWBW:J.../...."},
	"tiles check":       {"RVR/BWB r0c0=J", "RVRV/BWBW r0c0=J r1c1=R"},
	"tiles start":       {"2x3"},
	"tiles count":       {"2x2"},
	"tiles tables":      {"RV/BW", "RVR/BWB"},
	"mousetrap swap":    {"1", "1 2", "2 1"},
	"mousetrap chain":   {"1", "1 2", "2 1"},
	"mousetrap start":   {"1"},
	"babylone start":    {"1x1"},
	"baseball play":     {"0_|11", "1_|01"},
	"baseball start":    {"2"},
	"mousetrap play":    {"1", "1 2", "2 1"},
	"mousetrap inorder": {"1"},
	"mousetrap shares":  {"1", "2"},
	"babylone play":     {"y1", "y1,b1"},
	"babylone graph":    {"1x1", "2x1", "1x2"},
	"babylone count":    {"1x1", "2x1"},
	"babylone table":    {""},
	"baseball solve":    {"0_|11", "1_|01"},
	"baseball tree":     {"2"},
	"baseball count":    {"1", "2"},
	"baseball methods":  {"2"},
}

// bare are questions whose text is a value alone, for programs that read it.
var bare = map[string]bool{
	"mousetrap inorder": true, "baseball count": true,
	"mousetrap start": true, "baseball start": true, "babylone start": true, "tiles start": true,
}

// onePlural is a number 1 before a plural.
var onePlural = regexp.MustCompile(`(^|[^-0-9.,:x/])1 ([a-z]+[^aisu\W]s|classes|entries|matches)\b`)

// TestAnswersSayTheirProblem demands of every answer that its text names the problem, and that it has no plural for a
// single thing.
func TestAnswersSayTheirProblem(t *testing.T) {
	for i := range All {
		for k := range All[i].Questions {
			q := &All[i].Questions[k]
			name := All[i].Name + " " + q.Name
			if q.NeedsRun() || q.Instead != nil || name == "peg check" {
				continue
			}
			if len(asked[name]) == 0 {
				t.Errorf("%s is not asked", name)
			}
			for _, args := range asked[name] {
				answers(t, &All[i], q, strings.Fields(args))
			}
		}
	}
}

func answers(t *testing.T, d *puzzle.Definition, q *puzzle.Question, args []string) {
	t.Helper()
	name, flags := d.Name+" "+q.Name, map[string]string{}
	switch name {
	case "peg feasible", "peg solve", "peg read", "peg position", "peg space", "peg play", "peg pagoda", "peg bounds",
		"peg list", "peg rank", "peg chance":
		flags["board"] = "ooo"
		if name == "peg play" || name == "peg rank" {
			flags["start"] = "oo."
		}
		if name == "peg pagoda" {
			flags["weights"] = "1 0 1"
		}
	case "babylone table":
		flags["bricks"] = "1"
	}
	r, err := q.Request(args, flags)
	if err != nil {
		t.Fatalf("%s %q: %v", name, args, err)
	}
	a, err := q.Answer(context.Background(), r)
	if err != nil {
		t.Fatalf("%s %q: %v", name, args, err)
	}
	var text, document bytes.Buffer
	for output, to := range map[string]*bytes.Buffer{render.Text: &text, render.JSON: &document} {
		form := render.Form{Output: output}
		if err := render.Answer(context.Background(), to, a, render.About{Puzzle: d.Name}, form); err != nil {
			t.Fatal(err)
		}
	}
	said := text.String()
	for _, l := range a.Summary.Problem.Lines {
		if !strings.Contains(said, l.Name) || !strings.Contains(said, l.Text) {
			t.Errorf("%s %q does not say %s:\n%s", name, args, l.Text, said)
		}
	}
	if len(a.Summary.Problem.Lines) == 0 && !bare[name] && !strings.HasPrefix(said, "grid") {
		t.Errorf("%s %q does not say what was asked:\n%s", name, args, said)
	}
	if m := onePlural.FindString(said); m != "" {
		t.Errorf("%s %q says %q:\n%s", name, args, m, said)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(document.Bytes(), &fields); err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Summary.Problem.Facts {
		if _, ok := fields[f.Name]; !ok {
			t.Errorf("%s %q: the document lacks %s", name, args, f.Name)
		}
	}
}
