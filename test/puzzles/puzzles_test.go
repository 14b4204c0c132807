package puzzles

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"go.uber.org/goleak"

	"pagoda/internal/kv"
	"pagoda/internal/output/render"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/rundir"
	"pagoda/internal/run/verify"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A folder is the data folder of a run; its databases are in memory.
type folder struct {
	dir string
	fs  vfs.FS
}

func newFolder(t *testing.T) *folder { return &folder{t.TempDir(), vfs.NewMem()} }

// open opens the folder for a run of p.
func (d *folder) open(t *testing.T, p puzzle.Puzzle) *rundir.Folder {
	t.Helper()
	o := kv.Options{FS: d.fs, CacheBytes: 1 << 20, MemTableBytes: 1 << 20}
	f, err := rundir.Create(d.dir, rundir.NewMeta(p.Identity(), "config"), rundir.FolderOptions{Store: o, Ledger: o})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// run carries p out in the folder, or as far as ctx lets it, and returns whether it is complete.
func (d *folder) run(ctx context.Context, t *testing.T, p puzzle.Puzzle, o engine.Options) bool {
	t.Helper()
	f := d.open(t, p)
	out, err := engine.Run(ctx, p, f, o)
	if err != nil && (!errors.Is(err, context.Canceled) || ctx.Err() == nil) {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Results.Complete()
}

// A content is everything that a run says: its records with the digests of all windows, the document that it prints,
// and its rows as they are exported.
type content struct {
	records  []string
	document string
	rows     []string
}

// content reads a complete run, and verifies it.
func (d *folder) content(t *testing.T, p puzzle.Puzzle) content {
	t.Helper()
	f := d.open(t, p)
	var c content
	if err := f.Ledger.Load(func(e kv.Entry) error {
		b, err := e.Record.Encode()
		c.records = append(c.records, string(b))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	results, err := rundir.Load(p, f)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := p.Summarise(results)
	if err != nil {
		t.Fatal(err)
	}
	c.document = string(render.Document("", p.Identity().Puzzle, &sum))
	if e, ok := p.(puzzle.Exporter); ok {
		for n := range results.Layers() {
			for _, cell := range results.Cells(n) {
				if err := f.Scan(t.Context(), results, cell.Cell, func(b *puzzle.Block) error {
					return e.ExportRows(cell.Cell, b, func(row []puzzle.Value) error {
						c.rows = append(c.rows, fmt.Sprint(cell.Layer, row))
						return nil
					})
				}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	report, err := verify.Run(t.Context(), p, f, verify.Options{})
	if err != nil || len(report.Findings) > 0 {
		t.Errorf("verification: %+v, %v", report, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return c
}

// held is a puzzle of which so many windows are computed; the next one ends the run instead.
type held struct {
	puzzle.Puzzle
	left atomic.Int64
	stop context.CancelFunc
}

func (p *held) Compute(
	ctx context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (puzzle.Tally, error) {
	if p.left.Add(-1) < 0 {
		p.stop()
		<-ctx.Done()
		return puzzle.Tally{}, ctx.Err()
	}
	return p.Puzzle.Compute(ctx, w, in, out)
}

// piece carries out a part of a run of p, of at most so many windows, and returns whether it is complete.
func (d *folder) piece(t *testing.T, p puzzle.Puzzle, windows int, o engine.Options) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	part := &held{Puzzle: p, stop: cancel}
	part.left.Store(int64(windows))
	return d.run(ctx, t, part, o)
}

// TestSameBytes carries every question out in three ways: without a disturbance, interrupted, and cut into other
// windows. The interrupted run stops again and again. It is resumed with another number of windows at a time, and
// computes a part of the windows twice.
func TestSameBytes(t *testing.T) {
	for i := range questions {
		q := &questions[i]
		t.Run(q.name, func(t *testing.T) {
			if testing.Short() && i%4 != 0 {
				t.Skip("long under the race detector; go test without -short runs it")
			}
			seed := rand.Uint64()
			t.Logf("seed %#x", seed)
			rnd := rand.New(rand.NewPCG(seed, 1))
			p := q.build(t, q.windows[0])
			whole := newFolder(t)
			if !whole.run(t.Context(), t, p, engine.Options{Concurrency: 1, Retention: plan.RetainAll}) {
				t.Fatal("the run is not complete")
			}
			want := whole.content(t, p)
			if len(want.records) < 2 {
				t.Fatalf("%d windows: there is nothing to interrupt", len(want.records))
			}

			const most = 5 // interruptions
			pieces, stops := newFolder(t), 0
			for ; ; stops++ {
				windows := 1 + rnd.IntN((len(want.records)+2)/3)
				if stops == most {
					windows = math.MaxInt
				}
				if pieces.piece(t, p, windows, engine.Options{
					Concurrency: 1 + rnd.IntN(3), Retention: plan.RetainAll, CacheBytes: rnd.Uint64N(1 << 20), TaskTime: 1,
					AuditFraction: 0.3,
				}) {
					break
				}
			}
			if stops == 0 {
				t.Error("nothing was interrupted")
			}
			got := pieces.content(t, p)
			if !slices.Equal(got.records, want.records) || !slices.Equal(got.rows, want.rows) ||
				got.document != want.document {
				t.Errorf("interrupted %d times, the run differs: %d windows, want %d\n%s\nwant\n%s", stops, len(got.records),
					len(want.records), got.document, want.document)
			}
			t.Logf("%d windows, %d rows, %d interruptions", len(want.records), len(want.rows), stops)

			for _, window := range append(q.windows[1:], "") {
				p := q.build(t, window)
				other := newFolder(t)
				other.run(t.Context(), t, p, engine.Options{Concurrency: 2, Retention: plan.RetainAll})
				got := other.content(t, p)
				if !slices.Equal(got.rows, want.rows) || got.document != want.document {
					t.Errorf("window_addresses %q: %d rows, want %d\n%s\nwant\n%s", window, len(got.rows), len(want.rows),
						got.document, want.document)
				}
				if len(got.records) == len(want.records) && window != "" {
					t.Errorf("window_addresses %q cuts nothing: %d windows", window, len(got.records))
				}
			}
		})
	}
}
