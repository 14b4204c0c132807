package coordinator

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/uint128"

	"pgregory.net/rapid"

	"pagoda/internal/plan"
	"pagoda/internal/plan/plantest"
	"pagoda/internal/protocol"
)

const paperRun = "0123456789ab"

// board is a coordinator without a ledger, and what its workers have been dealt.
type board struct {
	*Coordinator
	plan     *plan.Plan
	assigned map[string][]protocol.Task
	by       map[puzzle.WindowID]string // who has computed what
}

// failer is what is common to a test and to a property.
type failer interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func newBoard(tb failer, p puzzle.Puzzle, slots map[string]int) *board {
	pl, err := plan.NewPartitioned(p, plan.DefaultPartitions)
	if err != nil {
		tb.Fatal(err)
	}
	t := &board{plan: pl, assigned: make(map[string][]protocol.Task), by: make(map[puzzle.WindowID]string)}
	t.Coordinator = New(paperRun, pl, nil, t, Options{Fleet: FleetOptions{Locality: true}})
	t.nsPerWrk = 100
	for name, n := range slots {
		t.members.byName[name] = &member{Peer: protocol.Peer{Name: name}, concurrency: n}
	}
	pl.WantAll(plan.RetainAll)
	return t
}

func (t *board) Submit(_ context.Context, tasks []protocol.Task) error {
	for _, task := range tasks {
		t.assigned[task.To] = append(t.assigned[task.To], task)
	}
	return nil
}

func (t *board) Serve(context.Context, func(context.Context, protocol.Report) protocol.Reply) error {
	return nil
}
func (t *board) Pending(context.Context) (int, error) { return 0, nil }

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
		t.inflight.complete(w.ID())
		t.by[w.ID()] = worker
	}
}

// TestNobodyIsIdle deals random plans to workers of random speeds: nobody is without a task while there is one worth
// having, and everything is computed.
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
			if err := d.dispatch(t.Context()); err != nil {
				t.Fatal(err)
			}
			small := float64(d.o.TaskTime.Nanoseconds()) / d.nsPerWrk * smallTask
			var busy []string
			for _, n := range names {
				if len(d.assigned[n]) > 0 {
					busy = append(busy, n)
				} else if d.plan.ReadyWork > small+1 {
					t.Fatalf("worker %s has nothing to do, and work of %g is ready", n, d.plan.ReadyWork)
				}
				if got := d.inflight.directed[n]; got.tasks != len(d.assigned[n]) {
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
// about one at each end of a partition; half of them and more if windows went to whoever is free.
func TestNeighboursStayTogether(t *testing.T) {
	const size = 60
	names := []string{"a", "b", "c"}
	d := newBoard(t, plantest.Grid(size), map[string]int{"a": 1, "b": 1, "c": 1})
	for turn := 0; !d.plan.Finished(); turn++ {
		if err := d.dispatch(t.Context()); err != nil {
			t.Fatal(err)
		}
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

// TestWithheldComesLast: the rows of a window could not be had from x, and nobody believes what both others have said
// of its parents since. It goes to one of them again, and not to x, which would report what is on its disk; and to x
// when x is all there is.
func TestWithheldComesLast(t *testing.T) {
	b := newBoard(t, plantest.Grid(4), map[string]int{"a": 1, "b": 1, "x": 1})
	cell := b.plan.Index[b.plan.Cells(1)[0].Cell]
	h := b.history(cell.WindowID(0))
	h.withhold("x")
	h.doubt(accusation{worker: "a"})
	if to := b.restricted(cell, &cell.Parts[0], h); to != "b" {
		t.Errorf("the window goes to %q, and only b has said nothing", to)
	}
	h.doubt(accusation{worker: "b"})
	if to := b.restricted(cell, &cell.Parts[0], h); to != "a" && to != "b" {
		t.Errorf("the window goes to %q", to)
	}
	h.exclude("a")
	h.exclude("b")
	if to := b.restricted(cell, &cell.Parts[0], h); to != "a" && to != "b" {
		t.Errorf("the window goes to %q", to)
	}
	delete(b.members.byName, "a")
	delete(b.members.byName, "b")
	if to := b.restricted(cell, &cell.Parts[0], h); to != "" {
		t.Errorf("the window goes to %q, and only x is there", to)
	}
}

// TestNewcomersOnTrial: after workers have joined and reported nothing, no more newcomers are given windows at a time
// than there are workers that have reported some, those first that have waited longest; and windows that were taken
// back go to none of them.
func TestNewcomersOnTrial(t *testing.T) {
	slots := map[string]int{"a": 1, "b": 1}
	for i := range 20 {
		slots[fmt.Sprintf("new%02d", i)] = 1
	}
	b := newBoard(t, plantest.Grid(40), slots)
	b.members.byName["a"].proven, b.members.byName["b"].proven = true, true
	for name, m := range b.members.byName {
		if _, err := fmt.Sscanf(name, "new%d", &m.serial); err == nil {
			m.serial = 20 - m.serial
		}
	}
	if names := b.members.onTrial(nil); len(names) != len(slots) {
		t.Errorf("%q are given windows, and nobody has turned out to be idle", names)
	}
	b.members.idlers = 1
	want := []string{"a", "b", "new18", "new19"}
	if names := b.members.onTrial(nil); !slices.Equal(names, want) {
		t.Errorf("%q are given windows, want %q", names, want)
	}
	want = []string{"a", "b", "new03", "new19"}
	if names := b.members.onTrial(map[string]load{"new03": {tasks: 2}}); !slices.Equal(names, want) {
		t.Errorf("%q are given windows, want %q", names, want)
	}
	cell := b.plan.Index[b.plan.Cells(1)[0].Cell]
	h := b.history(cell.WindowID(0))
	h.exclude("new19")
	if to := b.restricted(cell, &cell.Parts[0], h); to != "a" && to != "b" {
		t.Errorf("a window that was taken back goes to %q", to)
	}
	delete(b.members.byName, "a")
	delete(b.members.byName, "b")
	if names := b.members.onTrial(nil); len(names) != 1 {
		t.Errorf("%q are given windows, and nobody has reported any", names)
	}
}

// TestLongWindowsStayWithTheirOwner: of two workers with 20 long windows each, one does nothing. The other takes its
// windows as long as there are more than the owner will begin soon, and all that the owner does not have in hand when
// that is slow, or has fallen silent.
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
		now := time.Now()
		d.o.Now = func() time.Time { return now.Add(c.silent) }
		for _, m := range d.members.byName {
			m.lastReport = now
		}
		d.members.byName["idle"].rate = rate{c.rate, 1}
		keen := 0
		for {
			if err := d.dispatch(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(d.assigned["keen"]) == 0 {
				break
			}
			keen += len(d.assigned["keen"][0].Windows)
			d.finish(t, "keen")
		}
		if left := 2*each - keen; left != c.left || d.heldBack != c.held {
			t.Errorf("%s: %d windows are left, want %d; held back: %v", c.what, left, c.left, d.heldBack)
		}
	}
}
