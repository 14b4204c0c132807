package simulate

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/rundir"
)

// shape is a small puzzle with the plan and the records of an undisturbed run.
type shape struct {
	puzzle puzzle.Puzzle
	run    string
	dir    string // where run.json and the status file are
	want   map[puzzle.WindowID]kv.Record
	plan   *plan.Plan
}

const shapes = 4

func toy(i int) puzzle.Puzzle {
	return []puzzle.Puzzle{
		&enginetest.Pascal{Depth: 4, Slots: 41, Window: 20},
		&enginetest.BFS{Nodes: 60, Window: 30},
		&enginetest.Labels{Tokens: 3, Ring: 5, Window: 10},
		&enginetest.Survey{Slots: 300, Window: 20},
	}[i]
}

var (
	shapesMu   sync.Mutex
	shapesMade [shapes]*shape
	shapesDir  string
)

// shapeOf carries out the undisturbed run of a shape, once.
func shapeOf(t *testing.T, i int) *shape {
	shapesMu.Lock()
	defer shapesMu.Unlock()
	if shapesMade[i] != nil {
		return shapesMade[i]
	}
	p := toy(i)
	sh := &shape{puzzle: p, run: rundir.RunID(p.Identity()), want: make(map[puzzle.WindowID]kv.Record)}
	sh.dir = filepath.Join(shapesDir, fmt.Sprint(i))
	o := kv.Options{FS: vfs.NewMem(), CacheBytes: 1 << 20, MemTableBytes: 1 << 20}
	f, err := rundir.Create(sh.dir, rundir.NewMeta(p.Identity(), ""), rundir.FolderOptions{Store: o, Ledger: o})
	if err != nil {
		t.Fatal(err)
	}
	out, err := engine.Run(t.Context(), p, f, engine.Options{Concurrency: 1})
	if err != nil {
		t.Fatal(err)
	}
	sh.plan = out.Results
	err = f.Ledger.Load(func(e kv.Entry) error {
		sh.want[e.Record.ID()] = e.Record
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	shapesMade[i] = sh
	return sh
}

func tempDir() string {
	if dir, err := os.MkdirTemp("/dev/shm", "simulate"); err == nil {
		return dir
	}
	dir, err := os.MkdirTemp("", "simulate")
	if err != nil {
		panic(err)
	}
	return dir
}
