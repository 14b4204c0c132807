//go:build e2e

package e2e

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The triangular board of side 5 from each of its four kinds of hole. Solutions end with one peg, wherever it is: they
// are the paths of the last layer.
func TestTriangle15(t *testing.T) {
	for _, c := range []struct{ start, positions, solutions, games string }{
		{"r0c0", "3016", "29760", "568630"},
		{"r1c0", "2377", "14880", "294543"},
		{"r2c0", "4237", "85258", "1149568"},
		{"r2c1", "1651", "1550", "137846"},
	} {
		data := filepath.Join(t.TempDir(), "data")
		d := must(t, fine, "run", "configs/triangle15.yaml", "--data", data, "--output", "json",
			"--set", "start="+c.start).document(t)
		if len(d.Layers) != 14 {
			t.Fatalf("start %s: %d layers, want 14", c.start, len(d.Layers))
		}
		one := d.Layers[13]
		if d.Positions != c.positions || d.Games != c.games || one["pegs"] != "1" || one["paths"] != c.solutions {
			t.Errorf("start %s: %s positions, %s games, last layer %v; want %s positions, %s games, %s solutions",
				c.start, d.Positions, d.Games, one, c.positions, c.games, c.solutions)
		}
		must(t, fine, "verify", "--data", data)
	}
}

// A board of 25 holes by few and many workers, in large and small windows: every combination with -long.
func TestSquare5WorkersAndWindows(t *testing.T) {
	combinations := map[string][]string{"0": {"1", "7"}, "100000": {"2"}, "1000": {"1", "7"}} // by window_addresses
	if *long {
		for addresses := range combinations {
			combinations[addresses] = []string{"1", "2", "7"}
		}
	}
	var want string
	for _, addresses := range slices.Sorted(maps.Keys(combinations)) {
		for _, workers := range combinations[addresses] {
			data := filepath.Join(t.TempDir(), "data")
			must(t, fine, "run", "configs/english.yaml", "--data", data, "--concurrency", workers,
				"--set", "board=square5", "--set", "start=r0c1", "--set", "goal=r0c1",
				"--set", "retention=all", "--set", "window_addresses="+addresses)
			must(t, fine, "export", "--data", data, "--table", "counts", "--layer", "all",
				"--out", filepath.Join(data, "counts-{layer}.csv"))
			files, err := filepath.Glob(filepath.Join(data, "counts-*.csv"))
			if err != nil || len(files) < 20 {
				t.Fatalf("%d count files, %v", len(files), err)
			}
			h := sha256.New()
			_, _ = h.Write(export(t, data, "layers", ""))
			for _, f := range files {
				b, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				_, _ = fmt.Fprintf(h, "%s %d\n", filepath.Base(f), len(b))
				_, _ = h.Write(b)
			}
			if got := fmt.Sprintf("%x", h.Sum(nil)); want == "" {
				want = got
			} else if got != want {
				t.Errorf(
					"workers %s, window_addresses %s: exports differ from those of workers 1, window_addresses 0",
					workers,
					addresses,
				)
			}
		}
	}
}

// The French board from its centre takes minutes, and up to 24 GiB.
func TestFrenchCentre(t *testing.T) {
	if !*long {
		t.Skip("NOT RUN: the French board, which takes minutes; run it with make e2e-long")
	}
	data := filepath.Join(t.TempDir(), "data")
	d := must(t, fine, "run", "configs/french.yaml", "--data", data, "--output", "json",
		"--set", "start=center").document(t)
	if len(d.Layers) < 20 || d.Classes != "374349517" || d.Layers[19]["classes"] != "53371113" {
		t.Errorf("%s classes in all, want 374349517; at 19 jumps want 53371113; layers %v", d.Classes, d.Layers)
	}
	rootIsGolden(t, "french", data)
}
