package runs_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"pagoda/internal/app/runs"
	"pagoda/internal/catalog"
	"pagoda/internal/output/render"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/rundir"
)

var loader = runs.Loader{Catalog: catalog.All}

// jobOf makes the job of a config.
func jobOf(t *testing.T, text string) *runs.Job {
	t.Helper()
	j, err := loader.Parse(t.Context(), "test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// folderFor makes an empty data folder for a job. The function closes it.
func folderFor(t *testing.T, j *runs.Job) (*rundir.Folder, func()) {
	t.Helper()
	text, err := j.Config.YAML(false)
	if err != nil {
		t.Fatal(err)
	}
	meta := rundir.NewMeta(j.Puzzle.Identity(), string(text))
	f, err := rundir.Create(filepath.Join(t.TempDir(), "data"), meta, rundir.FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return f, func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// stored carries out a run and opens its folder.
func stored(t *testing.T, text string) *runs.Stored {
	t.Helper()
	return storedWith(t, text, engine.Options{Concurrency: 2, CacheBytes: 64 << 20})
}

func storedWith(t *testing.T, text string, o engine.Options) *runs.Stored {
	t.Helper()
	j := jobOf(t, text)
	f, end := folderFor(t, j)
	if _, err := engine.Run(t.Context(), j.Puzzle, f, o); err != nil {
		t.Fatal(err)
	}
	end()
	return resultsIn(t, f.Dir)
}

// resultsIn loads the results in a folder, which are closed at the end of the test.
func resultsIn(t *testing.T, dir string) *runs.Stored {
	t.Helper()
	s, err := loader.Results(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// parquetOf exports a table, or the rows of a layer when layer is not "".
func parquetOf(t *testing.T, s *runs.Stored, table, layer string) *parquet.File {
	t.Helper()
	var b bytes.Buffer
	what := runs.Selection{Table: table, Layer: layer, Format: "parquet", Scale: string(render.Auto)}
	var err error
	if layer == "" {
		err = s.WriteTable(&b, what)
	} else {
		exporter, layers, layersErr := s.Layers(what)
		if layersErr != nil {
			t.Fatal(layersErr)
		}
		_, err = s.WriteLayer(t.Context(), &b, exporter, layers[0], what, t.TempDir(), 1<<20, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func demandNotes(t *testing.T, f *parquet.File, want map[string]string) {
	t.Helper()
	for name, text := range want {
		if got, _ := f.Lookup("pagoda." + name); got != text {
			t.Errorf("%s is %q, want %q", name, got, text)
		}
	}
}

// TestParquetNamesItsRun demands that every file names the run, its part of the run, and a digest that follows from the
// table of windows; and that the columns of all layers have the same types.
func TestParquetNamesItsRun(t *testing.T) {
	s := stored(t, "puzzle: peg\nname: t\nboard: triangle5\nstart: r0c0\ngoal: r0c0\nwindow_addresses: 64\n")
	var b bytes.Buffer
	what := runs.Selection{Table: runs.WindowsTable, Format: "csv", Scale: string(render.Auto)}
	if err := s.WriteTable(&b, what); err != nil {
		t.Fatal(err)
	}
	whole := map[string]string{
		"run": s.ID, "puzzle": "peg", "board": "----o/---o-o/--o-o-o/-o-o-o-o/o-o-o-o-o",
		"start": "----./---o-o/--o-o-o/-o-o-o-o/o-o-o-o-o", "goal": "----o/---.-./--.-.-./-.-.-.-./.-.-.-.-.",
		"count": "games", "window_addresses": "64", "table": "layers", "layer": "",
		"digest": fmt.Sprintf("%x", sha256.Sum256(b.Bytes())),
	}
	demandNotes(t, parquetOf(t, s, runs.LayersTable, ""), whole)
	schema := ""
	for n := range s.Results.Layers() {
		if p := s.Results.Progress()[n]; p.Rows == 0 {
			continue
		}
		layer := fmt.Sprint(n)
		var lines strings.Builder
		for line := range strings.Lines(b.String()) {
			if strings.HasPrefix(line, layer+",") {
				lines.WriteString(line)
			}
		}
		f := parquetOf(t, s, runs.CountsTable, layer)
		demandNotes(t, f, map[string]string{
			"run": s.ID, "table": "counts", "layer": layer, "digest": fmt.Sprintf("%x", sha256.Sum256([]byte(lines.String()))),
		})
		if schema == "" {
			schema = f.Schema().String()
		}
		if got := f.Schema().String(); got != schema {
			t.Errorf("layer %d: %s, the first layer: %s", n, got, schema)
		}
	}
	if !strings.Contains(schema, "jumps") {
		t.Errorf("no layer was exported, or without its number: %s", schema)
	}
}
