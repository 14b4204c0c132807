package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pagoda/internal/app/estimate"
	"pagoda/internal/app/runs"
	"pagoda/internal/catalog"
	"pagoda/internal/config"
	"pagoda/internal/k8s"
	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/run/plan"
)

var update = flag.Bool("update", false, "write the tables of the documents anew")

// documented demands that a document has the lines, between <!-- NAME --> and <!-- end -->.
func documented(t *testing.T, document, name string, lines []string) {
	t.Helper()
	path := filepath.Join("..", "..", "docs", document)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin := "<!-- " + name + ", by go test ./cmd/coordinator -run " + t.Name() + " -update -->\n"
	before, rest, ok1 := bytes.Cut(text, []byte(begin))
	have, after, ok2 := bytes.Cut(rest, []byte("<!-- end -->\n"))
	if !ok1 || !ok2 {
		t.Fatalf("%s has no table between %s and <!-- end -->", document, begin)
	}
	want := strings.Join(lines, "\n") + "\n"
	if string(have) == want {
		return
	}
	if !*update {
		t.Errorf("%s has another table than the program; look at it, and run with -update:\n%s", document, want)
		return
	}
	all := bytes.Join([][]byte{before, []byte(begin), []byte(want), []byte("<!-- end -->\n"), after}, nil)
	if err := os.WriteFile(path, all, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestDocumentedPlans: the tables of the documents have the figures of plan and launch.
func TestDocumentedPlans(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT RUN: long under the race detector")
	}
	load := func(path string) *runs.Job {
		one, err1 := config.ParseSet("concurrency=1")
		j, err2 := runs.Loader{Catalog: catalog.All}.Load(t.Context(), filepath.Join("..", "..", path),
			[]config.Override{one})
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		return j
	}
	sizes := []string{
		"| run | windows | memory of a window | disk with `retention: last` | with `all` | workers x concurrency | " +
			"memory of a worker | volume of a worker |",
		"| --- | ---: | ---: | ---: | ---: | --- | ---: | ---: |",
	}
	for _, run := range []struct {
		name, config         string
		workers, concurrency int
	}{
		{"French, centre", "configs/french.yaml", 4, 2},
		{"diamond, 41 holes, centre", "configs/diamond.yaml", 8, 2},
		{"Wiegleb, 45 holes, centre", "configs/wiegleb.yaml", 8, 1},
	} {
		j := load(run.config)
		pl, err := plan.Forecast(j.Puzzle)
		if err != nil {
			t.Fatal(err)
		}
		last, all := pl.Predict(plan.Resources{Retention: plan.RetainLast}), pl.Predict(plan.Resources{})
		o, err := overlay(j, &sizeFlags{
			workers: run.workers, concurrency: run.concurrency, image: "pagoda", grace: k8s.DefaultGrace, keep: defaultKeep,
			ttl: defaultTTL, logLevel: k8s.DefaultLogLevel,
		}, "")
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, fmt.Sprintf("| %s ([%s](../%[2]s)) | %d | %s | %s | %s | %d x %d | %s | %s |", run.name,
			run.config, last.Windows, quantity.Bytes(last.WindowBytes), quantity.Bytes(last.DiskBytes),
			quantity.Bytes(all.DiskBytes),
			o.Workers, o.Concurrency, quantity.Size(o.WorkerMemory), quantity.Size(o.WorkerStorage)))
	}
	documented(t, "kubernetes.md", "sizes", sizes)

	rate := estimate.GivenRate(2.9e-9)
	p, err := estimate.Make(t.Context(), load("configs/french.yaml"), estimate.Fleets{
		Workers: []int{1, 2, 4, 16, 64}, Most: math.MaxInt, Bandwidth: 1.25e9, Latency: 500 * time.Microsecond,
		Memory: 8 << 30, Rate: &rate,
	})
	if err != nil {
		t.Fatal(err)
	}
	fleets := []string{
		"| workers | time | efficiency | fetched per byte stored | disk of a worker |", "| --- | --- | --- | --- | --- |",
	}
	for _, f := range p.Fleets {
		fleets = append(fleets, fmt.Sprintf("| %d | %s | %.0f %% | %.2f | %s |", f.Workers, quantity.Duration(f.Seconds),
			100*f.Efficiency, float64(f.Transferred)/float64(f.Stored), quantity.Bytes(f.DiskBytes)))
	}
	documented(t, "scaling.md", "french", fleets)
}
