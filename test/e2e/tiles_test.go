//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"math/big"
	"path/filepath"
	"syscall"
	"testing"

	"pagoda/test/midrun"
)

// A survey that is killed and interrupted, cut differently and computed by more workers, gives the same exports.
func TestSurveyKilledAndResumed(t *testing.T) {
	r := random(t)
	const config = "configs/tiles-5x5.yaml"
	plain := filepath.Join(t.TempDir(), "plain")
	document := must(t, fine, "run", config, "--data", plain, "--output", "json", "--concurrency", "1").stdout.Bytes()
	knownSurvey(t, document)

	data := filepath.Join(t.TempDir(), "data")
	args := []string{
		"run",
		config,
		"--data",
		data,
		"--output",
		"json",
		"--set",
		"window_addresses=1000",
		"--concurrency",
		"3",
	}
	const most = 200 // windows of a run, of 2709
	stops := 0
	for range 5 {
		windows, signal := 1+r.IntN(most), signals[r.IntN(len(signals))]
		if _, code := stopAt(t, midrun.Anywhere, windows, signal, args...); code != fine {
			stops++
			t.Logf("%v after %d windows: code %d", signal, windows, code)
		}
	}
	if stops == 0 { // the first run cannot get far ahead of the reader of its log, which sends the signal
		t.Error("no run was stopped")
	}
	resumed := must(t, fine, args...).stdout.Bytes()
	must(t, fine, "verify", "--data", data)
	if !bytes.Equal(withoutRun(t, document), withoutRun(t, resumed)) {
		t.Errorf("documents differ:\n%s\n%s", last(string(document)), last(string(resumed)))
	}
	for _, what := range []string{"rows", "finals", "equal_missing_finals", "tile_distributions"} {
		if want, got := export(t, plain, what, ""), export(t, data, what, ""); !bytes.Equal(want, got) {
			t.Errorf("exports of %s differ: %d and %d bytes", what, len(want), len(got))
		}
	}
}

// knownSurvey compares the survey of 5x5 with the numbers that others found, and its histogram with the total.
func knownSurvey(t *testing.T, document []byte) {
	t.Helper()
	var d struct {
		Raw       string
		Colours   string `json:"up_to_colours"`
		Classes   string
		Histogram map[string]string `json:"histogram_raw"`
	}
	if err := json.Unmarshal(document, &d); err != nil {
		t.Fatal(err)
	}
	if d.Raw != "325061760" || d.Colours != "2708848" || d.Classes != "341041" {
		t.Errorf("raw, up to colours, classes: %s, %s, %s", d.Raw, d.Colours, d.Classes)
	}
	if got := sum(t, d.Histogram); got != d.Raw {
		t.Errorf("the histogram has %s grids, want %s", got, d.Raw)
	}
}

// withoutRun takes the run ID out of a document: it depends on how the survey is cut.
func withoutRun(t *testing.T, document []byte) []byte {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(document, &fields); err != nil {
		t.Fatal(err)
	}
	delete(fields, "run")
	b, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sum adds counts.
func sum(t *testing.T, counts map[string]string) string {
	t.Helper()
	total := new(big.Int)
	for _, c := range counts {
		n, ok := new(big.Int).SetString(c, 10)
		if !ok {
			t.Fatalf("%q is no count", c)
		}
		total.Add(total, n)
	}
	return total.String()
}

// signals are the ways in which a run is stopped.
var signals = []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL}
