package setting

import (
	"errors"
	"strings"
	"testing"
)

var declared = []Setting{
	{Name: "colours", Kind: Integer, Default: "5", Min: 5, Max: 6, Doc: "number of colours"},
	{Name: "method", Kind: Choice, Default: "best", Choices: []string{"best", "line"}},
	{Name: "all", Kind: Boolean, Default: "false"},
}

func TestSet(t *testing.T) {
	v, err := NewSet(declared, map[string]string{"colours": "6"})
	if err != nil {
		t.Fatal(err)
	}
	if v.Uint("colours") != 6 || v.Text("method") != "best" || v.Bool("all") {
		t.Errorf("colours %d, method %s, all %v", v.Uint("colours"), v.Text("method"), v.Bool("all"))
	}
	if !v.Given("colours") || v.Given("method") {
		t.Error("given and default values are mixed up")
	}
}

func TestSetErrors(t *testing.T) {
	for name, text := range map[string]string{"colours": "7", "method": "worst", "all": "yes"} {
		_, err := NewSet(declared, map[string]string{name: text})
		var e *Error
		if !errors.As(err, &e) || e.Setting != name || !strings.Contains(err.Error(), text) ||
			!strings.Contains(e.Advice(), name) {
			t.Errorf("%s=%s: %v", name, text, err)
		}
	}
}

func TestSetPanicsOnUndeclared(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a name that is not declared does not panic")
		}
	}()
	_, _ = NewSet(declared, map[string]string{"size": "1"})
}
