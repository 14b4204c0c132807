package solitaire

import (
	"encoding/json"
	"strings"
	"testing"

	"pagoda/internal/puzzle/puzzletest"
)

// decidedFields is the document of feasible about a problem on five holes in a row.
func decidedFields(t *testing.T, start, goal string) (doc map[string]any) {
	t.Helper()
	a := puzzletest.Ask(t, &feasibleQuestion, map[string]string{"board": "ooooo"}, start, goal)
	data, err := json.Marshal(a.Document)
	if err == nil {
		err = json.Unmarshal(data, &doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestOtherGoalsAreAnotherProblem refuses a certificate about other goals beside that of the verdict.
func TestOtherGoalsAreAnotherProblem(t *testing.T) {
	doc := decidedFields(t, "oo.oo", "at-most-2")
	for goal, fault := range map[string]string{
		"any": "criterion all positions is about another problem", "at-most-2": "",
	} {
		certificate := decidedFields(t, "oo.oo", goal)["certificate"]
		doc["tried"] = []any{map[string]any{"criterion": "all positions", "certificate": certificate}}
		data, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		list, err := parseCertificates(data)
		switch {
		case fault == "" && (err != nil || len(list) != 2):
			t.Errorf("%s: %d certificates, %v", goal, len(list), err)
		case fault != "" && (err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), `"`, ""), fault)):
			t.Errorf("%s: %v, want %q", goal, err, fault)
		}
	}
}

// TestBoundIsOfAllBeyond refuses a certificate of a bound that leaves out goals beyond it, and numbers that are none.
func TestBoundIsOfAllBeyond(t *testing.T) {
	certificate := func(doc map[string]any) map[string]any { return doc["bound_certificate"].(map[string]any) }
	for name, c := range map[string]struct {
		damage func(doc map[string]any)
		fault  string
	}{
		"right": {func(map[string]any) {}, ""},
		"fewer goals": {func(doc map[string]any) {
			certificate(doc)["goals"].(map[string]any)["most"] = 3
		}, "the certificates are not about 2 pegs with the bound 2"},
		"no number":   {func(doc map[string]any) { doc["bound"] = "2" }, "bound"},
		"another end": {func(doc map[string]any) { doc["end"] = "oooo." }, "the game ends at o..o., and"},
		"other jumps": {func(doc map[string]any) { doc["jumps"] = []string{"51x31"} }, "not those of its certificate"},
		"another number": {func(doc map[string]any) {
			doc["pegs"], doc["bound_certificate"] = 3, nil
		}, "the game leaves 2 pegs, and the answer says 3"},
		"other goals": {func(doc map[string]any) {
			goals := doc["certificate"].(map[string]any)["goals"].(map[string]any)
			goals["least"], doc["bound_certificate"] = 1, nil
		}, "the answer says 2 pegs, and its certificate is about 1"},
		"not proved": {func(doc map[string]any) { doc["proved"] = false }, "says proved: false"},
		"no pegs":    {func(doc map[string]any) { delete(doc, "pegs") }, "lacks pegs"},
		"no bound":   {func(doc map[string]any) { delete(doc, "bound") }, "lacks bound"},
	} {
		doc := decidedFields(t, "oo.oo", "most-pegs")
		c.damage(doc)
		text, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		list, err := parseCertificates(text)
		switch {
		case c.fault == "" && (err != nil || len(list) != 2):
			t.Errorf("%s: %d certificates, %v", name, len(list), err)
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%s: %v, want %q", name, err, c.fault)
		}
	}
}

// TestBoundWithoutProof says which bound an answer does not prove: its certificate may be missing, or be too large.
func TestBoundWithoutProof(t *testing.T) {
	for _, c := range []struct{ start, goal, open string }{
		{"oo.oo", "most-pegs", "at most 2 pegs"},
		{"oo.oo", "fewest-pegs", "at least 2 pegs"},
		{"o.o.o", "most-pegs", ""}, // no jump is legal
		{"oo...", "fewest-pegs", ""},
	} {
		doc := decidedFields(t, c.start, c.goal)
		doc["bound_certificate"] = nil
		text, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		got := puzzletest.Ask(t, &checkQuestion, nil, string(text))
		open := got.Document.(checked).Unproved
		if open != c.open || (open != "") != strings.Contains(got.Text, "\nopen   "+open) {
			t.Errorf("%s to %s: unproved %q, text %q, want %q", c.start, c.goal, open, got.Text, c.open)
		}
	}
}
