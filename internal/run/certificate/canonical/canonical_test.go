package canonical

import (
	"strings"
	"testing"
)

type document struct {
	Name   string `json:"name"`
	Number int    `json:"number"`
}

// TestDecode: one form is read, with any space; every other one is refused.
func TestDecode(t *testing.T) {
	want := document{"<&>", 1000}
	text, err := Indent(want)
	if err != nil || string(text) != "{\n \"name\": \"<&>\",\n \"number\": 1000\n}\n" {
		t.Fatalf("%s: %v", text, err)
	}
	for _, good := range []string{string(text), `{"name":"<&>","number":1000}`} {
		var got document
		if err := Decode([]byte(good), &got); err != nil || got != want {
			t.Errorf("%s: %+v, %v", good, got, err)
		}
	}
	for bad, says := range map[string]string{
		`{"number":1000,"name":"<&>"}`:               "from byte 3 on",
		`{"name":"<&>","number":1e3}`:                "cannot unmarshal",
		`{"name":"<&>"}`:                             "from byte 13 on",
		`{"Name":"<&>","number":1000}`:               "from byte 2 on",
		`{"name":"<&>","number":1000,"number":1000}`: "from byte 27 on",
		`{"name":"<&>","number":1000,"more":1}`:      "unknown field",
		`{"name":"\u003c&>","number":1000}`:          "from byte 9 on",
		`{"name":"<&>","number":1000} {}`:            "invalid character",
		``:                                           "EOF",
	} {
		var got document
		if err := Decode([]byte(bad), &got); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", bad, err, says)
		}
	}
}
