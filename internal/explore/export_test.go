package explore_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestExports exports tables and rows to programs of this machine, and to nobody else where there are no keys; layers
// that are too large are refused, with the command that has no bound.
func TestExports(t *testing.T) {
	s := newSite(t)
	path := "/runs/" + s.begin("Triangle").ID + "/v1/export?"
	for query, begins := range map[string]string{
		"table=layers&format=csv": "jumps,pegs,", "table=rows&layer=12&format=csv": "position,",
		"table=counts&layer=12&format=jsonl": `{"position":`, "table=rows&layer=12&format=parquet": "PAR1",
	} {
		code, _, b := s.send(http.MethodGet, path+query)
		if code != http.StatusOK || !strings.HasPrefix(string(b), begins) {
			t.Errorf("%s: %d %.60q", query, code, b)
		}
		if code := s.from("10.1.2.3:4567", http.MethodGet, path+query); code != http.StatusForbidden {
			t.Errorf("%s from another machine: %d", query, code)
		}
	}
	said := s.refuse(http.MethodGet, path+"table=rows&layer=6&format=csv", http.StatusConflict, "20 at most")
	if !strings.Contains(said.Hint, "--table rows --layer 6") {
		t.Errorf("hint %q", said.Hint)
	}
	s.refuse(http.MethodGet, path+"table=rows&layer=99&format=csv", http.StatusBadRequest, "no layer 99")
	s.refuse(http.MethodGet, path+"table=rows&layer=x&format=csv", http.StatusBadRequest, "not a layer number")
	var rights struct{ Trusted bool }
	if s.get("/rights", &rights); !rights.Trusted {
		t.Error("a program of this machine is not trusted")
	}
	if code := s.from("10.1.2.3:4567", http.MethodGet, "/rights"); code != http.StatusOK {
		t.Errorf("rights from another machine: %d", code)
	}
}
