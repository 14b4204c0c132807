package explore_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pagoda/internal/app/api"
	"pagoda/internal/app/explore"
	"pagoda/internal/app/runs"
	"pagoda/internal/catalog"
)

// A neighbour is a coordinator elsewhere, which can be away.
type neighbour struct {
	*httptest.Server
	away   atomic.Bool
	answer atomic.Pointer[http.Handler]
}

// newNeighbour starts one that answers as a handler does.
func newNeighbour(t *testing.T, h http.Handler) *neighbour {
	t.Helper()
	n := &neighbour{}
	n.answer.Store(&h)
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.away.Load() {
			panic(http.ErrAbortHandler)
		}
		(*n.answer.Load()).ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		n.CloseClientConnections()
		n.Close()
	})
	return n
}

// leave ends all requests, and answers no more.
func (n *neighbour) leave() {
	n.away.Store(true)
	n.CloseClientConnections()
}

// newOnlooker starts a server that shows coordinators elsewhere, and a small run.
func newOnlooker(t *testing.T, urls ...string) *site {
	t.Helper()
	o := explore.Options{Loader: runs.Loader{Catalog: catalog.All}, Small: smalls[:1], Temp: t.TempDir(),
		AskAgain: 10 * time.Millisecond}
	for _, url := range urls {
		c, err := api.Dial(url, "")
		if err != nil {
			t.Fatal(err)
		}
		o.Coordinators = append(o.Coordinators, c)
	}
	return siteOf(t, o)
}

// until follows the events until one shows a run as it should be.
func (s *site) until(what string, right func(*run) bool) run {
	s.t.Helper()
	next := s.stream()
	for {
		told, err := next()
		if err != nil {
			s.t.Fatalf("the stream ends before it tells of %s: %v", what, err)
		}
		if right(&told) {
			return told
		}
	}
}

// newLead starts a server that has the complete run of smalls[0], and no other, as a coordinator does.
func newLead(t *testing.T) *explore.Server {
	t.Helper()
	dir := t.TempDir() + "/run"
	carryOut(t, smalls[0].Config, dir, 0)
	lead, err := explore.New(t.Context(), explore.Options{
		Loader: runs.Loader{Catalog: catalog.All}, Folders: []string{dir},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := lead.Close(); err != nil {
			t.Error(err)
		}
	})
	return lead
}

// TestCoordinators shows the run of a coordinator elsewhere, answers as that does, and verifies there. It says when the
// coordinator is away, shows its last status, and goes on when it is back.
func TestCoordinators(t *testing.T) {
	lead := newLead(t)
	n := newNeighbour(t, lead.Handler())
	t.Cleanup(lead.Stop)
	s := newOnlooker(t, n.URL)
	told := s.until("the run", func(r *run) bool { return r.At == n.URL })
	if told.Status.State != "complete" || told.Away != "" || !told.Ways || told.Small || told.Live {
		t.Fatalf("%+v", told)
	}
	if list := s.runs(); len(list) != 1 || list[0].ID != told.ID {
		t.Errorf("the small run of the same ID is offered besides: %+v", list)
	}
	there := &site{t: t, server: lead, http: n.Server}
	for _, path := range []string{
		"answer/query?arg=start", "answer/heatmap", "v1/export?table=layers&format=csv", "v1/results?output=json",
		"v1/export?table=counts&layer=3&format=jsonl",
	} {
		code, _, got := s.send(http.MethodGet, "/runs/"+told.ID+"/"+path)
		_, _, want := there.send(http.MethodGet, "/runs/"+told.ID+"/"+path)
		if code != http.StatusOK || !bytes.Equal(got, want) {
			t.Errorf("%s: %d %.200s, not %.200s", path, code, got, want)
		}
	}
	s.refuse(http.MethodGet, "/runs/"+told.ID+"/answer/nothing", http.StatusNotFound, "no such question")
	s.refuse(http.MethodPost, "/runs/"+told.ID+"/begin", http.StatusConflict, "elsewhere")
	s.refuse(http.MethodGet, "/runs/"+told.ID+"/book/", http.StatusNotFound, "elsewhere")
	if code, _, b := s.send(http.MethodPost, "/runs/"+told.ID+"/verify"); code != http.StatusAccepted {
		t.Errorf("%d %s", code, b)
	}
	s.until("the verdict", func(r *run) bool { return r.Verification.Verdict != "" })

	n.leave()
	told = s.until("its absence", func(r *run) bool { return r.Away != "" })
	if told.Status.State != "complete" || told.Verification.Verdict == "" {
		t.Errorf("what was heard last is gone: %+v", told)
	}
	s.refuse(http.MethodGet, "/runs/"+told.ID+"/answer/query?arg=start", http.StatusBadGateway, n.URL)
	var list []struct{ URL, Run, Error string }
	s.get("/coordinators", &list)
	if len(list) != 1 || list[0].URL != n.URL || list[0].Run != told.ID || list[0].Error == "" {
		t.Errorf("%+v", list)
	}
	n.away.Store(false)
	s.until("its return", func(r *run) bool { return r.At != "" && r.Away == "" })
	var again []struct{ Error string }
	if s.get("/coordinators", &again); len(again) != 1 || again[0].Error != "" {
		t.Errorf("%+v", again)
	}
}

// TestOddCoordinators sends answers that no coordinator should send. The coordinator is shown as one that does not
// answer, and none of its text becomes a part of the page.
func TestOddCoordinators(t *testing.T) {
	events := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Set-Cookie", "a=b")
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = io.WriteString(w, text)
			if r.URL.Path == "/events" {
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			}
		})
	}
	n := newNeighbour(t, events("event: run\ndata: {\"id\": \"../x\"}\n\n"))
	s := newOnlooker(t, n.URL)
	said := func(part string) {
		t.Helper()
		next := s.events("coordinators")
		for {
			data, err := next()
			if err != nil {
				t.Fatalf("nobody says %q: %v", part, err)
			}
			if strings.Contains(data, part) {
				return
			}
		}
	}
	said("is no run ID")
	h := events("event: run\ndata: {\"id\": 7}\n\n")
	n.answer.Store(&h)
	n.CloseClientConnections()
	said("cannot be read")
	h2 := events("event: run\ndata: {\"id\": \"abc\", \"title\": \"odd\"}\n\n")
	n.answer.Store(&h2)
	n.CloseClientConnections()
	s.until("a run", func(r *run) bool { return r.ID == "abc" })
	code, head, _ := s.send(http.MethodGet, "/runs/abc/v1/x.js")
	if kind := head.Get("Content-Type"); code != http.StatusOK || kind != "application/octet-stream" ||
		head.Get("Set-Cookie") != "" || len(head.Values("Content-Security-Policy")) != 1 {
		t.Errorf("%d %v", code, head)
	}
	// One run after the other at the same address: the oldest are forgotten.
	for i := range 8 {
		h := events(fmt.Sprintf("event: run\ndata: {\"id\": \"run%d\"}\n\n", i))
		n.answer.Store(&h)
		n.CloseClientConnections()
		s.until("another run", func(r *run) bool { return r.ID == fmt.Sprintf("run%d", i) && r.Away == "" })
	}
	if list := s.runs(); len(list) != 1+8 || list[1].ID != "run0" || list[1].Away == "" {
		t.Errorf("%d runs: %+v", len(list), list)
	}
}
