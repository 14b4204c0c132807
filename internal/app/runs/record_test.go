package runs_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pagoda/internal/output/book"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/status"
)

// TestRecord: the record of each kind of run is read as it was written, with tables that agree with its totals.
func TestRecord(t *testing.T) {
	const triangle = "name: small\npuzzle: peg\nboard: triangle4\nstart: r1c0\n"
	for name, config := range map[string]string{
		"games":            triangle + "goal: r1c1\n",
		"games, no goal":   triangle,
		"solutions":        triangle + "goal: r1c1\ncount: solutions\n",
		"pairs":            "name: small\npuzzle: peg\nboard: triangle4\ncount: solutions\npairs: all\n",
		"ways":             triangle + "goal: r1c1\ncount: solutions\nstore_ways: true\n",
		"reserve":          triangle + "goal: r1c1\ncount: solutions\nreserve: true\n",
		"positions":        triangle + "count: positions\n",
		"winnable":         triangle + "goal: r1c1\ncount: positions\nonly: winnable\n",
		"sequences":        "name: small\npuzzle: peg\nboard: triangle4\ncount: sequences\n",
		"by pegs":          "name: small\npuzzle: peg\nboard: triangle4\ncount: sequences_by_pegs\n",
		"sweeps":           triangle + "goal: r1c1\ncount: sweeps\n",
		"chances":          triangle + "goal: r1c1\ncount: chances\n",
		"survey":           "name: small\npuzzle: peg\nboard: triangle4\ncount: survey\npairs: all\n",
		"survey, one peg":  "name: small\npuzzle: peg\nboard: triangle4\ncount: survey\npairs: one_peg\n",
		"survey, any":      "name: small\npuzzle: peg\nboard: triangle4\ncount: survey\npairs: positions\nmost_pegs: 3\n",
		"a rule":           "name: small\npuzzle: peg\ndrawing: ooo\nrule: 1>2>3\nstart: 3\n",
		"tiles":            "name: small\npuzzle: tiles\nrows: 2\ncolumns: 3\n",
		"hits":             "name: small\npuzzle: mousetrap\ncards: 5\ncount: hits\n",
		"winning":          "name: small\npuzzle: mousetrap\ncards: 5\nvariant: modular\n",
		"reformed":         "name: small\npuzzle: mousetrap\ncards: 5\ncount: reformed\n",
		"baseball":         "name: small\npuzzle: baseball\nbases: 3\n",
		"babylone":         "name: small\npuzzle: babylone\ncolours: 2\nbricks: 2\n",
		"babylone nimbers": "name: small\npuzzle: babylone\ncolours: 2\nbricks: 2\ncount: nimbers\n",
		"babylone graph":   "name: small\npuzzle: babylone\ncolours: 2\nbricks: 2,1\ncount: graph\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := carriedOut(t, config)
			r, err := loader.Record(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			b, err := r.Encode()
			if err != nil {
				t.Fatal(err)
			}
			again, err := book.Decode(b)
			if err == nil {
				err = loader.CheckRecord(t.Context(), again)
			}
			if err != nil {
				t.Fatal(err)
			}
			if text, err := again.Encode(); err != nil || !bytes.Equal(text, b) {
				t.Errorf("written again it is another record: %v", err)
			}
			if strings.Count(r.Definition, ". ") != 1 || !strings.HasSuffix(r.Definition, ".") {
				t.Errorf("the definition has other than two sentences: %s", r.Definition)
			}
			if c := r.Computed; c == nil || c.Workers != 1 || c.Slots != 2 {
				t.Errorf("computed by %+v, want one worker with two slots", c)
			}
		})
	}
}

// carriedOut is the folder of a complete run with its certificate.
func carriedOut(t *testing.T, config string) string {
	t.Helper()
	j, err := loader.Parse(t.Context(), "small.yaml", []byte(config))
	if err != nil {
		t.Fatal(err)
	}
	f, end := folderFor(t, j)
	defer end()
	out, err := engine.Run(t.Context(), j.Puzzle, f, engine.Options{Concurrency: 2, CacheBytes: 64 << 20})
	if err == nil {
		err = j.Certify(f, out.Results)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f.Dir
}

const triangle4 = "name: small\npuzzle: peg\nboard: triangle4\nstart: r1c0\ngoal: r1c1\n"

// TestRecordChanged: a record that agrees with itself, and not with its puzzle, is refused.
func TestRecordChanged(t *testing.T) {
	dir := carriedOut(t, triangle4)
	for want, change := range map[string]func(*book.Record){
		"its config is of run":               func(r *book.Record) { r.Config = strings.Replace(r.Config, "r1c0", "3", 1) },
		"config:":                            func(r *book.Record) { r.Config += "more: 1\n" },
		"it is about Mousetrap, triangle4":   func(r *book.Record) { r.Puzzle = "Mousetrap" },
		"it is about Peg solitaire, english": func(r *book.Record) { r.Board = "english" },
		"its settings give start":            func(r *book.Record) { r.Certificate.Settings[3].Value = "r0c0" },
	} {
		r, err := loader.Record(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := loader.CheckRecord(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		change(r)
		err = loader.CheckRecord(t.Context(), r)
		if !errors.Is(err, book.ErrRecord) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestRecordOfStatus: time and workers come from the status file of a process that computed all windows, and from no
// other.
func TestRecordOfStatus(t *testing.T) {
	dir := carriedOut(t, triangle4)
	f, err := rundir.Open(dir, rundir.FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := loader.Record(t.Context(), dir)
	if err == nil {
		t.Fatalf("a folder was read that another holds: %+v", r)
	}
	begun := time.Date(2026, 2, 3, 23, 59, 0, 0, time.UTC)
	s := status.Status{Run: f.Meta.Run, Puzzle: f.Meta.Puzzle, State: status.StateComplete, Started: begun,
		Updated: begun.Add(90 * time.Second)}
	s.Workers = []status.WorkerStatus{{Name: "a", State: status.WorkerActive, Concurrency: 2},
		{Name: "b", State: status.WorkerActive, Concurrency: 3}}
	write := func(committed int) {
		s.Committed = committed
		if err := f.WriteStatus(&s); err != nil {
			t.Fatal(err)
		}
	}
	write(1)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if r, err = loader.Record(t.Context(), dir); err != nil || r.Computed != nil {
		t.Fatalf("%+v of a part, %v", r.Computed, err)
	}
	write(r.Certificate.Windows)
	r, err = loader.Record(t.Context(), dir)
	if err != nil || r.Computed == nil {
		t.Fatal(r, err)
	}
	want := book.Computed{Completed: "2026-02-04", Millis: 90_000, Workers: 2, Slots: 5, Bytes: r.Computed.Bytes}
	if *r.Computed != want || want.Bytes == 0 {
		t.Errorf("%+v, want %+v", *r.Computed, want)
	}
}

// TestKeptRecords: all records of the project's book are of runs as this program plans them.
func TestKeptRecords(t *testing.T) {
	paths, err := filepath.Glob("../../../docs/book/records/*.json")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d records: %v", len(paths), err)
	}
	seen := map[string]string{}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := book.Decode(b)
		if err == nil {
			err = loader.CheckRecord(t.Context(), r)
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if r.Name+".json" != filepath.Base(path) || seen[r.Certificate.Run] != "" {
			t.Errorf("%s is of run %s, named %s, as %s is", path, r.Certificate.Run, r.Name, seen[r.Certificate.Run])
		}
		seen[r.Certificate.Run] = path
	}
}
