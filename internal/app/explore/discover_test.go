package explore_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pagoda/internal/app/explore"
	"pagoda/internal/app/runs"
	"pagoda/internal/catalog"
	"pagoda/internal/output/book"
	"pagoda/internal/run/certificate"
	"pagoda/internal/run/rundir"
)

// TestDiscovered has runs come into a folder that is empty at first, while a client watches: one that could have been
// carried out here, which is offered once, and a folder that is damaged, of which the user is told once.
func TestDiscovered(t *testing.T) {
	dir := t.TempDir()
	var told []string
	s := siteOf(t, explore.Options{
		Loader: runs.Loader{Catalog: catalog.All}, Small: smalls, Temp: t.TempDir(), Folders: []string{dir},
		Unreadable: func(dir string, _ error) { told = append(told, filepath.Base(dir)) },
	})
	if list := s.runs(); len(list) != len(smalls) || !list[0].Small {
		t.Fatalf("%+v", list)
	}
	bad := filepath.Join(dir, "bad")
	if err := os.Mkdir(bad, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bad, "run.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	next := s.stream()
	carryOut(t, smalls[0].Config, filepath.Join(dir, "late"), 0)
	for {
		r, err := next()
		if err != nil {
			t.Fatal(err)
		}
		if r.Puzzle == "peg" && !r.Small && r.Status.State == "complete" {
			break
		}
	}
	list := s.runs()
	if len(list) != len(smalls) {
		t.Errorf("%d runs are offered: %+v", len(list), list)
	}
	if fmt.Sprint(told) != "[bad]" {
		t.Errorf("the user is told of %q", told)
	}
}

// TestNotLeft looks at a folder whose run is complete by its status file, while its process has it still: the run is
// complete once the process has left the folder, and then its result is known.
func TestNotLeft(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	carryOut(t, smalls[1].Config, dir, 0)
	j, err := runs.Loader{Catalog: catalog.All}.Stored(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	now, err := rundir.ReadStatus(dir, j.Puzzle)
	if err != nil {
		t.Fatal(err)
	}
	f, err := rundir.Open(dir, rundir.FolderOptions{})
	if err == nil {
		err = f.WriteStatus(&now)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, dir)
	if list := s.runs(); list[0].Status.State != "exporting" {
		t.Errorf("while its process has the folder: %+v", list[0])
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var listed []struct {
		Result *struct{ Name string }
		Status struct{ State string }
	}
	if s.get("/runs", &listed); listed[0].Status.State != "complete" || listed[0].Result == nil {
		t.Errorf("afterwards: %+v", listed[0])
	}
}

// TestNoSuchFolder: a folder that is not there may be a slip of the pen, and is not waited for.
func TestNoSuchFolder(t *testing.T) {
	_, err := explore.New(t.Context(), explore.Options{Loader: runs.Loader{Catalog: catalog.All},
		Folders: []string{filepath.Join(t.TempDir(), "none")}})
	if err == nil {
		t.Error("a folder that is not there is waited for")
	}
}

// TestResult compares the result of a run with what `run` prints, number by number. It is given while no client has the
// folder open: the windows were read when the run was found.
func TestResult(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	carryOut(t, smalls[1].Config, dir, 0)
	s := newSite(t, dir)
	id := s.runs()[0].ID
	var printed map[string]any
	s.get("/runs/"+id+"/v1/results?output=json", &printed)
	if err := os.RemoveAll(filepath.Join(dir, "store")); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Facts []struct {
			Name, Doc, Value string
			List             []string
		}
		Tables []struct {
			Name    string
			Columns []struct{ Name, Doc string }
			Rows    [][]string
		}
		Config      string
		Certificate *struct{ Root, Words string }
	}
	s.get("/runs/"+id+"/result", &got)
	numbers := 0
	for _, f := range got.Facts {
		value := f.Value
		if f.List != nil {
			value = fmt.Sprint(f.List)
		}
		if want := printed[f.Name]; value != fmt.Sprint(want) || f.Doc == "" {
			t.Errorf("%s is %s (%s), want %v", f.Name, value, f.Doc, want)
		}
		numbers++
	}
	for _, table := range got.Tables {
		lines, _ := printed[table.Name].([]any)
		if len(lines) != len(table.Rows) || len(lines) == 0 {
			t.Fatalf("%s has %d rows, want %d", table.Name, len(table.Rows), len(lines))
		}
		for i, row := range table.Rows {
			for k, c := range table.Columns {
				if want := lines[i].(map[string]any)[c.Name]; fmt.Sprint(want) != row[k] || c.Doc == "" {
					t.Errorf("%s, row %d, %s: %s, want %v", table.Name, i, c.Name, row[k], want)
				}
				numbers++
			}
		}
	}
	if numbers < 100 || !strings.Contains(got.Config, "board: triangle5") || got.Certificate != nil {
		t.Errorf("%d numbers; %s, %v", numbers, got.Config, got.Certificate)
	}
	var listed []struct {
		Result struct{ Name, Value string }
	}
	s.get("/runs", &listed)
	if want := fmt.Sprint(printed[listed[0].Result.Name]); listed[0].Result.Value != want || want == "" {
		t.Errorf("the list has %+v, want %s", listed[0].Result, want)
	}
	s.refuse(http.MethodGet, "/runs/"+id+"/certificate", http.StatusNotFound, "no certificate")
	s.refuse(http.MethodGet, "/runs/"+id+"/book/", http.StatusNotFound, "no certificate")

	// The certificate of a folder is sent as it is there, and cited by its root.
	of := filepath.Join(t.TempDir(), "certified")
	carryOut(t, smalls[1].Config, of, 0)
	stored, err := runs.Loader{Catalog: catalog.All}.Results(t.Context(), of)
	if err != nil {
		t.Fatal(err)
	}
	program := certificate.Program{Version: "test", Format: 1}
	c, err := stored.Certificate(stored.Folder, stored.Results, program, certificate.Checks{})
	stored.Close()
	if err == nil {
		var b []byte
		if b, err = c.Encode(); err == nil {
			err = os.WriteFile(filepath.Join(of, "certificate.json"), b, 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	s = newSite(t, of)
	s.get("/runs/"+id+"/result", &got)
	root, err := json.Marshal(c.Root)
	if err != nil || got.Certificate == nil || `"`+got.Certificate.Root+`"` != string(root) {
		t.Errorf("%v, want the root %s", got.Certificate, root)
	}
	if got.Certificate.Words != c.Words.String() || c.Words.Windows() != c.Windows {
		t.Errorf("of %d windows %q, want %q", c.Windows, got.Certificate.Words, c.Words)
	}
	if _, _, b := s.send(http.MethodGet, "/runs/"+id+"/certificate"); !strings.Contains(string(b), got.Certificate.Root) {
		t.Errorf("%.200s", b)
	}

	// Its page in a book is the one that publish makes.
	record, err := runs.Loader{Catalog: catalog.All}.Record(t.Context(), of)
	if err == nil {
		err = record.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	files, err := book.Site("Pagoda: results", []*book.Record{record})
	if err != nil {
		t.Fatal(err)
	}
	_, _, first := s.send(http.MethodGet, "/runs/"+id+"/book/") // which leads there
	for _, f := range files {
		code, _, b := s.send(http.MethodGet, "/runs/"+id+"/book/"+f.Path)
		if code != http.StatusOK || !bytes.Equal(b, f.Data) {
			t.Errorf("%s: status %d, and %d bytes of %d", f.Path, code, len(b), len(f.Data))
		}
		if f.Path == record.Page() && !bytes.Equal(first, f.Data) {
			t.Errorf("the book leads to\n%.200s", first)
		}
	}
	s.refuse(http.MethodGet, "/runs/"+id+"/book/other.html", http.StatusNotFound, "no file")
}
