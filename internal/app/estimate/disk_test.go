package estimate

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"pagoda/internal/app/runs"
	"pagoda/internal/catalog"
	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/rundir"
)

func jobOf(t *testing.T, text string) *runs.Job {
	t.Helper()
	j, err := runs.Loader{Catalog: catalog.All}.Parse(t.Context(), "f.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	j.Dir = filepath.Join(t.TempDir(), "run")
	return j
}

// fewReached is a board on which few positions can be reached from the start: only pegs of one colour of a chessboard,
// and one beside them.
const fewReached = "drawing: |\n  oooooooooo\n  oooooooooo\n  oooooooooo\n  oooooooooo\n  oooooooooo\n" +
	"start: |\n  o.o.o.o.o.\n  .o.o.o.o.o\n  o.o.o.o.o.\n  .o.o.o.o.o\n  o.o.o.o..o\n"

// TestDiskBound: the predicted bound is at least the disk that a run takes in the end, and not more than half as much
// again. A database may have given back a log by then.
func TestDiskBound(t *testing.T) {
	for _, text := range []string{
		"puzzle: peg\nboard: triangle5\nstart: r0c0\n",
		"puzzle: peg\nboard: triangle6\nstart: r0c0\n",
		"puzzle: peg\nboard: hexagon19\ncount: solutions\npairs: all\n", // many jumps a hole
		"puzzle: peg\nboard: square5\nstart: r0c0\ncount: positions\n",
		"puzzle: peg\n" + fewReached,                               // of 33 million addresses, 2049 have a row
		"puzzle: baseball\nbases: 6\nboard: ring\nmethods: none\n", // layers that are expected only
	} {
		t.Run("", func(t *testing.T) {
			j := jobOf(t, text)
			pre, err := Check(j, Start{})
			if err != nil || pre.Disk != nil {
				t.Fatal(err, pre.Disk)
			}
			pred, err := plan.Predict(j.Puzzle, pre.Use)
			if err != nil {
				t.Fatal(err)
			}
			folder, err := rundir.Create(j.Dir, rundir.NewMeta(j.Puzzle.Identity(), text), rundir.FolderOptions{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = engine.Run(t.Context(), j.Puzzle, folder, engine.Options{Concurrency: 1})
			used, usedErr := rundir.UsedDisk(j.Dir) // before logs are given back
			if err := errors.Join(err, usedErr, folder.Close()); err != nil {
				t.Fatal(err)
			}
			t.Logf("%.2f of %s", float64(pred.DiskBytes)/float64(used), quantity.Bytes(used))
			const log = 5 << 20
			if pred.DiskBytes < used || pred.DiskBytes > used+used/2+2*log {
				t.Errorf("said to take up to %s, and takes %s", quantity.Bytes(pred.DiskBytes), quantity.Bytes(used))
			}
		})
	}
}

// TestDiskTooSmall: a run that no disk can hold is refused, unless it has begun or is to begin all the same.
func TestDiskTooSmall(t *testing.T) {
	j := jobOf(t, "puzzle: peg\nboard: wiegleb\nstart: center\nconcurrency: 1\nmemory_limit_bytes: 1000000000000000\n"+
		"window_addresses: 0\n")
	pl, err := plan.New(j.Puzzle)
	if err != nil {
		t.Fatal(err)
	}
	free, err := freeDisk(j)
	_, pred := resources(j, pl)
	if err != nil || pred.DiskBytes <= free {
		t.Skipf("NOT RUN: this disk has %s (%v)", quantity.Bytes(free), err)
	}
	var lack *plan.ResourceError
	if _, err := Check(j, Start{}); !errors.As(err, &lack) || lack.What != "disk" {
		t.Errorf("a new run: %v", err)
	}
	for _, s := range []Start{{Resume: true}, {AnyDisk: true}} {
		if pre, err := Check(j, s); err != nil || pre.Disk == nil || pre.Disk.Need != lack.Need {
			t.Errorf("%+v: %v, %v", s, err, pre.Disk)
		}
	}
	if pre, err := Check(j, Start{Fleet: true}); err != nil || pre.Disk != nil {
		t.Errorf("a fleet: %v, %v", err, pre.Disk)
	}
}

// TestFreeDiskCountsTheFolder: the folder's own files count as room for the run, also space that is only reserved.
func TestFreeDiskCountsTheFolder(t *testing.T) {
	dir := t.TempDir()
	if used, err := rundir.UsedDisk(filepath.Join(dir, "none")); used != 0 || err != nil {
		t.Errorf("no folder takes %d, %v", used, err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"f", "a/g", "a/b/h"} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, 1<<20), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if used, err := rundir.UsedDisk(dir); used < 3<<20 || err != nil {
		t.Errorf("three files of a megabyte take %d, %v", used, err)
	}
}

// TestRowBytes: rows of whole runs take about the bytes that the plan predicts. Those of passes and sweeps it bounds.
func TestRowBytes(t *testing.T) {
	predicted, bounded := [2]float64{0.8, 1.6}, [2]float64{1, 2.5} // as a multiple of the stored rows
	for text, within := range map[string][2]float64{
		"puzzle: peg\nboard: triangle6\nstart: r0c0\n":                                                 predicted,
		"puzzle: peg\nboard: triangle6\ncount: solutions\npairs: all\n":                                predicted,
		"puzzle: peg\nboard: hexagon19\ncount: solutions\npairs: all\n":                                predicted,
		"puzzle: peg\nboard: square5\nstart: r0c0\n":                                                   predicted,
		"puzzle: peg\nboard: square5\ncount: solutions\npairs: all\n":                                  predicted,
		"puzzle: peg\nboard: square5\ncount: positions\nstart: center\n":                               predicted,
		"puzzle: peg\nboard: triangle6\ncount: positions\nstart: r0c0\n":                               predicted,
		"puzzle: peg\nboard: triangle6\ncount: solutions\nstart: r2c1\ngoal: r2c1\nstore_ways: true\n": bounded,
		"puzzle: peg\nboard: square5\ncount: solutions\nstart: r0c2\ngoal: r1c2\nstore_ways: true\n":   bounded,
		"puzzle: peg\nboard: triangle6\ncount: sweeps\nstart: r2c1\ngoal: r2c1\n":                      bounded,
		"puzzle: peg\nboard: square5\ncount: sweeps\nstart: r0c2\ngoal: r1c2\n":                        bounded,
	} {
		t.Run("", func(t *testing.T) {
			j := jobOf(t, text)
			pred, err := plan.Predict(j.Puzzle, plan.Resources{Concurrency: 1})
			if err != nil {
				t.Fatal(err)
			}
			folder, err := rundir.Create(j.Dir, rundir.NewMeta(j.Puzzle.Identity(), text), rundir.FolderOptions{})
			if err != nil {
				t.Fatal(err)
			}
			out, err := engine.Run(t.Context(), j.Puzzle, folder, engine.Options{Concurrency: 1})
			if err := errors.Join(err, folder.Close()); err != nil {
				t.Fatal(err)
			}
			stored := rundir.PlanStatus(&folder.Meta, out.Results).Bytes
			ratio := float64(pred.RowBytes) / float64(stored)
			t.Logf("predicted %s, stored %s: %.2f", quantity.Bytes(pred.RowBytes), quantity.Bytes(stored), ratio)
			if ratio < within[0] || ratio > within[1] {
				t.Errorf("rows of %s were predicted to take %s", quantity.Bytes(stored), quantity.Bytes(pred.RowBytes))
			}
		})
	}
}

// TestRowsOfLongRuns: rows of whole runs on the diamond, the English board and 6x6 are predicted. Those of passes and
// sweeps are bounded.
func TestRowsOfLongRuns(t *testing.T) {
	for _, test := range []struct {
		text        string
		stored      float64
		least, most float64 // of the prediction, as a multiple of the stored rows
	}{
		{"board: diamond\nstart: center\n", 17_328_696_993, 0.9, 1.1},
		{"board: english\ncount: solutions\nstart: r2c2\ngoal: r2c2\nstore_ways: true\n", 302_657_451, 1, 1.2},
		{"board: english\ncount: sweeps\nstart: r2c2\ngoal: r2c2\n", 719_629_837, 1, 1.3},
		{"board: english\ncount: sweeps\nstart: center\ngoal: center\n", 43_687_947, 1, 5},
		{"board: square6\ncount: sweeps\nstart: r0c0\ngoal: r3c3\n", 15_404_099_415, 1, 1.4},
	} {
		pl, err := plan.New(jobOf(t, "puzzle: peg\n"+test.text).Puzzle)
		if err != nil {
			t.Fatal(err)
		}
		var rows float64
		for n := range pl.Layers() {
			for _, c := range pl.Cells(n) {
				rows += c.RowBytes
			}
		}
		if share := rows / test.stored; share < test.least || share > test.most {
			t.Errorf("%q: predicted %.0f bytes, %.2f times what they take", test.text, rows, share)
		}
	}
}
