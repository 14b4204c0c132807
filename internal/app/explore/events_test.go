package explore_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// stream opens the stream of events. next returns the next run that it tells of, io.EOF when it has ended.
func (s *site) stream() (next func() (run, error)) {
	s.t.Helper()
	data := s.events("run")
	return func() (told run, err error) {
		text, err := data()
		if err == nil {
			err = json.Unmarshal([]byte(text), &told)
		}
		return told, err
	}
}

// events opens the stream of events. next returns the data of the next one of a kind.
func (s *site) events(kind string) (next func() (string, error)) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.http.URL+"/events", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	resp, err := s.http.Client().Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = resp.Body.Close() })
	if sent := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || sent != "text/event-stream" {
		s.t.Fatalf("%s, %s", resp.Status, sent)
	}
	lines := bufio.NewReader(resp.Body)
	return func() (string, error) {
		event := ""
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return "", err
			}
			if name, ok := strings.CutPrefix(line, "event: "); ok {
				event = strings.TrimSpace(name)
			}
			if data, ok := strings.CutPrefix(line, "data: "); ok && event == kind {
				return data, nil
			}
		}
	}
}

// watch follows a run until it is in a state.
func (s *site) watch(id, state string) run {
	s.t.Helper()
	next := s.stream()
	for {
		told, err := next()
		if err != nil {
			s.t.Fatalf("the stream ends before run %s is %s: %v", id, state, err)
		}
		if told.ID == id && told.Status.State == "failed" && state != "failed" {
			s.t.Fatalf("run %s: %s", id, told.Status.Error)
		}
		if told.ID == id && told.Status.State == state {
			return told
		}
	}
}

// TestEvents follows a small run to its end: its windows never become fewer, and all watchers are told the end. The
// stream ends with the server.
func TestEvents(t *testing.T) {
	s := newSite(t)
	others := []func() (run, error){s.stream(), s.stream()}
	next := s.stream()
	offered := map[string]string{}
	for range s.runs() {
		r, err := next()
		if err != nil {
			t.Fatal(err)
		}
		offered[r.ID] = r.Status.State
	}
	id := s.runs()[0].ID
	if offered[id] != "offered" || len(offered) != len(smalls) {
		t.Fatalf("at first the stream tells %v", offered)
	}
	s.begin("Triangle")
	end := func(next func() (run, error)) run {
		done := 0
		for {
			r, err := next()
			if err != nil {
				t.Fatal(err)
			}
			if r.ID != id || r.Status.State == "offered" {
				continue
			}
			if r.Status.Done < done {
				t.Errorf("%d windows after %d", r.Status.Done, done)
			}
			done = r.Status.Done
			if r.Status.State == "complete" {
				return r
			}
		}
	}
	last := end(next)
	if last.Status.Done != last.Status.Windows || last.Status.Done == 0 || !last.Ways {
		t.Errorf("in the end: %+v", last)
	}
	for _, other := range others {
		if got := end(other); got.Status != last.Status {
			t.Errorf("another one is told %+v, not %+v", got, last)
		}
	}
	s.server.Stop()
	if _, err := next(); !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("when the server stops, the stream ends with %v", err)
	}
}
