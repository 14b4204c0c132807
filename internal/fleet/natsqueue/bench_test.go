package natsqueue_test

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
)

// cpu returns the processor time of the whole process, garbage collection and server included.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkTask is one task's way through the queue: submitted, taken, reported, answered, acknowledged.
func BenchmarkTask(b *testing.B) {
	l := start(b, "r1", 0)
	ctx, cancel := context.WithCancel(b.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = l.Tasks.Serve(ctx, func(context.Context, protocol.Report) protocol.Reply { return protocol.Reply{} })
	})
	before := cpu(b)
	b.ResetTimer()
	wg.Go(func() {
		for i := 0; i < b.N; i += 4 {
			var ts []protocol.Task
			for j := i; j < min(i+4, b.N); j++ {
				ts = append(ts, task("r1", j))
			}
			if err := l.Tasks.Submit(ctx, ts); err != nil {
				b.Error(err)
				return
			}
		}
	})
	for range b.N {
		d, err := l.Work.Next(ctx)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := l.Work.Report(ctx, protocol.Report{Run: "r1", Worker: "w"}); err != nil {
			b.Fatal(err)
		}
		if err := d.Ack(); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	b.ReportMetric(float64((cpu(b)-before).Microseconds())/float64(b.N), "cpu-us/task")
	cancel()
	wg.Wait()
}

// hollow is a puzzle of the shape of the English board, with next to nothing in its windows: its run costs only plan,
// queue, ledger and commits.
type hollow struct{ layers, cells, parts int }

func (h *hollow) Identity() puzzle.Identity { return puzzle.Identity{Puzzle: "hollow"} }
func (h *hollow) Columns() []string         { return []string{"x"} }

func (h *hollow) cell(n, k int) puzzle.Cell { return puzzle.Cell{Layer: n, Key: fmt.Sprintf("k%d", k)} }

func (h *hollow) Layer(n int, _ puzzle.Results) ([]puzzle.CellPlan, error) {
	if n >= h.layers {
		return nil, puzzle.ErrNoLayer
	}
	plans := make([]puzzle.CellPlan, h.cells)
	for k := range plans {
		c := &plans[k]
		c.Cell, c.Addresses, c.Work = h.cell(n, k), uint64(h.parts), 1
		for i := range h.parts {
			c.Cuts = append(c.Cuts, uint64(i))
		}
		for p := k; n > 0 && p < min(h.cells, k+4); p++ {
			c.Parents = append(c.Parents, h.cell(n-1, p))
		}
	}
	return plans, nil
}

func (h *hollow) Compute(
	_ context.Context, w puzzle.Window, in puzzle.Source, out puzzle.Sink,
) (t puzzle.Tally, err error) {
	var k int
	if _, err := fmt.Sscanf(w.Key, "k%d", &k); err != nil {
		return t, err
	}
	one := uint128.From(1)
	for p := k; p < min(h.cells, k+4); p++ {
		if w.Layer > 0 {
			if _, err := in.Windows(h.cell(w.Layer-1, p)); err != nil {
				return t, err
			}
			_ = t.AddIn(h.cell(w.Layer-1, p), one)
		}
	}
	for p := k; p > max(-1, k-4); p-- {
		if w.Layer+1 < h.layers {
			_ = t.AddOut(h.cell(w.Layer+1, p), one)
		}
	}
	for _, name := range []string{"classes", "positions", "paths", "dead_positions", "games_ended"} {
		_ = t.AddSum(name, one)
	}
	return t, out.Block(&puzzle.Block{First: w.First, Addresses: 1, Occupied: []uint64{1}, Columns: [][]uint64{{7}}})
}

func (h *hollow) Summarise(puzzle.Results) (puzzle.Summary, error) { return puzzle.Summary{}, nil }

// BenchmarkWindow measures the cost of a window in a whole run beside its computation.
func BenchmarkWindow(b *testing.B) {
	h := &hollow{layers: 31, cells: 150, parts: 1}
	var used, wall time.Duration
	var tasks uint64
	for range b.N {
		m := rundir.NewMeta(h.Identity(), "")
		f, err := rundir.Create(b.TempDir(), m, rundir.FolderOptions{})
		if err != nil {
			b.Fatal(err)
		}
		l := start(b, m.Run, 0)
		before, begin := cpu(b), time.Now()
		if _, err := engine.Run(b.Context(), h, f, engine.Options{Tasks: l.Tasks, Work: l.Work, Concurrency: 2}); err != nil {
			b.Fatal(err)
		}
		used, wall = used+cpu(b)-before, wall+time.Since(begin)
		tasks += l.Submitted()
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(tasks)/float64(b.N), "tasks")
	n := float64(b.N * h.layers * h.cells * h.parts)
	b.ReportMetric(float64(used.Microseconds())/n, "cpu-us/window")
	b.ReportMetric(float64(wall.Microseconds())/n, "wall-us/window")
}
