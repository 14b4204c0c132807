package assignment

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/puzzle/uint128"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
)

const (
	paperRun = "0123456789ab"
	taskTime = 20 * time.Millisecond
)

// board is a plan, and the tasks that workers have been dealt of it.
type board struct {
	plan     *plan.Plan
	account  *Account
	rate     Rate
	workers  []Worker
	assigned map[string][]protocol.Task
	by       map[puzzle.WindowID]string // the worker that has computed each window
}

// failer is implemented by tests and by properties.
type failer interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func newBoard(tb failer, p puzzle.Puzzle, slots map[string]int) *board {
	pl, err := plan.NewPartitioned(p, plan.DefaultPartitions)
	if err != nil {
		tb.Fatal(err)
	}
	t := &board{
		plan: pl, account: NewAccount("test"), rate: Rate{NsPerWork: 100},
		assigned: make(map[string][]protocol.Task), by: make(map[puzzle.WindowID]string),
	}
	for _, name := range slices.Sorted(maps.Keys(slots)) {
		t.workers = append(t.workers, Worker{Name: name, Concurrency: slots[name]})
	}
	pl.WantAll(plan.RetainAll)
	return t
}

// dispatch assigns the ready windows. It reports whether windows were left to their owners.
func (t *board) dispatch() (heldBack bool) {
	round := Round{
		Plan: t.plan, Account: t.account, Rate: &t.rate, TaskTime: taskTime, Workers: t.workers,
		Send: func(ws []protocol.TaskWindow, work float64, to string) {
			task, serial := t.account.Make(paperRun, 1, to, ws...)
			t.account.Track(&task, serial, work, time.Unix(0, 0))
			t.assigned[to] = append(t.assigned[to], task)
		},
		Divert: func(*protocol.TaskWindow, float64) bool { return false },
	}
	round.Assign()
	return round.HeldBack
}

// finish has a worker compute the first of its tasks.
func (t *board) finish(tb failer, worker string) {
	task := t.assigned[worker][0]
	t.assigned[worker] = t.assigned[worker][1:]
	for _, w := range task.Windows {
		if !t.plan.Index[w.Cell].ParentsHeld() || t.by[w.ID()] != "" {
			tb.Fatalf("window %s was dealt before its parents, or twice", w)
		}
		rec := kv.Record{Run: paperRun, Window: w.Window, Bytes: 1, Tally: puzzle.Tally{
			Sums: []puzzle.Scalar{{Name: "one", Value: uint128.From(1)}},
		}}
		if _, err := t.plan.Account(&rec); err != nil {
			tb.Fatal(err)
		}
		if err := t.plan.AddReplica(w.ID(), worker); err != nil {
			tb.Fatal(err)
		}
		t.account.Complete(w.ID())
		t.by[w.ID()] = worker
	}
}

// TestNobodyIsIdle deals random plans to workers of random speeds: no worker is without a task while there is one worth
// having, and every window is computed.
func TestNobodyIsIdle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plantest.Random(t)
		for _, l := range p.Layers {
			for i := range l {
				l[i].Work *= 1e5
			}
		}
		p.Undecided = 0
		slots := map[string]int{}
		names := []string{"a", "b", "c"}[:rapid.IntRange(1, 3).Draw(t, "workers")]
		for _, n := range names {
			slots[n] = rapid.IntRange(1, 3).Draw(t, "slots")
		}
		d := newBoard(t, p, slots)
		for !d.plan.Finished() {
			d.dispatch()
			small := float64(taskTime.Nanoseconds()) / d.rate.NsPerWork * smallTask
			var busy []string
			for _, n := range names {
				if len(d.assigned[n]) > 0 {
					busy = append(busy, n)
				} else if d.plan.ReadyWork > small+1 {
					t.Fatalf("worker %s has nothing to do, and work of %g is ready", n, d.plan.ReadyWork)
				}
				if got := d.account.Load(n); got.Tasks != len(d.assigned[n]) {
					t.Fatalf("worker %s has %d tasks under way, not %+v", n, len(d.assigned[n]), got)
				}
			}
			if len(d.assigned[""]) > 0 || len(busy) == 0 {
				t.Fatalf("%d tasks are for anyone, and %d workers are busy", len(d.assigned[""]), len(busy))
			}
			d.finish(t, rapid.SampledFrom(busy).Draw(t, "who"))
		}
	})
}

// TestNeighboursStayTogether counts the windows that a worker reads and another has computed. With partitions it is
// about one at each end of a partition. It would be half of them and more if windows went to any free worker.
func TestNeighboursStayTogether(t *testing.T) {
	const size = 60
	names := []string{"a", "b", "c"}
	d := newBoard(t, plantest.Grid(size), map[string]int{"a": 1, "b": 1, "c": 1})
	for turn := 0; !d.plan.Finished(); turn++ {
		d.dispatch()
		for range names {
			if n := names[turn%len(names)]; len(d.assigned[n]) > 0 {
				d.finish(t, n)
				break
			}
			turn++
		}
	}
	edges, foreign := 0, 0
	for _, c := range d.plan.Index {
		for _, parent := range c.ParentCells {
			edges++
			if d.by[c.WindowID(0)] != d.by[parent.WindowID(0)] {
				foreign++
			}
		}
	}
	t.Logf("%d of %d parents were computed by another worker", foreign, edges)
	if foreign*6 > edges {
		t.Errorf("%d of %d parents were computed by another worker", foreign, edges)
	}
	for _, n := range names {
		had := 0
		for _, by := range d.by {
			if by == n {
				had++
			}
		}
		if had < size*size/4 {
			t.Errorf("worker %s has computed %d of %d windows", n, had, size*size)
		}
	}
}

// TestLongWindowsStayWithTheirOwner: of two workers with 20 long windows each, one does nothing. The other takes its
// windows as long as there are more than the owner will begin soon. Of a slow or silent owner it takes all windows that
// the owner does not have in hand.
func TestLongWindowsStayWithTheirOwner(t *testing.T) {
	const each = 20
	for _, c := range []struct {
		what   string
		rate   float64 // of the owner, in nanoseconds
		silent time.Duration
		work   float64
		left   int // of the owner's windows
		held   bool
	}{
		{"as fast as all", 100, 0, 1e6, soonWindows, true},
		{"slow", 1000, 0, 1e6, 2, false}, // two tasks in hand
		{"silent", 100, 4 * time.Second, 1e6, 2, false},
		{"silent for a moment", 100, time.Second, 1e6, soonWindows, true},
		{"short windows", 100, 0, 1e5, 4, false}, // of two windows each
	} {
		cell := puzzle.CellPlan{Cell: puzzle.Cell{Key: "a"}, Addresses: 2 * each, Work: 2 * each * c.work}
		for i := range uint64(2 * each) {
			cell.Cuts = append(cell.Cuts, i)
		}
		d := newBoard(t, &plantest.Paper{Layers: [][]puzzle.CellPlan{{cell}}}, map[string]int{"idle": 1, "keen": 1})
		var owner Rate
		owner.Learn(int64(1e6*c.rate), 1e6)
		for i := range d.workers {
			d.workers[i].Rate, d.workers[i].Silent = new(Rate), c.silent
		}
		d.workers[0].Rate = &owner
		keen, held := 0, d.dispatch()
		for ; len(d.assigned["keen"]) > 0; held = d.dispatch() {
			keen += len(d.assigned["keen"][0].Windows)
			d.finish(t, "keen")
		}
		if left := 2*each - keen; left != c.left || held != c.held {
			t.Errorf("%s: %d windows are left, want %d; held back: %v", c.what, left, c.left, held)
		}
	}
}

// TestSlowDisk: a worker whose results come late takes part while the others have more to do than that takes, and when
// there is no better one.
func TestSlowDisk(t *testing.T) {
	const windows, each = 100, 10 * time.Millisecond // of the first layer
	for _, c := range []struct {
		a, b    time.Duration // lags
		silentA time.Duration
		want    string
	}{
		{0, 0, 0, "a b"},
		{0, 80 * time.Millisecond, 0, "a b"},
		{0, 550 * time.Millisecond, 0, "a b"}, // the other one takes 1.1 s for all
		{0, 650 * time.Millisecond, 0, "a"},
		{650 * time.Millisecond, 0, 0, "b"},
		{time.Second, 1300 * time.Millisecond, 0, "a b"},
		{time.Minute, time.Hour, 0, "a"},
		{0, time.Minute, time.Hour, "a b"}, // it may be dead
	} {
		p := &plantest.Paper{Layers: make([][]puzzle.CellPlan, 1)}
		for i := range windows {
			p.Layers[0] = append(p.Layers[0], puzzle.CellPlan{Cell: puzzle.Cell{Key: fmt.Sprint(i)}, Addresses: 10,
				Cuts: []uint64{0}, Work: float64(each) / 100})
		}
		d := newBoard(t, p, map[string]int{"a": 1, "b": 1})
		if c.silentA > 0 {
			task, serial := d.account.Make(paperRun, 1, "a", protocol.TaskWindow{})
			d.account.Track(&task, serial, 0, time.Unix(0, 0))
		}
		d.workers[0].Lag, d.workers[1].Lag, d.workers[0].Silent = c.a, c.b, c.silentA
		heldBack := d.dispatch()
		got := strings.Join(slices.Sorted(maps.Keys(d.assigned)), " ")
		if got != c.want || heldBack != !strings.Contains(c.want, " ") {
			t.Errorf("%+v: %q, held back %t", c, got, heldBack)
		}
	}
}

// TestLagsEndNoRun: whatever the lags are, some worker has something to do until all is done.
func TestLagsEndNoRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plantest.Random(t)
		p.Undecided = 0
		names := []string{"a", "b", "c"}[:rapid.IntRange(1, 3).Draw(t, "workers")]
		slots := map[string]int{}
		for _, n := range names {
			slots[n] = rapid.IntRange(1, 3).Draw(t, "slots")
		}
		d := newBoard(t, p, slots)
		for !d.plan.Finished() {
			for i := range d.workers {
				d.workers[i].Lag = time.Duration(rapid.SampledFrom([]int64{0, 2e8, 1e12, math.MaxInt64 / 4}).Draw(t, "lag"))
				d.workers[i].Silent = time.Duration(rapid.SampledFrom([]int64{0, 1e8, 1e12}).Draw(t, "silent"))
			}
			d.dispatch()
			busy := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return len(d.assigned[n]) == 0 })
			if len(busy) == 0 {
				t.Fatalf("no worker has anything to do: %+v", d.workers)
			}
			d.finish(t, rapid.SampledFrom(busy).Draw(t, "who"))
		}
	})
}
