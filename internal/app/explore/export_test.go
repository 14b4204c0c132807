package explore_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pagoda/internal/app/explore"
	"pagoda/internal/app/runs"
	"pagoda/internal/catalog"
)

// TestExports exports tables and rows to programs of this machine, and only to these where there are no keys; layers
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

// TestLayers lists the layers whose rows can be exported: none of a puzzle that has none to show, and each of those
// listed is exported, also where rows are stored in other layers than those that people count. The bound is on the rows
// that are stored.
func TestLayers(t *testing.T) {
	const rows = 60
	s := siteOf(t, explore.Options{
		Loader: runs.Loader{Catalog: catalog.All}, Temp: t.TempDir(), ExportRows: rows,
		Small: []explore.Small{
			smalls[0],
			{Title: "Sweeps", Config: "puzzle: peg\nboard: triangle5\nstart: r0c0\ngoal: r0c0\ncount: sweeps\nretention: all\n"},
			{Title: "Hits", Config: "puzzle: mousetrap\ncards: 6\ncount: hits\n"},
		},
	})
	for title, many := range map[string]bool{"Triangle": true, "Sweeps": true, "Hits": false} {
		api := "/runs/" + s.begin(title).ID + "/v1/"
		var layers []int
		s.get(api+"layers", &layers)
		if layers == nil || len(layers) > 0 != many {
			t.Errorf("%s has the layers %v", title, layers)
		}
		exported := 0
		for _, n := range layers {
			code, _, b := s.send(http.MethodGet, fmt.Sprintf("%sexport?table=rows&layer=%d&format=csv", api, n))
			lines := bytes.Count(b, []byte("\n")) - 1
			switch {
			case code == http.StatusOK && lines <= rows:
				exported++
			case code == http.StatusConflict && bytes.Contains(b, []byte("60 at most")):
			default:
				t.Errorf("%s, layer %d: %d %.80q", title, n, code, b)
			}
		}
		if many && exported == 0 {
			t.Errorf("%s: of layers %v none is exported", title, layers)
		}
	}
}
