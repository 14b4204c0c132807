package explore_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pagoda/internal/app/api"
	"pagoda/internal/app/explore"
	"pagoda/internal/app/runs"
	"pagoda/internal/catalog"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/status"
)

// verified follows the stream until the verification of a run is over.
func (s *site) verified(id string) checked {
	s.t.Helper()
	next := s.stream()
	for {
		told, err := next()
		if err != nil {
			s.t.Fatal(err)
		}
		if told.ID == id && told.Verification.State != "running" && told.Verification.State != "" {
			return told.Verification
		}
	}
}

// TestVerify verifies a folder from the page, as it is and after a byte of its rows was changed. Nothing is changed by
// that. A run that is not complete is refused.
func TestVerify(t *testing.T) {
	dir := t.TempDir()
	carryOut(t, smalls[0].Config, dir+"/good", 0)
	carryOut(t, smalls[1].Config, dir+"/bad", 0)
	damage(t, dir+"/bad")
	s := newSite(t, dir+"/good", dir+"/bad")
	list := s.runs()
	for i, part := range []string{"no error found", " error"} {
		path := "/runs/" + list[i].ID + "/verify"
		if code, _, b := s.send(http.MethodGet, path); code != http.StatusMethodNotAllowed {
			t.Errorf("GET: %d %s", code, b)
		}
		if code, _, b := s.send(http.MethodPost, path); code != http.StatusAccepted {
			t.Fatalf("%d %s", code, b)
		}
		v := s.verified(list[i].ID)
		if !strings.Contains(v.Verdict, part) || (len(v.Findings) > 0) != (i == 1) {
			t.Errorf("%+v, want %q", v, part)
		}
	}
	s = newSite(t)
	s.refuse(http.MethodPost, "/runs/"+s.runs()[0].ID+"/verify", http.StatusConflict, "not complete")
}

// damage changes a byte in the middle of the longest file of the rows.
func damage(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(dir + "/*/*")
	longest, size := "", int64(0)
	for _, name := range files {
		if info, statErr := os.Stat(name); statErr == nil && info.Mode().IsRegular() && info.Size() > size &&
			strings.HasSuffix(name, ".seg") {
			longest, size = name, info.Size()
		}
	}
	if err != nil || size == 0 {
		t.Fatalf("%q has no rows: %v", files, err)
	}
	b, err := os.ReadFile(longest)
	if err != nil {
		t.Fatal(err)
	}
	b[size/2] ^= 1
	if err := os.WriteFile(longest, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestLive offers a run that this process carries out: watchers are told how far it is, and the last word also when the
// server ends at once.
func TestLive(t *testing.T) {
	dir := t.TempDir() + "/run"
	carryOut(t, smalls[0].Config, dir, 0)
	stored, err := runs.Loader{Catalog: catalog.All}.Results(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer stored.Close()
	said := make(chan api.Status, 1)
	tell := func(state string, p *plan.Plan) {
		now := api.Status{Status: rundir.PlanStatus(&stored.Folder.Meta, p)}
		now.State = state
		said <- now
	}
	tell("starting", stored.Results)
	live := explore.Live{
		Job: stored.Job, Run: func(bool) (*runs.Stored, func(), error) { return stored, func() {}, nil },
		Status: func() api.Status {
			now := <-said
			said <- now
			return now
		},
	}
	s := newSite(t)
	next := s.stream()
	for range smalls {
		if _, err := next(); err != nil {
			t.Fatal(err)
		}
	}
	s.server.Carry(live) // the same as a small one
	if n := len(s.runs()); n != len(smalls) {
		t.Fatalf("%d runs are offered", n)
	}
	alone, err := explore.New(t.Context(), explore.Options{Loader: runs.Loader{Catalog: catalog.All}})
	if err != nil {
		t.Fatal(err)
	}
	site := &site{t: t, server: alone, http: newServer(t, alone)}
	next = site.stream()
	alone.Carry(live)
	alone.Carry(live)
	for _, state := range []string{"starting", "running", status.StateComplete} {
		if state != "starting" {
			<-said
			tell(state, stored.Results)
		}
		if state == status.StateComplete {
			alone.Stop()
		}
		told, err := next()
		if err != nil || told.Status.State != state || !told.Live {
			t.Fatalf("%+v, %v, want %s", told, err, state)
		}
	}
	if _, err := next(); err == nil {
		t.Error("the stream goes on")
	}
	g := triangle()
	a := site.query(stored.ID, g.start)
	g.check(t, g.start, &a)
	if err := alone.Close(); err != nil {
		t.Error(err)
	}
}

// TestStrangersOnlyRead: without keys, a client on another machine may read and no more.
func TestStrangersOnlyRead(t *testing.T) {
	s := newSite(t)
	id := s.runs()[0].ID
	for _, c := range []struct {
		method, from string
		status       int
	}{
		{http.MethodGet, "192.0.2.7:4000", http.StatusOK},
		{http.MethodPost, "192.0.2.7:4000", http.StatusForbidden},
		{http.MethodPost, "[2001:db8::1]:4000", http.StatusForbidden},
		{http.MethodPost, "", http.StatusForbidden},
		{http.MethodPost, "[::ffff:127.0.0.1]:4000", http.StatusAccepted},
		{http.MethodPost, "127.0.0.1:4000", http.StatusAccepted},
	} {
		path := "/runs"
		if c.method == http.MethodPost {
			path += "/" + id + "/begin"
		}
		if code := s.from(c.from, c.method, path); code != c.status {
			t.Errorf("%s from %q: %d, want %d", c.method, c.from, code, c.status)
		}
	}
	s.watch(id, "complete")
}
