package explore_test

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"pagoda/internal/app/explore"
	"pagoda/internal/app/runs"
	"pagoda/internal/catalog"
	"pagoda/internal/run/coordinator"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/status"
)

// carryOut carries out the run of a config in a folder, until so many windows are committed; 0: to its end.
func carryOut(t *testing.T, config, dir string, windows int) {
	t.Helper()
	j, err := runs.Loader{Catalog: catalog.All}.Parse(t.Context(), "test", []byte(config))
	if err != nil {
		t.Fatal(err)
	}
	text, err := j.Config.YAML(false)
	if err != nil {
		t.Fatal(err)
	}
	f, err := rundir.Create(dir, rundir.NewMeta(j.Puzzle.Identity(), string(text)), rundir.FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	committed := func(e coordinator.Committed) {
		if e.Done == windows {
			stop()
		}
	}
	_, err = engine.Run(ctx, j.Puzzle, f, engine.Options{Events: coordinator.Events{Committed: committed}})
	if err != nil && windows == 0 {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestFolders offers a complete run and one that was stopped. The complete one answers, although it was not begun here;
// the small run of the same ID is not offered besides. The other says that it is not complete.
func TestFolders(t *testing.T) {
	dir := t.TempDir()
	whole, half := filepath.Join(dir, "whole"), filepath.Join(dir, "half")
	carryOut(t, smalls[0].Config, whole, 0)
	carryOut(t, strings.ReplaceAll(smalls[0].Config, "r0c0", "r2c1")+"window_addresses: 64\n", half, 3)
	s := newSite(t, whole, half)
	list := s.runs()
	if len(list) != 3 || list[0].Status.State != "complete" || list[0].Small || list[1].Status.State != "stopped" ||
		!list[2].Small {
		t.Fatalf("%+v", list)
	}
	g := triangle()
	a := s.query(list[0].ID, g.start)
	g.check(t, g.start, &a)
	s.refuse(http.MethodPost, "/runs/"+list[0].ID+"/begin", http.StatusConflict, "folder of its own")
	s.refuse(http.MethodGet, "/runs/"+list[1].ID+"/answer/query?arg=start", http.StatusConflict, "not complete")

	// A table is the same as in the output of export.
	code, _, b := s.send(http.MethodGet, "/runs/"+list[0].ID+"/v1/export?table=layers&format=csv")
	if code != http.StatusOK || !strings.HasPrefix(string(b), "jumps,pegs,") {
		t.Errorf("%d %s", code, b)
	}
	a = s.query(list[0].ID, g.goal)
	g.check(t, g.goal, &a)
}

// TestSameRun gives two folders of one run, in both orders. Its ID would not say which, so the one that is further is
// shown, and the user is told of the other. A folder that is named twice is one folder.
func TestSameRun(t *testing.T) {
	dir := t.TempDir()
	begun, complete := filepath.Join(dir, "begun"), filepath.Join(dir, "complete")
	carryOut(t, smalls[0].Config, begun, 1)
	carryOut(t, smalls[0].Config, complete, 0)
	for _, folders := range [][]string{{begun, complete}, {complete, begun}, {complete, begun, complete}} {
		var told []string
		s, err := explore.New(t.Context(), explore.Options{
			Loader: runs.Loader{Catalog: catalog.All}, Folders: folders,
			Same: func(shown, other, _ string) { told = append(told, shown+" "+other) },
		})
		if err != nil {
			t.Fatal(err)
		}
		list := (&site{t: t, server: s, http: newServer(t, s)}).runs()
		if len(list) != 1 || list[0].Status.State != status.StateComplete {
			t.Errorf("%v: %+v", folders, list)
		}
		if len(told) != 1 || told[0] != complete+" "+begun {
			t.Errorf("%v: told %q", folders, told)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestNothingStays demands that the temporary folder goes with the server.
func TestNothingStays(t *testing.T) {
	temp := t.TempDir()
	s, err := explore.New(t.Context(), explore.Options{
		Loader: runs.Loader{Catalog: catalog.All}, Small: smalls, Temp: temp,
	})
	if err != nil {
		t.Fatal(err)
	}
	site := &site{t: t, server: s, http: newServer(t, s)}
	site.begin("Triangle")
	if made, err := filepath.Glob(temp + "/*"); err != nil || len(made) != 1 {
		t.Errorf("%v, %v", made, err)
	}
	s.Stop()
	site.http.Close()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(temp + "/*"); err != nil || len(left) != 0 {
		t.Errorf("%v stays, %v", left, err)
	}
}
