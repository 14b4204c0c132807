package explore_test

import (
	"net/http"
	"strings"
	"testing"
)

func host(name string) func(*http.Request) {
	return func(r *http.Request) { r.Host = name }
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// TestHosts demands that the server answers only to its own names, so that a page of another site whose name is made
// to lead here reads nothing.
func TestHosts(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{
		"localhost", "localhost:8420", "127.0.0.1:1", "[::1]:8420", "board.example", "Board.Example:80",
	} {
		if code, _, b := s.send(http.MethodGet, "/runs", host(name)); code != http.StatusOK {
			t.Errorf("%s: %d %s", name, code, b)
		}
	}
	for _, name := range []string{
		"evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "10.0.0.1", "0.0.0.0",
	} {
		for _, path := range []string{"/", "/runs", "/events", "/page/main.js", "/nothing"} {
			s.refuse(http.MethodGet, path, http.StatusMisdirectedRequest, "this server is not", host(name))
		}
	}
}

// TestHeaders demands the policy on every answer: nothing from elsewhere, nothing inline, no frame.
func TestHeaders(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/", "/page/main.js", "/page/style.css", "/runs", "/nothing", "/runs/x/answer/query"} {
		_, h, _ := s.send(http.MethodGet, path)
		policy := h.Get("Content-Security-Policy")
		for _, part := range []string{
			"default-src 'none'", "script-src 'self';", "style-src 'self';", "frame-ancestors 'none'",
		} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: policy %q lacks %s", path, policy, part)
			}
		}
		if strings.Contains(policy, "unsafe") || h.Get("X-Content-Type-Options") != "nosniff" ||
			h.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: headers %v", path, h)
		}
	}
}

// TestOnlyPostChanges demands that reading changes nothing, and that no other site can have something begun.
func TestOnlyPostChanges(t *testing.T) {
	s := newSite(t)
	id := s.runs()[0].ID
	path := "/runs/" + id + "/begin"
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete} {
		if code, _, _ := s.send(method, path); code != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, code)
		}
	}
	s.refuse(http.MethodPost, path, http.StatusForbidden, "another site", header("Sec-Fetch-Site", "cross-site"))
	s.refuse(http.MethodPost, path, http.StatusForbidden, "another site", header("Origin", "https://evil.example"))
	for _, path := range []string{
		"/runs", "/events", "/puzzles/peg/solve?arg=center&arg=center", "/runs/" + id + "/v1/status",
	} {
		s.refuse(http.MethodGet, path, http.StatusForbidden, "another site", header("Sec-Fetch-Site", "cross-site"))
	}
	if code, _, _ := s.send(http.MethodGet, "/", header("Sec-Fetch-Site", "cross-site")); code != http.StatusOK {
		t.Errorf("a link to the page: %d", code)
	}
	code, _, b := s.send(http.MethodGet, "/runs/"+id+"/v1/status", host("board.example"))
	if code != http.StatusOK {
		t.Errorf("by the name that is given: %d %s", code, b)
	}
	if state := s.runs()[0].Status.State; state != "offered" {
		t.Errorf("the run is %s", state)
	}
}

func TestRefusals(t *testing.T) {
	s := newSite(t)
	for _, r := range s.runs() {
		s.refuse(http.MethodGet, "/runs/"+r.ID+"/answer/query?arg=start", http.StatusConflict, "not complete")
	}
	id := s.begin("Triangle").ID
	games := s.begin("Games").ID
	answer := "/runs/" + id + "/answer/"
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/runs/nothing/answer/query?arg=start":             {http.StatusNotFound, "no such run"},
		answer + "nothing":                                 {http.StatusNotFound, "no such question"},
		answer + "solve?arg=center&arg=center":             {http.StatusNotFound, "no such question"},
		answer + "query":                                   {http.StatusBadRequest, "no POSITION is given"},
		answer + "query?arg=start&arg=goal":                {http.StatusBadRequest, "at most 1 argument"},
		answer + "query?arg=0x10000":                       {http.StatusBadRequest, "bad position"},
		answer + "query?arg=start&arg2=x":                  {http.StatusBadRequest, "no such flag"},
		answer + "query?%zz":                               {http.StatusBadRequest, "invalid URL escape"},
		answer + "sample?draws=0":                          {http.StatusBadRequest, "whole number"},
		answer + "sample?draws=1&draws=2":                  {http.StatusBadRequest, "several times"},
		"/runs/" + games + "/answer/query?arg=start":       {http.StatusBadRequest, "does not keep the solutions"},
		"/puzzles/nothing/solve":                           {http.StatusNotFound, "no such puzzle"},
		"/puzzles/peg/query?arg=start":                     {http.StatusNotFound, "no such question"},
		"/puzzles/peg/solve?arg=center":                    {http.StatusBadRequest, "no GOAL is given"},
		"/page/x/nothing.js":                               {http.StatusNotFound, "no such file"},
		"/page/x/..%2fserver.go":                           {http.StatusNotFound, "no such file"},
		"/runs/" + id + "/v1/export?table=nothing":         {http.StatusBadRequest, "no table"},
		answer + "query?arg=" + strings.Repeat("o", 9<<10): {http.StatusRequestURITooLong, "too long"},
	} {
		s.refuse(http.MethodGet, path, want.status, want.text)
	}
	if said := s.refuse(http.MethodGet, answer+"sample?draws=0", http.StatusBadRequest, ""); said.Setting != "draws" {
		t.Errorf("the flag at fault is %q", said.Setting)
	}
}
