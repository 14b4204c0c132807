package api

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pagoda/internal/output/render"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/example"
	"pagoda/internal/puzzle/setting"
)

// FuzzParseQuestion demands that whatever is asked is either a request whose flags can be read, or an error.
func FuzzParseQuestion(f *testing.F) {
	for _, s := range []string{
		"", "after=3", "after=3&after=4", "after=-1", "output=svg&figure=squares", "output=xml", "figure=x",
		"table=t&output=csv",
		"arg=a", "shoes=2", "after=99999999999999999999", "arg=&arg=", "output=", "%zz",
	} {
		f.Add(s)
	}
	q := example.Definition.Question("board")
	f.Fuzz(func(t *testing.T, text string) {
		values, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		form, r, err := parseQuestion(q, values)
		if err != nil {
			return
		}
		if r.Flags.Uint("after") > 40 || len(r.Args) > 0 || !slices.Contains(render.Outputs(q), form.Output) {
			t.Errorf("%q: %+v %+v", text, form, r)
		}
	})
}

// TestQuestionParameters: every parameter of a question gets where it belongs, and none is given twice but arg.
func TestQuestionParameters(t *testing.T) {
	q := &puzzle.Question{
		Name: "q", Args: []puzzle.Argument{{Name: "from"}, {Name: "to"}},
		Flags:   []setting.Setting{{Name: "after", Kind: setting.Integer, Default: "2", Max: 40}},
		Outputs: []puzzle.Output{puzzle.Pictures, puzzle.Tables},
	}
	const all = "arg=a&arg=b&after=7&output=svg&figure=f"
	form, r, err := parse(t, q, all)
	if err != nil || !slices.Equal(r.Args, []string{"a", "b"}) || r.Flags.Uint("after") != 7 ||
		form.Output != render.SVG || form.Figure != "f" {
		t.Errorf("%+v, %+v, %v", form, r, err)
	}
	if form, _, err := parse(t, q, "arg=a&arg=b&output=csv&table=t"); err != nil || form.Output != "csv" ||
		form.Table != "t" {
		t.Errorf("%+v, %v", form, err)
	}
	for _, more := range []string{"after=8", "output=json", "figure=g", "table=t&table=u", "shoes=2"} {
		name, _, _ := strings.Cut(more, "=")
		var e *setting.Error
		if _, _, err := parse(t, q, all+"&"+more); !errors.As(err, &e) || e.Setting != name {
			t.Errorf("%s: %v", more, err)
		}
	}
}

func parse(t *testing.T, q *puzzle.Question, text string) (render.Form, puzzle.Request, error) {
	t.Helper()
	values, err := url.ParseQuery(text)
	if err != nil {
		t.Fatal(err)
	}
	return parseQuestion(q, values)
}

// TestErrorsOfSettings demands that the client is told which flag is at fault, as the command would say it.
func TestErrorsOfSettings(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusBadRequest, &setting.Error{Setting: "after", Err: errors.New("too many"), Hint: "fewer"})
	}))
	defer server.Close()
	c, err := Dial(server.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	err = c.Ask(t.Context(), "knight", "board", nil, nil, render.Form{Output: render.Text}, nil)
	var e *setting.Error
	if !errors.As(err, &e) || e.Setting != "after" || e.Err.Error() != "too many" || e.Hint != "fewer" {
		t.Errorf("%#v", err)
	}
}
