package puzzle

import (
	"errors"
	"strings"
	"testing"

	"pagoda/internal/puzzle/setting"
)

var asked = Question{
	Name: "walk",
	Args: []Argument{
		{Name: "FROM", Doc: "start"}, {Name: "COLOUR", Choices: []string{"red", "blue"}},
		{Name: "TO", Optional: true, Repeated: true},
	},
	Flags: []setting.Setting{{Name: "steps", Kind: setting.Integer, Default: "3", Max: 9}},
}

func TestUsageLine(t *testing.T) {
	if got := asked.Usage(); got != "walk FROM COLOUR [TO...]" {
		t.Error(got)
	}
}

func TestRequest(t *testing.T) {
	r, err := asked.Request([]string{"a", "red", "b", "c", "d"}, map[string]string{"steps": "7"})
	if err != nil || len(r.Args) != 5 || r.Flags.Uint("steps") != 7 || !r.Flags.Given("steps") {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = asked.Request([]string{"a", "blue"}, nil); err != nil || r.Flags.Uint("steps") != 3 {
		t.Errorf("defaults: %v", err)
	}
	for _, test := range []struct {
		args          []string
		flags         map[string]string
		about, detail string
	}{
		{nil, nil, "", "no FROM is given"},
		{[]string{"a"}, nil, "", "no COLOUR is given"},
		{[]string{"a", "green"}, nil, "COLOUR", `"green" is not one of red or blue`},
		{[]string{"a", "red"}, map[string]string{"steps": "10"}, "steps", "between 0 and 9"},
		{[]string{"a", "red"}, map[string]string{"pace": "1"}, "pace", "no such flag"},
	} {
		_, err := asked.Request(test.args, test.flags)
		var e *setting.Error
		if err == nil || !strings.Contains(err.Error(), test.detail) ||
			errors.As(err, &e) != (test.about != "") || e != nil && e.Setting != test.about {
			t.Errorf("%q %v: %v, want %q about %q", test.args, test.flags, err, test.detail, test.about)
		}
	}
	two := Question{Args: []Argument{{Name: "A"}, {Name: "B", Optional: true}}}
	if err := two.CheckArgs([]string{"1", "2", "3"}); err == nil || !strings.Contains(err.Error(), "at most 2 arguments") {
		t.Errorf("three arguments for two: %v", err)
	}
	if err := (&Question{}).CheckArgs(
		[]string{"1"},
	); err == nil ||
		!strings.Contains(err.Error(), "no argument is wanted") {
		t.Errorf("one argument for none: %v", err)
	}
}

func TestNotAsked(t *testing.T) {
	var err error = &NotAskedError{Reason: "it has no rows", Hint: "keep them"}
	if !errors.Is(err, ErrNotAsked) || !strings.Contains(err.Error(), "it has no rows") {
		t.Error(err)
	}
}
