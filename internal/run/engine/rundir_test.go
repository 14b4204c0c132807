package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/quantity"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/pause/pausetest"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/status"
	"pagoda/internal/run/verify"
)

func identity(pairs ...string) puzzle.Identity {
	id := puzzle.Identity{Puzzle: pairs[0]}
	for i := 1; i < len(pairs); i += 2 {
		id.Params = append(id.Params, puzzle.Param{Name: pairs[i], Value: pairs[i+1]})
	}
	return id
}

func TestRunID(t *testing.T) {
	ids := []puzzle.Identity{
		identity("peg", "board", "english", "start", "center"),
		identity("peg", "board", "english", "start", "r0c2"),
		identity("peg", "board", "englishstart", "", "center"),
		identity("peg", "board", "english"),
		identity("peg"),
		identity("pegb", "oard", "english"),
	}
	seen := make(map[string]int)
	for i, id := range ids {
		run := rundir.RunID(id)
		if len(run) != 12 || run != rundir.RunID(id) {
			t.Errorf("run ID %q", run)
		}
		if j, ok := seen[run]; ok {
			t.Errorf("%v and %v have one run ID", ids[j], id)
		}
		seen[run] = i
	}
	// The ID is part of the format: folders and subjects carry it.
	if got := rundir.RunID(ids[0]); got != "b2f596b85c99" {
		t.Errorf("the run ID of %v is now %s", ids[0], got)
	}
}

func TestCompareNamesTheFirstDifference(t *testing.T) {
	base := identity("peg", "board", "english", "start", "center", "window_addresses", "0")
	for _, c := range []struct {
		have             puzzle.Identity
		name, was, wants string
	}{
		{identity("tiles", "board", "english"), "puzzle", "tiles", "peg"},
		{identity("peg", "board", "french", "start", "r0c2", "window_addresses", "0"), "board", "french", "english"},
		{identity("peg", "board", "english", "start", "r0c2", "window_addresses", "9"), "start", "r0c2", "center"},
		{identity("peg", "board", "english", "start", "center"), "window_addresses", "", "0"},
		{identity("peg", "board", "english", "begin", "center", "window_addresses", "0"), "begin", "center", ""},
		{identity("peg", "window_addresses", "0", "board", "english", "start", "center"), "board", "", "english"},
		{identity("peg", "board", "english", "start", "center", "window_addresses", "0", "x", "1"), "x", "1", ""},
	} {
		err := rundir.Compare(c.have, base)
		var d *rundir.DiffersError
		if !errors.As(err, &d) || d.Name != c.name || d.Have != c.was || d.Want != c.wants {
			t.Errorf("%v: got %+v", c.have, err)
		}
		if !strings.Contains(err.Error(), c.name) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: says %q", c.have, err)
		}
	}
	if err := rundir.Compare(base, base); err != nil {
		t.Error(err)
	}
}

func TestFolders(t *testing.T) {
	p := &enginetest.Survey{Slots: 100}
	m := rundir.NewMeta(p.Identity(), "puzzle: survey\n")
	root := t.TempDir()
	sub := func(name string) string { return filepath.Join(root, name) }
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	// Looking changes nothing.
	if resume, err := rundir.CheckFolder(sub("new"), m); resume || err != nil {
		t.Fatalf("%t, %v", resume, err)
	}
	if _, err := os.Stat(sub("new")); !errors.Is(err, os.ErrNotExist) {
		t.Fatal("looking made the folder")
	}

	f, err := rundir.Create(sub("new"), m, options(sub("new")))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := rundir.ReadMeta(sub("new")); err != nil || got.Run != m.Run || got.Config != m.Config {
		t.Fatalf("%+v, %v", got, err)
	}
	if _, err := rundir.Create(sub("new"), m, options(sub("new"))); !errors.Is(err, kv.ErrLocked) {
		t.Fatalf("a folder in use: %v", err)
	}
	closeFolder(t, f)
	if resume, err := rundir.CheckFolder(sub("new"), m); !resume || err != nil {
		t.Fatalf("%t, %v", resume, err)
	}

	other := rundir.NewMeta((&enginetest.Survey{Slots: 101}).Identity(), "")
	var differs *rundir.DiffersError
	if _, err := rundir.Create(sub("new"), other, options(sub("new"))); !errors.As(err, &differs) ||
		differs.Name != "slots" || differs.Dir != sub("new") {
		t.Fatalf("another run's folder: %v", err)
	}

	write(sub("occupied/thesis.tex"), "x")
	if _, err := rundir.Create(sub("occupied"), m, options(sub("occupied"))); !errors.Is(err, rundir.ErrOccupied) ||
		!strings.Contains(err.Error(), "thesis.tex") {
		t.Fatalf("an occupied folder: %v", err)
	}
	if _, err := rundir.Open(sub("nothing"), options(sub("nothing"))); !errors.Is(err, rundir.ErrNoRun) {
		t.Fatalf("no folder: %v", err)
	}

	b, err := os.ReadFile(filepath.Join(sub("new"), "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for name, change := range map[string]string{
		"version":  `{"format": 99, "who": "knows"}`,
		"unknown":  strings.Replace(text, `"format"`, `"colour": "red", "format"`, 1),
		"tampered": strings.Replace(text, `"100"`, `"200"`, 1),
		"cut":      text[:len(text)/2],
		"twice":    text + text,
	} {
		if change == text {
			t.Fatalf("%s changes nothing in %s", name, text)
		}
		write(filepath.Join(sub(name), "run.json"), change)
		_, err := rundir.ReadMeta(sub(name))
		var format *kv.FormatError
		if err == nil || (name == "version") != errors.As(err, &format) || !strings.Contains(err.Error(), sub(name)) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := rundir.Create(sub(name), m, options(sub(name))); err == nil {
			t.Errorf("%s: a run began there", name)
		}
	}

	// A process that died while it made the folder left nothing that is in the way.
	write(sub("stillborn/run.json.tmp"), "{")
	f, err = rundir.Create(sub("stillborn"), m, options(sub("stillborn")))
	if err != nil {
		t.Fatal(err)
	}
	closeFolder(t, f)
}

func TestStatus(t *testing.T) { synctest.Test(t, testStatus) }

func testStatus(t *testing.T) {
	p := wrap(&enginetest.Pascal{Depth: 4, Slots: 101, Window: 30})
	dir := t.TempDir()
	f, err := rundir.Create(dir, rundir.NewMeta(p.Identity(), ""), rundir.FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	read := func() status.Status {
		t.Helper()
		s, err := rundir.ReadStatus(dir, p)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := json.Marshal(s); err != nil || !json.Valid(b) {
			t.Fatal(err)
		}
		return s
	}
	if s := read(); s.State != status.StateRunning || s.Run != f.Meta.Run {
		t.Fatalf("just begun: %+v", s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p.before = func(ctx context.Context, w puzzle.Window, _ int) error {
		if w.Layer < 2 {
			return nil
		}
		if s := read(); s.State != status.StateRunning || s.Concurrency != 2 || s.Started.IsZero() {
			t.Errorf("live: %+v", s)
		}
		cancel()
		return ctx.Err()
	}
	q := faultless()
	if _, err := engine.Run(
		ctx,
		p,
		f,
		engine.Options{Tasks: q, Work: q, Concurrency: 2},
	); !errors.Is(
		err,
		context.Canceled,
	) {
		t.Fatal(err)
	}
	closeFolder(t, f)
	s := read()
	if s.State != status.StateStopped || s.Done == 0 || s.Done >= s.Windows || !s.Planned ||
		len(s.Layers) != 5 || s.Layers[0].Done != 4 {
		t.Fatalf("stopped: %+v", s)
	}

	f, err = rundir.Open(dir, rundir.FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p.before = func(context.Context, puzzle.Window, int) error { return errors.New("oops") }
	if _, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q}); err == nil {
		t.Fatal("it went well")
	}
	closeFolder(t, f)
	if s := read(); s.State != status.StateFailed || !strings.Contains(s.Error, "oops") || s.Done == 0 {
		t.Fatalf("failed: %+v", s)
	}

	f, err = rundir.Open(dir, rundir.FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p.before = nil
	if _, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q}); err != nil {
		t.Fatal(err)
	}
	closeFolder(t, f)
	if s := read(); s.State != status.StateComplete || s.Done != s.Windows || s.Error != "" || s.Bytes == 0 {
		t.Fatalf("complete: %+v", s)
	}

	// A window that was to be audited when the last coordinator died is.
	f, err = rundir.Open(dir, rundir.FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	id := puzzle.WindowID{Cell: puzzle.Cell{Layer: 0, Key: "k0"}}
	if err := f.Ledger.Append(nil, kv.Audit{Window: id}); err != nil {
		t.Fatal(err)
	}
	closeFolder(t, f)
	if s := read(); s.State != status.StateStopped || s.Done != s.Windows || s.AuditsDue != 1 {
		t.Fatalf("an audit is due: %+v", s)
	}
	before := p.computed(id)
	if f, err = rundir.Open(dir, rundir.FolderOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q}); err != nil {
		t.Fatal(err)
	}
	closeFolder(t, f)
	if s := read(); s.State != status.StateComplete || s.AuditsDue != 0 || p.computed(id) != before+1 {
		t.Fatalf("audited: %d computations more, %+v", p.computed(id)-before, s)
	}
	if _, err := rundir.ReadStatus(t.TempDir(), p); !errors.Is(err, rundir.ErrNoRun) {
		t.Fatalf("no run: %v", err)
	}
}

// TestAnotherPlan: a program that plans less of the same run says so; verifying forgets what does not fit.
func TestAnotherPlan(t *testing.T) { synctest.Test(t, testAnotherPlan) }

func testAnotherPlan(t *testing.T) {
	was := &enginetest.Survey{Slots: 20, Window: 1}
	is := &enginetest.Survey{Slots: 15, Window: 1}
	f, err := rundir.Create(t.TempDir(), rundir.NewMeta(was.Identity(), ""), rundir.FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer closeFolder(t, f)
	q := faultless()
	if _, err := engine.Run(t.Context(), was, f, engine.Options{Tasks: q, Work: q}); err != nil {
		t.Fatal(err)
	}
	if _, err := rundir.Load(is, f); !errors.Is(err, plan.ErrPlan) {
		t.Errorf("loaded with another plan: %v", err)
	}
	v, err := verify.Run(t.Context(), is, f, verify.Options{Repair: true})
	if err != nil || len(v.Findings) != 5 {
		t.Errorf("%d findings: %v", len(v.Findings), err)
	}
	plan, err := rundir.Load(is, f)
	if err != nil || !plan.Complete() {
		t.Errorf("not complete: %v", err)
	}
}

// TestStatusKeepsNobodyOut opens a folder again and again while others look at it all the time.
func TestStatusKeepsNobodyOut(t *testing.T) {
	p := &enginetest.Survey{Slots: 2000, Window: 1}
	dir := t.TempDir()
	f, err := rundir.Create(dir, rundir.NewMeta(p.Identity(), ""), rundir.FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	q := faultless()
	if _, err := engine.Run(t.Context(), p, f, engine.Options{Tasks: q, Work: q}); err != nil {
		t.Fatal(err)
	}
	closeFolder(t, f)
	var looks atomic.Int64
	over := make(chan struct{})
	var wait sync.WaitGroup
	defer wait.Wait()
	defer close(over)
	for range 2 {
		wait.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				s, err := rundir.ReadStatus(dir, p)
				if err != nil || s.State != status.StateComplete || s.Done != 2000 {
					t.Errorf("%s, %d windows: %v", s.State, s.Done, err)
					return
				}
				looks.Add(1)
			}
		})
	}
	pausetest.Until(t, "nobody could look", func() bool { return looks.Load() > 0 || t.Failed() })
	for range 10 {
		f, err := rundir.Open(dir, rundir.FolderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		closeFolder(t, f)
	}
}

func TestPredict(t *testing.T) {
	// 10 cells of 100 slots in layers 0 to 3, predicted at 100 bytes each, and 4 joins.
	p := &enginetest.Pascal{Depth: 4, Slots: 101, Window: 50}
	predict := func(r plan.Resources) plan.Prediction {
		t.Helper()
		got, err := plan.Predict(p, r)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	all := predict(plan.Resources{Concurrency: 2, CacheBytes: 1000})
	if all.Layers != 5 || all.Cells != 14 || all.Windows != 42 || all.Addresses != 14*101 || all.Work != 14*202 ||
		all.Partial {
		t.Fatalf("%+v", all)
	}
	if all.RowBytes != 10*101 {
		t.Fatalf("all keeps %d bytes of rows", all.RowBytes)
	}
	// While the cells of layer 3 are computed, the most there is at a time are 2 of layer 2 and 3 of layer 3, or 4 of it.
	if last := predict(plan.Resources{Retention: plan.RetainLast}); last.RowBytes != 5*101 {
		t.Fatalf("last keeps %d bytes of rows", last.RowBytes)
	}
	more := predict(plan.Resources{Concurrency: 5, CacheBytes: 5000})
	if more.MemoryBytes-all.MemoryBytes != (4000+3*24*101)*3/2 {
		t.Fatalf("memory %d and %d", all.MemoryBytes, more.MemoryBytes)
	}
	if most := predict(plan.Resources{Concurrency: 1 << 61}); most.MemoryBytes < 1<<61 {
		t.Fatalf("more memory than 64 bits can tell is %d bytes", most.MemoryBytes)
	}
	if err := all.Check(all.MemoryBytes, all.DiskBytes, "d"); err != nil {
		t.Error(err)
	}
	if err := all.Check(0, 0, ""); err != nil {
		t.Error(err)
	}
	var lacks *plan.ResourceError
	if err := all.Check(all.MemoryBytes-1, 0, ""); !errors.As(err, &lacks) || lacks.What != "memory" {
		t.Errorf("memory: %v", err)
	}
	if err := all.Check(0, all.DiskBytes-1, "d"); !errors.As(err, &lacks) || lacks.What != "disk" || lacks.Where != "d" {
		t.Errorf("disk: %v", err)
	}
	got, err := plan.Predict(&enginetest.BFS{Nodes: 10}, plan.Resources{})
	if err != nil || !got.Partial || got.Layers != 1 {
		t.Errorf("a search: %+v, %v", got, err)
	}
}

func TestFreeDisk(t *testing.T) {
	dir := t.TempDir()
	here, err := rundir.FreeDisk(dir)
	if err != nil {
		t.Fatal(err)
	}
	there, err := rundir.FreeDisk(filepath.Join(dir, "not", "yet"))
	if err != nil || (here == 0) != (there == 0) {
		t.Fatalf("%d here, %d there, %v", here, there, err)
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.00 KiB", 1536: "1.50 KiB", 10 << 10: "10.0 KiB", 200 << 10: "200 KiB",
		1<<20 - 1: "1.00 MiB", 3 << 30: "3.00 GiB", 1<<64 - 1: "16.0 EiB",
	} {
		if got := quantity.Bytes(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
