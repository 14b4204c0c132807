package explore

import (
	"net/url"
	"testing"

	"pagoda/internal/puzzle/example"
)

// FuzzParseAsked demands that whatever is asked is a request whose flags can be read, or an error.
func FuzzParseAsked(f *testing.F) {
	for _, s := range []string{
		"", "after=3", "after=3&after=4", "after=-1", "output=svg", "arg=a", "arg=&arg=", "shoes=2", "%zz", "after",
		"after=99999999999999999999", "arg=" + "o/-.", ";", "a=b;c=d",
	} {
		f.Add(s)
	}
	q := example.Definition.Question("board")
	if q == nil {
		f.Fatal("the example has no such question")
	}
	f.Fuzz(func(t *testing.T, text string) {
		values, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		r, err := parseAsked(q, values)
		if err != nil {
			return
		}
		if r.Flags.Uint("after") > 40 || len(r.Args) > 0 {
			t.Errorf("%q: %+v", text, r)
		}
	})
}
