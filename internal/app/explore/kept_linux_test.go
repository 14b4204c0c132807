package explore_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pagoda/internal/app/explore"
	"pagoda/internal/app/runs"
	"pagoda/internal/catalog"
	"pagoda/internal/peg"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/rundir"
)

// openFiles counts the files below a folder that this process has open.
func openFiles(t *testing.T, dir string) (n int) {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatalf("which files are open is read from /proc: %v", err)
	}
	for _, fd := range list {
		if path, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && strings.HasPrefix(path, dir+"/") {
			n++
		}
	}
	return n
}

// TestKept looks at a folder that stays open after an answer. Meanwhile another program, as run does, opens it for
// writing at once, has it while the page answers, and writes it anew; every number stays that of the reference.
func TestKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	carryOut(t, smalls[0].Config, dir, 0)
	s := newSite(t, dir)
	id := s.runs()[0].ID
	g := triangle()
	ask := func(position string) {
		t.Helper()
		a := s.query(id, position)
		g.check(t, position, &a)
	}
	ask(g.start)
	if openFiles(t, dir) == 0 {
		t.Fatal("the folder is closed after an answer")
	}
	j, err := runs.Loader{Catalog: catalog.All}.Stored(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		f, err := rundir.Open(dir, rundir.FolderOptions{})
		if err != nil {
			t.Fatalf("another program cannot have the folder: %v", err)
		}
		ask(g.goal) // from files opened before: the folder is locked
		if _, err := engine.Run(t.Context(), j.Puzzle, f, engine.Options{}); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		ask(g.start)
		ask(g.goal)
	}

	// The files that are open are gone, and others are in their place.
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	carryOut(t, smalls[0].Config, dir, 0)
	ask(g.start)
	ask(g.goal)
}

// TestKeptAreFew reads more folders than may stay open: those that were read first are closed, and answer again.
func TestKeptAreFew(t *testing.T) {
	root := t.TempDir()
	var dirs []string
	for n := range 6 {
		dirs = append(dirs, fmt.Sprintf("%s/%d", root, n))
		carryOut(t, fmt.Sprintf("puzzle: peg\nboard: triangle5\nstart: r%dc0\ngoal: r%dc0\ncount: solutions\n"+
			"store_ways: true\nretention: all\n", n/3, n%3), dirs[n], 0)
	}
	s := newSite(t, dirs...)
	list := s.runs()
	for range 2 {
		for n := range dirs {
			s.send(http.MethodGet, "/runs/"+list[n].ID+"/answer/query?arg=start")
		}
	}
	for n, dir := range dirs {
		if got, want := openFiles(t, dir) > 0, n >= 2; got != want {
			t.Errorf("folder %d of %d is open: %v, want %v", n, len(dirs), got, want)
		}
	}
}

// TestResultsKept asks questions of results, and for tables, of two runs: no folder is opened for them, and the answers
// are those of the folder. Where the results of one run alone may be kept, the folder of the other is opened.
func TestResultsKept(t *testing.T) {
	var dirs []string
	boards := []string{"triangle5", "triangle4"}
	for n, board := range boards {
		dirs = append(dirs, fmt.Sprintf("%s/%d", t.TempDir(), n))
		carryOut(t, "puzzle: peg\nboard: "+board+"\ncount: solutions\npairs: all\nretention: last\n", dirs[n], 0)
	}
	l := runs.Loader{Catalog: catalog.All}
	want := func(dir, format string) string {
		t.Helper()
		stored, err := l.Results(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer stored.Close()
		var b strings.Builder
		if err := stored.WriteTable(&b, runs.Selection{Table: "pairs", Format: format}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, keep := range []int{0, 1} {
		s := siteOf(t, explore.Options{Loader: l, Folders: dirs, Results: keep})
		list := s.runs()
		for n, dir := range dirs {
			var pairs struct {
				Document struct{ Pairs []struct{ Solutions string } }
			}
			s.get("/runs/"+list[n].ID+"/answer/pairs", &pairs)
			b, err := peg.Named(boards[n])
			if err != nil {
				t.Fatal(err)
			}
			if got, want := len(pairs.Document.Pairs), len(peg.CompatiblePairs(b)); got != want || want == 0 {
				t.Errorf("%d pairs, want %d", got, want)
			}
			for _, format := range []string{"csv", "parquet", "jsonl"} {
				code, _, b := s.send(http.MethodGet, "/runs/"+list[n].ID+"/v1/export?table=pairs&format="+format)
				if code != http.StatusOK || string(b) != want(dir, format) {
					t.Errorf("keep %d: %s of folder %d: %d, %d bytes that differ from those of export", keep, format, n, code, len(b))
				}
			}
			var layers []int
			s.get("/runs/"+list[n].ID+"/v1/layers", &layers)
			if code, _, b := s.send(http.MethodGet, "/runs/"+list[n].ID+"/v1/results"); code != http.StatusOK {
				t.Errorf("%d %s", code, b)
			}
			if got, want := openFiles(t, dir) > 0, keep == 1; got != want {
				t.Errorf("keep %d: folder %d is open: %v, want %v", keep, n, got, want)
			}
		}
		// The table of windows is in the ledger.
		if code, _, b := s.send(http.MethodGet, "/runs/"+list[1].ID+"/v1/export?table=windows"); code != http.StatusOK ||
			!strings.HasPrefix(string(b), "layer,cell,part,") || openFiles(t, dirs[1]) == 0 {
			t.Errorf("%d %.80s", code, b)
		}
	}
}
