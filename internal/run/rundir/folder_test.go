package rundir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/status"
	"pagoda/internal/run/trust"
)

// Cells of a run: a has windows 0, with a row in its store, 1, without rows, and 2, with a row that only worker "w"
// has; b reads it and has two windows with rows.
var cellA, cellB = puzzle.Cell{Key: "a"}, puzzle.Cell{Layer: 1, Key: "b"}

func paper() *plantest.Paper {
	return &plantest.Paper{Layers: [][]puzzle.CellPlan{
		{{Cell: cellA, Addresses: 9, Cuts: []uint64{0, 3, 6}}},
		{{Cell: cellB, Addresses: 8, Cuts: []uint64{0, 4}, Parents: []puzzle.Cell{cellA}}},
	}}
}

// stored makes a folder that a coordinator has used, and passes the record of each window to enter, in plan order. The
// end of the test closes it.
func stored(t *testing.T, enter func(f *Folder, rec kv.Record) error) *Folder {
	t.Helper()
	return storedWith(t, FolderOptions{}, enter)
}

func storedWith(t *testing.T, o FolderOptions, enter func(f *Folder, rec kv.Record) error) *Folder {
	t.Helper()
	f, err := Create(filepath.Join(t.TempDir(), "data"), testMeta(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, f) })
	if _, err := f.Ledger.RaiseEpoch(0); err != nil {
		t.Fatal(err)
	}
	for _, layer := range paper().Layers {
		for i := range layer {
			for part := range layer[i].Cuts {
				window := layer[i].Window(part)
				w := f.Store.Begin(window)
				if window.ID() != (puzzle.WindowID{Cell: cellA, Part: 1}) {
					b := &puzzle.Block{First: window.First, Addresses: int(window.Addresses), Occupied: []uint64{1}}
					if err := w.Block(b); err != nil {
						t.Fatal(err)
					}
				}
				rec, err := w.Commit(puzzle.Tally{})
				if err == nil {
					err = enter(f, rec)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return f
}

// whole enters every window, with its holders.
func whole(t *testing.T) *Folder {
	return stored(t, func(f *Folder, rec kv.Record) error {
		e := kv.Entry{Record: rec, Holders: []string{protocol.OwnWorker}}
		if rec.ID() == (puzzle.WindowID{Cell: cellA, Part: 2}) {
			e.Holders = []string{"w"}
			return errors.Join(f.Store.Drop(rec.ID()), f.Ledger.Append([]kv.Entry{e}))
		}
		return f.Ledger.Append([]kv.Entry{e})
	})
}

func closed(t *testing.T, f *Folder) {
	t.Helper()
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func loaded(t *testing.T, f *Folder) *plan.Plan {
	t.Helper()
	p, err := Load(paper(), f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestLoadRun loads a folder in every way: with the rows in its own store, and with a holder on record that may come
// back, unless it is refused.
func TestLoadRun(t *testing.T) {
	f := whole(t)
	for _, test := range []struct {
		o      LoadOptions
		states string
	}{
		{LoadOptions{}, "absent absent absent absent absent"},
		{LoadOptions{Own: true}, "held held absent held held"},
		{LoadOptions{Own: true, Await: true}, "held held awaited held held"},
		{LoadOptions{Await: true, Locality: true}, "absent absent awaited absent absent"},
	} {
		demand := func(when, want string) {
			t.Helper()
			p, err := LoadRun(paper(), f, test.o)
			if err != nil {
				t.Fatal(err)
			}
			var states []string
			for _, cell := range []puzzle.Cell{cellA, cellB} {
				for _, w := range p.Index[cell].Parts {
					states = append(states, w.State.String())
				}
			}
			if got := strings.Join(states, " "); got != want || !p.Complete() {
				t.Errorf("%s, %+v: %s, want %s", when, test.o, got, want)
			}
			partitions := 1
			if test.o.Locality {
				partitions = plan.DefaultPartitions
			}
			if p.Partitions() != partitions {
				t.Errorf("%+v: %d partitions", test.o, p.Partitions())
			}
		}
		demand("at first", test.states)
		if err := f.Ledger.Distrust(kv.Distrust{Refuse: []kv.Refusal{{Worker: "other"}}}); err != nil {
			t.Fatal(err)
		}
		demand("another is refused", test.states)
	}
	if err := f.Ledger.Distrust(kv.Distrust{Refuse: []kv.Refusal{{Worker: "w"}}}); err != nil {
		t.Fatal(err)
	}
	if p, err := LoadRun(paper(), f, LoadOptions{Await: true}); err != nil || p.AwaitedCount != 0 {
		t.Errorf("a refused worker is awaited: %d windows, %v", p.AwaitedCount, err)
	}
	wrong := paper()
	wrong.Layers[1][0].Addresses++
	if _, err := Load(wrong, f); !errors.Is(err, plan.ErrPlan) {
		t.Errorf("another plan: %v", err)
	}
	wrong.Layers[1][0].Cuts = nil
	if _, err := Load(wrong, f); err == nil || errors.Is(err, plan.ErrPlan) {
		t.Errorf("a plan that contradicts itself: %v", err)
	}
	p := loaded(t, f)
	digest := p.Index[cellB].Parts[1].Digest
	other, _, err := f.Ledger.Entry(puzzle.WindowID{Cell: cellB, Part: 1})
	if err != nil {
		t.Fatal(err)
	}
	other.Record.Digest[0] ^= 1
	if err := errors.Join(f.Ledger.Forget(other.Record.ID()), f.Ledger.Append([]kv.Entry{other})); err != nil {
		t.Fatal(err)
	}
	if p := loaded(t, f); p.Index[cellB].Held != 1 || p.Index[cellB].Parts[1].Digest == digest {
		t.Errorf("%d windows are held, one of which has other rows in the ledger", p.Index[cellB].Held)
	}
}

// TestSuspect loads a ledger in which a flow is not conserved.
func TestSuspect(t *testing.T) {
	f := stored(t, func(f *Folder, rec kv.Record) error {
		if rec.Layer == 0 && rec.Part == 0 {
			rec.Tally.Out = []puzzle.Flow{{Cell: cellB, Amount: uint128.From(2)}}
		}
		if rec.Layer == 1 {
			rec.Tally.In = []puzzle.Flow{{Cell: cellA, Amount: uint128.From(uint64(rec.Part + 1))}}
		}
		return f.Ledger.Append([]kv.Entry{{Record: rec}})
	})
	var flow *plan.FlowError
	if _, err := Load(paper(), f); !errors.As(err, &flow) {
		t.Errorf("%v", err)
	}
	if p, err := LoadRun(paper(), f, LoadOptions{Suspect: true}); err != nil || len(p.FlowErrors) != 1 {
		t.Errorf("%v, %v", p.FlowErrors, err)
	}
}

// TestReader reads every window of a folder as a puzzle.Source, and by cells.
func TestReader(t *testing.T) {
	f := whole(t)
	p := loaded(t, f)
	r := f.Reader(p, 1<<20)
	for part, rows := range []int{1, 0, -1} {
		w, n := p.Index[cellA].Window(part), 0
		err := r.Blocks(t.Context(), w, w.First, w.Addresses, func(b *puzzle.Block) error { n += b.Rows(); return nil })
		var missing *puzzle.MissingError
		if rows < 0 && (!errors.As(err, &missing) || missing.Window != w.ID()) || rows >= 0 && (err != nil || n != rows) {
			t.Errorf("window %s: %d rows, %v", w, n, err)
		}
		for i, wrong := range []puzzle.Window{
			{Cell: w.Cell, Part: -1, First: w.First, Addresses: w.Addresses},
			{Cell: w.Cell, Part: 3, First: w.First, Addresses: w.Addresses},
			{Cell: w.Cell, Part: part, First: w.First + 1, Addresses: w.Addresses},
			{Cell: puzzle.Cell{Key: "z"}, Addresses: 1},
		} {
			if err := r.Blocks(t.Context(), wrong, 0, 1, nil); err == nil || errors.Is(err, puzzle.ErrMissing) != (i == 3) {
				t.Errorf("window %s: %v", wrong, err)
			}
		}
	}
	// Held by the plan, and gone from the store since.
	w := p.Index[cellB].Window(1)
	var missing *puzzle.MissingError
	none := func(*puzzle.Block) error { return nil }
	if err := f.Store.Drop(w.ID()); err != nil {
		t.Fatal(err)
	}
	if err := r.Blocks(t.Context(), w, w.First, w.Addresses, none); !errors.As(err, &missing) || missing.Window != w.ID() {
		t.Errorf("a deleted window: %v", err)
	}
	if ws, err := r.Windows(cellA); err != nil || !slices.Equal(ws, []puzzle.Window{
		p.Index[cellA].Window(0), p.Index[cellA].Window(1), p.Index[cellA].Window(2),
	}) {
		t.Errorf("windows of a: %v, %v", ws, err)
	}
	if tally, err := r.Tally(cellB); err != nil || !reflect.DeepEqual(tally, puzzle.Tally{}) {
		t.Errorf("tally of b: %v, %v", tally, err)
	}
	if _, err := r.Tally(puzzle.Cell{Key: "z"}); !errors.Is(err, puzzle.ErrMissing) {
		t.Errorf("tally of no cell: %v", err)
	}
	if r.Cache() == nil || r.MemoryBytes() != 0 {
		t.Errorf("cache %v, %d bytes", r.Cache(), r.MemoryBytes())
	}
	if err := f.Scan(t.Context(), p, cellA, none); !errors.As(err, &missing) || missing.Window.Part != 2 {
		t.Errorf("rows of a: %v", err)
	}
	if err := f.Scan(t.Context(), p, puzzle.Cell{Key: "z"}, none); !errors.Is(err, puzzle.ErrMissing) {
		t.Errorf("rows of no cell: %v", err)
	}
	n := 0
	count := func(b *puzzle.Block) error { n += b.Rows(); return nil }
	if err := f.Scan(t.Context(), p, cellB, count); !errors.Is(err, kv.ErrNotFound) || n != 1 {
		t.Errorf("rows of b, one window deleted: %d, %v", n, err)
	}
	f = stored(t, func(f *Folder, rec kv.Record) error { return f.Ledger.Append([]kv.Entry{{Record: rec}}) })
	n = 0
	if err := f.Scan(t.Context(), loaded(t, f), cellA, count); err != nil || n != 2 {
		t.Errorf("rows of a: %d, %v", n, err)
	}
}

// TestRebuiltLedger removes the ledger of a folder: only a process that may write makes it again, of the records of the
// store. Without the store too, the folder is as if it had just been made.
func TestRebuiltLedger(t *testing.T) {
	f := whole(t)
	closed(t, f)
	before := Written(f.Dir)
	if before.IsZero() || !Written(filepath.Join(f.Dir, "none")).IsZero() {
		t.Errorf("last written: %v", before)
	}
	later := before.Add(time.Hour)
	if err := os.Chtimes(filepath.Join(f.Dir, ledgerName), later, later); err != nil {
		t.Fatal(err)
	}
	if got := Written(f.Dir); !got.Equal(later) {
		t.Errorf("last written: %v, want %v", got, later)
	}
	if err := os.RemoveAll(filepath.Join(f.Dir, ledgerName)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(f.Dir, FolderOptions{ReadOnly: true}); !errors.Is(err, errNoLedger) {
		t.Errorf("read without a ledger: %v", err)
	}
	f, err := Open(f.Dir, FolderOptions{})
	if err != nil || f.Damage == nil || !strings.Contains(f.Damage.Error(), "records of the store: 4 windows") {
		t.Fatalf("%v, %v", f.Damage, err)
	}
	if p := loaded(t, f); p.CommittedCount != 4 || p.Index[cellA].Held != 2 || p.Index[cellB].Held != 2 {
		t.Errorf("%d windows", p.CommittedCount)
	}
	e, found, err := f.Ledger.Entry(puzzle.WindowID{Cell: cellB})
	if !found || err != nil || !slices.Equal(e.Holders, []string{protocol.OwnWorker}) {
		t.Errorf("%+v, %t, %v", e, found, err)
	}
	closed(t, f)
	for _, name := range []string{storeName, ledgerName} {
		if err := os.RemoveAll(filepath.Join(f.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	f, err = Create(f.Dir, testMeta(), FolderOptions{})
	if err != nil || f.Damage != nil {
		t.Fatalf("%v, %v", f.Damage, err)
	}
	closed(t, f)
}

// TestRecover replaces the store of a folder while one of its windows is not in it, and one is in no ledger.
func TestRecover(t *testing.T) {
	for _, all := range []bool{false, true} {
		f := stored(t, func(f *Folder, rec kv.Record) error {
			switch rec.ID() {
			case puzzle.WindowID{Cell: cellA, Part: 2}:
				return nil
			case puzzle.WindowID{Cell: cellB}:
				return f.Ledger.Append([]kv.Entry{{Record: rec, Holders: []string{"w"}}})
			}
			return f.Ledger.Append([]kv.Entry{{Record: rec, Holders: []string{protocol.OwnWorker}}})
		})
		lostWindow := puzzle.WindowID{Cell: cellB, Part: 1}
		if err := f.Store.Drop(lostWindow); err != nil {
			t.Fatal(err)
		}
		recovered, wantKept, wantLost := f.Recover, 2, 1
		if all {
			wantKept, wantLost = 4, 0
			recovered = func(ctx context.Context) (kept, lost int, err error) {
				f.Store, kept, lost, err = RecoverStore(ctx, f.Dir, f.Meta.Run, f.Store, kv.Options{})
				return kept, lost, err
			}
		}
		kept, lost, err := recovered(t.Context())
		if err != nil || kept != wantKept || lost != wantLost {
			t.Fatalf("%d windows are kept, %d lost, %v; want %d, %d", kept, lost, err, wantKept, wantLost)
		}
		got := 0
		if err := f.Store.Records(func(rec kv.Record) error {
			got++
			return f.Store.Blocks(t.Context(), rec, rec.First, rec.Addresses, func(*puzzle.Block) error { return nil })
		}); err != nil || got != kept {
			t.Errorf("%d windows are in the store, %v", got, err)
		}
		_, _, aside := storePaths(f.Dir)
		if _, err := os.Stat(aside); err != nil {
			t.Errorf("the old store is not kept: %v", err)
		}
	}
	f := whole(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := f.Recover(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestRecoverCopies: the store that takes the place of another knows which windows are copies.
func TestRecoverCopies(t *testing.T) {
	f, id := whole(t), puzzle.WindowID{Cell: cellB}
	rec, _, err := f.Store.Record(id)
	if err != nil {
		t.Fatal(err)
	}
	w := f.Store.Begin(rec.Window)
	w.Copied = true
	err = f.Store.RawBlocks(t.Context(), id, 0, w.Raw)
	if _, cerr := w.CommitAs(rec); errors.Join(err, cerr) != nil {
		t.Fatal(err, cerr)
	}
	if _, lost, err := f.Recover(t.Context()); lost > 0 || err != nil {
		t.Fatalf("%d windows are lost, %v", lost, err)
	}
	for _, part := range []int{0, 1} {
		id.Part = part
		if copied, err := f.Store.Copied(id); copied != (part == 0) || err != nil {
			t.Errorf("window %s is a copy: %t, %v", id, copied, err)
		}
	}
}

// TestRecoverOtherRows: a window whose rows are not those of the ledger is lost when the store is replaced.
func TestRecoverOtherRows(t *testing.T) {
	f := stored(t, func(f *Folder, rec kv.Record) error {
		if rec.ID() == (puzzle.WindowID{Cell: cellB}) {
			rec.Digest[0]++
		}
		return f.Ledger.Append([]kv.Entry{{Record: rec, Holders: []string{protocol.OwnWorker}}})
	})
	if kept, lost, err := f.Recover(t.Context()); kept != 4 || lost != 1 || err != nil {
		t.Errorf("%d windows are kept, %d lost, %v", kept, lost, err)
	}
	if _, found, err := f.Store.Record(puzzle.WindowID{Cell: cellB}); found || err != nil {
		t.Errorf("the window is in the store: %t, %v", found, err)
	}
}

// TestStatus reads the status of a folder that no process uses, after what its last process has written.
func TestStatus(t *testing.T) {
	f := whole(t)
	run, puzzleName := f.Meta.Run, f.Meta.Puzzle
	last, _, err := f.Ledger.Entry(puzzle.WindowID{Cell: cellB, Part: 1})
	if err != nil {
		t.Fatal(err)
	}
	closed(t, f)
	layers := []plan.Progress{
		{Layer: 0, Windows: 3, Done: 3, Rows: 2, Bytes: 2 * last.Record.Bytes},
		{Layer: 1, Windows: 2, Done: 2, Rows: 2, Bytes: 2 * last.Record.Bytes},
	}
	demand := func(when string, change func(*status.Status)) {
		t.Helper()
		want := status.Status{
			Run: run, Puzzle: puzzleName, State: status.StateComplete, Layers: layers, Windows: 5, Done: 5, Rows: 4,
			Bytes: 4 * last.Record.Bytes, Planned: true, Addresses: 17,
			FleetStatus: status.FleetStatus{Grid: []string{"ddd", "dd"}},
		}
		change(&want)
		want.Words = &trust.Words{Unknown: want.Done} // the entries do not say which workers computed them
		got, err := ReadStatus(f.Dir, paper())
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, want %+v", when, got, err, want)
		}
	}
	demand("no status was written", func(*status.Status) {})
	write := func(s status.Status) {
		t.Helper()
		s.Run = run
		if err := f.WriteStatus(&s); err != nil {
			t.Fatal(err)
		}
	}
	write(status.Status{State: status.StateFailed, Error: "of another time"})
	demand("it failed, and is complete since", func(*status.Status) {})
	write(status.Status{State: status.StateStopped, Unexported: true})
	demand("its export is missing", func(s *status.Status) { s.State, s.Unexported = status.StateStopped, true })
	if err := os.WriteFile(filepath.Join(f.Dir, statusName), []byte(`{"run": "x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	demand("the status is of another run", func(*status.Status) {})
	write(status.Status{State: status.StateStopped})

	f, err = Open(f.Dir, FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Ledger.Forget(last.Record.ID()); err != nil {
		t.Fatal(err)
	}
	closed(t, f)
	layers[1].Done, layers[1].Rows, layers[1].Bytes = 1, 1, last.Record.Bytes
	less := func(s *status.Status) {
		s.State, s.Done, s.Rows, s.Bytes, s.Grid[1] = status.StateStopped, 4, 3, 3*last.Record.Bytes, "d."
	}
	demand("stopped", less)
	write(status.Status{State: status.StateFailed, Error: "disk full", Unexported: true})
	demand("failed", func(s *status.Status) { less(s); s.State, s.Error = status.StateFailed, "disk full" })

	// While another process has the folder, its status file tells; before it has written one, that it runs.
	f, err = Open(f.Dir, FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, f)
	write(status.Status{State: status.StateRunning, Done: 77})
	if s, err := ReadStatus(f.Dir, paper()); err != nil || s.Done != 77 {
		t.Errorf("live: %+v, %v", s, err)
	}
	if err := os.Remove(filepath.Join(f.Dir, statusName)); err != nil {
		t.Fatal(err)
	}
	if s, err := ReadStatus(f.Dir, paper()); err != nil || s.State != status.StateRunning || s.Run != run {
		t.Errorf("live without a status: %+v, %v", s, err)
	}
	if err := os.WriteFile(filepath.Join(f.Dir, statusName), []byte(`{"run": "x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadStatus(f.Dir, paper()); err == nil {
		t.Error("a status of another run is taken")
	}
	if err := (&Folder{Dir: filepath.Join(f.Dir, "none")}).WriteStatus(&status.Status{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a status without a folder: %v", err)
	}
	if _, err := ReadStatus(t.TempDir(), paper()); !errors.Is(err, ErrNoRun) {
		t.Errorf("no run: %v", err)
	}
}

// TestDisk compares the use of a disk with its files.
func TestDisk(t *testing.T) {
	dir := t.TempDir()
	if used, err := UsedDisk(filepath.Join(dir, "none")); used != 0 || err != nil {
		t.Errorf("no folder takes %d bytes, %v", used, err)
	}
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, 100_000), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	// The disk has no blocks for a hole in a file.
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "hole"), nil, 0o600),
		os.Truncate(filepath.Join(dir, "hole"), 1<<30)); err != nil {
		t.Fatal(err)
	}
	if used, err := UsedDisk(dir); used < 200_000 || used > 400_000 || err != nil {
		t.Errorf("two files of 100,000 bytes take %d, %v", used, err)
	}
	free, size, err := Disk(filepath.Join(dir, "not", "there", "yet"))
	var system syscall.Statfs_t
	if err := syscall.Statfs(dir, &system); err != nil {
		t.Fatal(err)
	}
	if err != nil || free == 0 || free > size || size > system.Blocks*uint64(system.Bsize) {
		t.Errorf("%d of %d bytes are free, %v; the file system has %d blocks of %d bytes", free, size, err,
			system.Blocks, system.Bsize)
	}
	if _, err := FreeDisk(filepath.Join(dir, "a", "b")); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("below a file: %v", err)
	}
}

// TestLockPatience: a folder that another process has for a moment is waited for, and not for ever.
func TestLockPatience(t *testing.T) {
	for busy, patient := range map[time.Duration]bool{lockPatience / 2: true, 2 * lockPatience: false} {
		synctest.Test(t, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			f, err := Create(dir, testMeta(), FolderOptions{})
			if err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			left := make(chan error)
			go func() {
				time.Sleep(busy)
				left <- f.Close()
			}()
			again, err := Open(dir, FolderOptions{})
			waited := time.Since(begun)
			if errors.Is(err, kv.ErrLocked) == patient || waited < min(busy, lockPatience) ||
				waited > min(busy, lockPatience)+2*lockPause {
				t.Errorf("a folder in use for %v: %v after %v", busy, err, waited)
			}
			if err := <-left; err != nil {
				t.Error(err)
			}
			if again != nil {
				closed(t, again)
			}
		})
	}
}

// TestScan passes the rows of a cell in order. Windows without rows need no holder, all others do.
func TestScan(t *testing.T) {
	f := stored(t, func(f *Folder, rec kv.Record) error {
		if rec.ID() == (puzzle.WindowID{Cell: cellA, Part: 1}) {
			return errors.Join(f.Store.Drop(rec.ID()), f.Ledger.Append([]kv.Entry{{Record: rec}}))
		}
		return f.Ledger.Append([]kv.Entry{{Record: rec, Holders: []string{protocol.OwnWorker}}})
	})
	var firsts []uint64
	take := func(b *puzzle.Block) error { firsts = append(firsts, b.First); return nil }
	if err := f.Scan(t.Context(), loaded(t, f), cellA, take); err != nil || !slices.Equal(firsts, []uint64{0, 6}) {
		t.Errorf("blocks from %v, %v", firsts, err)
	}
	if err := f.Store.Drop(puzzle.WindowID{Cell: cellA, Part: 2}); err != nil {
		t.Fatal(err)
	}
	var missing *puzzle.MissingError
	if err := f.Scan(t.Context(), loaded(t, f), cellA, take); !errors.As(err, &missing) || missing.Window.Part != 2 {
		t.Errorf("without the rows of the last window: %v", err)
	}
}

// TestLookingChangesNothing: the files of a folder are after a look as they were before, apart from locks.
func TestLookingChangesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	f, err := Create(dir, testMeta(), FolderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	closed(t, f)
	files := func() (text string) {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.Name() == "LOCK" {
				return err
			}
			info, err := os.Lstat(path)
			text += fmt.Sprintln(path, info.Size(), info.ModTime().UnixNano())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	before := files()
	if _, err := LookAt(dir, paper()); err != nil {
		t.Fatal(err)
	}
	if after := files(); after != before {
		t.Errorf("before\n%safter\n%s", before, after)
	}
}
