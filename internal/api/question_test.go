package api

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"

	"pagoda/internal/puzzle/example"
	"pagoda/internal/render"
	"pagoda/internal/setting"
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
