//go:build e2e

package e2e

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// shared is the one uninterrupted English run that others are compared with.
var shared struct {
	once    sync.Once
	ok      bool
	took    time.Duration // to scale delays with; nothing is asserted about it
	windows int
	json    document
	exports map[string]string
}

// Layers whose count files are compared, by number of jumps. The large ones, of 64-bit counts, are some 25 and 35 MB of
// CSV: two runs are compared by them, all with -long. Every row of a run cut as by default is compared by its root.
var (
	compared = []string{"7", "25", "28", "31"}
	large    = []string{"13", "21"}
)

// uninterrupted makes the reference run at its first call.
func uninterrupted(t *testing.T) {
	t.Helper()
	shared.once.Do(func() {
		data := filepath.Join(t.TempDir(), "data")
		began := time.Now()
		c := must(t, fine, "run", "configs/english.yaml", "--data", data, "--set", "retention=all", "--output", "json")
		shared.took = time.Since(began)
		shared.json = c.document(t)
		if shared.windows = len(table(t, export(t, data, "windows", ""))); shared.windows < 5 {
			t.Fatalf("%d windows", shared.windows)
		}
		shared.exports = digestsFrom(t, "--data", data, slices.Concat(compared, large))
		matchesGolden(t, shared.json, data)
		must(t, fine, "verify", "--data", data, "--reference", "test/e2e/testdata/english.csv")
		rootIsGolden(t, "english", data)
		shared.ok = true
	})
	if !shared.ok {
		t.Fatal("the uninterrupted run of the English board failed; see the test that made it")
	}
}

// digestsFrom exports the layer table and the counts of layers from a folder, --data, or a coordinator, --url.
func digestsFrom(t *testing.T, flag, where string, layers []string) map[string]string {
	t.Helper()
	d := map[string]string{"layers": fmt.Sprintf("%x", sha256.Sum256(exportFrom(t, flag, where, "layers", "")))}
	for _, layer := range layers {
		d["counts of layer "+layer] = fmt.Sprintf("%x", sha256.Sum256(exportFrom(t, flag, where, "counts", layer)))
	}
	return d
}

// sameAsUninterrupted demands that a finished run exports the same bytes.
func sameAsUninterrupted(t *testing.T, data string) {
	t.Helper()
	layers := compared
	if *long {
		layers = slices.Concat(compared, large)
	}
	sameExports(t, "--data", data, layers)
}

func sameExports(t *testing.T, flag, where string, layers []string) {
	t.Helper()
	for what, digest := range digestsFrom(t, flag, where, layers) {
		if digest != shared.exports[what] {
			t.Errorf("%s differ from those of the uninterrupted run", what)
		}
	}
}

func matchesGolden(t *testing.T, d document, data string) {
	t.Helper()
	golden, err := os.ReadFile("testdata/english.csv")
	if err != nil {
		t.Fatal(err)
	}
	want := table(t, golden)
	for name, got := range map[string][]row{
		"json":   d.Layers,
		"export": table(t, export(t, data, "layers", "")),
	} {
		if len(got) != len(want) {
			t.Fatalf("%s: %d layers, want %d", name, len(got), len(want))
		}
		for i := range want {
			maps.DeleteFunc(got[i], func(column, _ string) bool { _, ok := want[i][column]; return !ok })
			if !maps.Equal(got[i], want[i]) {
				t.Errorf("%s: layer %d is %v, want %v", name, i, got[i], want[i])
			}
		}
	}
	for _, c := range []struct{ name, got, want string }{
		{"games", d.Games, "577116156815309849672"},
		{"solutions", d.Solutions, "40861647040079968"},
		{"classes", d.Classes, "23475688"},
		{"positions", d.Positions, "187636299"},
	} {
		if c.got != c.want {
			t.Errorf("%s = %q, want %s", c.name, c.got, c.want)
		}
	}
}

func TestEnglishGames(t *testing.T) { uninterrupted(t) }

// Workers and windows decide how the work is done, never its result.
func TestEnglishWorkersAndWindows(t *testing.T) {
	uninterrupted(t)
	r := random(t)
	workers := []string{"1", "2", "7"}
	addresses := []string{"20000", "100000", "0"}
	if *long {
		addresses[0] = "1000"
	}
	r.Shuffle(len(workers), func(i, j int) { workers[i], workers[j] = workers[j], workers[i] })
	for i := range workers {
		t.Logf("workers %s, window_addresses %s", workers[i], addresses[i])
		data := filepath.Join(t.TempDir(), "data")
		must(t, fine, "run", "configs/english.yaml", "--data", data, "--concurrency", workers[i],
			"--set", "window_addresses="+addresses[i], "--set", "retention=all")
		if i == 0 {
			sameExports(t, "--data", data, large)
		}
		sameAsUninterrupted(t, data)
		if err := os.RemoveAll(data); err != nil {
			t.Fatal(err)
		}
	}
}
