package explore_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"pagoda/internal/app/explore"
	"pagoda/internal/app/runs"
	"pagoda/internal/catalog"
)

// A site is a server under test.
type site struct {
	t      *testing.T
	server *explore.Server
	http   *httptest.Server
}

// smalls are small runs that take no second: the first keeps the solutions through every position.
var smalls = []explore.Small{
	{Title: "Triangle", Config: "puzzle: peg\nboard: triangle5\nstart: r0c0\ngoal: r0c0\ncount: solutions\n" +
		"store_ways: true\nretention: all\n"},
	{Title: "Games", Config: "puzzle: peg\nboard: triangle5\nstart: r0c0\n"},
}

// newSite starts a server, which offers folders and the small runs.
func newSite(t *testing.T, folders ...string) *site {
	t.Helper()
	return siteOf(t, explore.Options{
		Loader: runs.Loader{Catalog: catalog.All}, Small: smalls, Temp: t.TempDir(), Folders: folders,
		ExportRows: 20, Hosts: []string{"board.example"},
		Problems: []explore.Problem{{Board: "triangle5", Config: "puzzle: peg\n" +
			"board: triangle5\nstart: START\ngoal: GOAL\ncount: solutions\nstore_ways: true\nretention: all\n"},
			explore.Problems()[0]},
	})
}

// siteOf starts a server with options, which ends with the test.
func siteOf(t *testing.T, o explore.Options) *site {
	t.Helper()
	s, err := explore.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	site := &site{t: t, server: s, http: newServer(t, s)}
	t.Cleanup(func() {
		s.Stop()
		site.http.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return site
}

func newServer(t *testing.T, s *explore.Server) *httptest.Server {
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	return server
}

// send sends a request and returns the status, the headers and the body.
func (s *site) send(method, path string, change ...func(*http.Request)) (int, http.Header, []byte) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.http.URL+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, fn := range change {
		fn(r)
	}
	resp, err := s.http.Client().Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, b
}

// get reads JSON that must be there.
func (s *site) get(path string, into any) {
	s.t.Helper()
	code, _, b := s.send(http.MethodGet, path)
	if code != http.StatusOK {
		s.t.Fatalf("%s: %d %s", path, code, b)
	}
	if err := json.Unmarshal(b, into); err != nil {
		s.t.Fatalf("%s: %v\n%s", path, err, b)
	}
}

// decode reads JSON.
func decode[T any](t *testing.T, b []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	return v
}

// A run is the server's document of one.
type run struct {
	ID, Title, Puzzle string
	Small, Ways, Live bool
	Board             string
	Pairs             bool
	At, Away          string
	Verification      checked
	Status            struct {
		State         string
		Done, Windows int
		Error, Hint   string
	}
}

// checked is the server's document of a verification.
type checked struct {
	State, Verdict, Error string
	Findings              []struct{ Kind, Window, Text string }
}

// from sends a request as if from another address, and returns its status.
func (s *site) from(address, method, path string) int {
	r := httptest.NewRequestWithContext(s.t.Context(), method, path, nil)
	r.RemoteAddr, r.Host = address, "localhost"
	w := httptest.NewRecorder()
	s.server.Handler().ServeHTTP(w, r)
	return w.Code
}

// runs lists the runs.
func (s *site) runs() (list []run) {
	s.t.Helper()
	s.get("/runs", &list)
	return list
}

// begin carries out the small run of a title to its end.
func (s *site) begin(title string) run {
	s.t.Helper()
	for _, r := range s.runs() {
		if r.Title == title {
			if code, _, b := s.send(http.MethodPost, "/runs/"+r.ID+"/begin"); code != http.StatusAccepted {
				s.t.Fatalf("%d %s", code, b)
			}
			return s.watch(r.ID, "complete")
		}
	}
	s.t.Fatalf("%s is not offered", title)
	return run{}
}

// An answer is an answer to query, with a picture.
type answer struct {
	Document struct {
		Position, Reachable, Winnable, Paths, Ways, Solutions string
		Jumps, Pegs                                           int
		Notes                                                 []string
		Next                                                  []struct{ Jump, Ways, Solutions string }
		// AllSolutions are those of the problem.
		AllSolutions string `json:"all_solutions"`
	}
	Text    string
	Figures []struct {
		Name, Title string
		Board       []struct {
			Row, Column   float64
			Circle        bool
			Detail, Glyph string
		}
	}
}

// query asks the puzzle's question query about a position.
func (s *site) query(id, position string) (a answer) {
	s.t.Helper()
	s.get("/runs/"+id+"/answer/query?"+url.Values{"arg": {position}}.Encode(), &a)
	return a
}

// refused is an answer that is none.
type refused struct{ Error, Hint, Setting string }

// refuse demands that a request is refused with a status and a message.
func (s *site) refuse(method, path string, status int, text string, change ...func(*http.Request)) refused {
	s.t.Helper()
	code, _, b := s.send(method, path, change...)
	var said refused
	if err := json.Unmarshal(b, &said); err != nil {
		s.t.Fatalf("%s %s: %d %s", method, path, code, b)
	}
	if code != status || !strings.Contains(said.Error, text) {
		s.t.Errorf("%s %s: %d %q, want %d %q", method, path, code, said.Error, status, text)
	}
	return said
}
