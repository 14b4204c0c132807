package coordinator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/coordinator/failures"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
)

// rows returns a worker's report of a window with rows.
func rows(tw *protocol.TaskWindow) protocol.Done {
	d := done(tw)
	d.Record.Rows, d.Record.Blocks, d.Record.Bytes = 2, 1, 9
	return d
}

// compute has a worker compute all windows that it is given, until there are none or n are done.
func (l *led) compute(worker string, n int) {
	l.t.Helper()
	for ; n > 0; n-- {
		task := l.take(worker)
		if task == nil {
			return
		}
		var d []protocol.Done
		for i := range task.Windows {
			d = append(d, rows(&task.Windows[i]))
		}
		l.report(worker, protocol.Report{Done: d})
	}
}

// given lists the windows that are given out, with the worker when there is but one that may have it.
func (l *led) given() (text string) {
	for _, task := range l.tasks {
		for i := range task.Windows {
			text += fmt.Sprintf(" %s>%s", task.Windows[i].ID(), task.To)
		}
	}
	return strings.TrimSpace(text)
}

// holders names the holders of a window.
func (l *led) holders(id puzzle.WindowID) []string { return l.c.plan.ReplicaNames(l.window(id)) }

// TestAccusations: x says that it could not read a parent of its window. The coordinator asks the holders that x names
// and believes its own findings.
func TestAccusations(t *testing.T) {
	absent := fmt.Errorf("it is not there: %w", kv.ErrNotFound)
	away := fmt.Errorf("it is silent: %w", protocol.ErrUnreachable)
	for _, c := range []struct {
		name   string
		change func(l *led, f *protocol.Failure)
		found  map[string]error // by the coordinator, of each holder that it asks
		asked  string
		want   string // the holders and losses of the parent, the windows given out
		late   string // windows given out after failures.RetryDelay, when that is more
		pays   string // the workers that pay
	}{
		{"the rows are not there", nil, map[string]error{"h": absent}, "h", "[] 1, 0/a0/0>a", "", "h"},
		{"the rows are there", nil, map[string]error{"h": nil}, "h", "[h] 0, 1/a0/0>a", "", "x"},
		{"the rows are there, and x has waited", func(l *led, _ *protocol.Failure) { l.now = l.now.Add(4 * time.Second) },
			map[string]error{"h": nil}, "h", "[h] 0, 1/a0/0>a", "", "h x"},
		{"one of two has them not", func(l *led, f *protocol.Failure) {
			l.hold(first, "g")
			f.Holders = []string{"g", "h"}
		}, map[string]error{"g": nil, "h": absent}, "g h", "[g] 0, 1/a0/0>", "", "h"},
		{"a holder that is not accused is not asked", func(l *led, _ *protocol.Failure) { l.hold(first, "g") },
			map[string]error{"h": absent}, "h", "[g] 0, 1/a0/0>", "", "h"},
		{"the holder cannot be reached, once", func(_ *led, f *protocol.Failure) { f.Unreachable = true },
			map[string]error{"h": away}, "h", "[h] 0, ", "1/a0/0>", "h"},
		{"the holder cannot be reached, again", func(l *led, f *protocol.Failure) {
			f.Unreachable = true
			l.c.failures.Of(f.Window.ID()).Unreached(confirmedUnreachable, nil)
		}, map[string]error{"h": away}, "h", "[] 0, 0/a0/0>a", "", "h"},
		{"the coordinator reaches it", func(_ *led, f *protocol.Failure) { f.Unreachable = true },
			map[string]error{"h": nil}, "h", "[h] 0, 1/a0/0>h", "", "x"},
		{"the holder is x itself", func(l *led, f *protocol.Failure) {
			l.hold(first, "x")
			f.Holders = []string{"x"}
		}, nil, "", "[h] 0, 1/a0/0>", "", ""},
		{"nobody is accused", func(_ *led, f *protocol.Failure) { f.Holders = nil }, nil, "", "[h] 0, 1/a0/0>a", "", ""},
		{"no holder is accused", func(_ *led, f *protocol.Failure) { f.Holders = []string{"a"} }, nil, "",
			"[h] 0, 1/a0/0>a", "", ""},
		{"it was lost since", func(l *led, _ *protocol.Failure) { l.window(first).Losses = 1 }, nil, "",
			"[h] 1, 1/a0/0>a", "", ""},
		{"there are no rows", func(l *led, _ *protocol.Failure) { l.window(first).Rows = 0 }, nil, "",
			"[h] 0, 1/a0/0>a", "", ""},
		{"the holder has gone", func(l *led, _ *protocol.Failure) {
			l.c.stopOn(l.c.letGo(t.Context(), "h", WorkerLost{}))
		}, nil, "", "[] 0, 0/a0/0>", "", ""},
		{"it is no parent", func(_ *led, f *protocol.Failure) { f.Missing.Key = "a1" }, nil, "", "[h] 0, 1/a0/0>a", "", ""},
		{"the holder leaves", func(l *led, f *protocol.Failure) {
			f.Unreachable = true
			l.c.members.Get("h").Leaving = true
		}, nil, "", "[h] 0, ", "1/a0/0>", ""},
		{"the holder leaves, and should have gone", func(l *led, f *protocol.Failure) {
			f.Unreachable = true
			l.c.members.Get("h").Leaving = true
			l.c.failures.Of(f.Window.ID()).Waits(l.now.Add(-defaultLostAfter - 1))
		}, map[string]error{"h": away}, "h", "[h] 0, ", "1/a0/0>", "h"},
		{"the holder has spent its budget", func(l *led, f *protocol.Failure) {
			f.Unreachable = true
			l.c.members.Costs.Serving("h").Take(time.Hour)
		}, nil, "", "[] 0, 0/a0/0>", "", ""},
	} {
		var asked []string
		o := Options{Check: func(_ context.Context, lw protocol.LocatedWindow) error {
			name := lw.Holders[0].Name
			asked = append(asked, name)
			err, ok := c.found[name]
			if !ok || len(lw.Holders) != 1 || lw.Record.Window.ID() != first || lw.Record.Rows != 2 {
				t.Errorf("%s: %s is asked for %+v", c.name, name, lw)
			}
			return err
		}}
		l := lead(t, plantest.Grid(2), o, "a", "g", "h", "x")
		l.compute("h", 1)
		if got := l.given(); got != "1/a0/0> 1/a1/0>" {
			t.Fatalf("%s: given out at first: %s", c.name, got)
		}
		for _, name := range []string{"a", "x"} {
			l.c.members.Reported(name, l.now)
		}
		in := l.take("x").Windows[0]
		l.tasks = nil
		f := unread(&in, inFirst, "h")
		if c.change != nil {
			c.change(l, &f)
		}
		before := l.budgets()
		l.report("x", protocol.Report{Failures: []protocol.Failure{f}})
		if l.c.failures.Checks() > 0 {
			(<-l.c.calls)()
		}
		slices.Sort(asked)
		got := fmt.Sprintf("%v %d, %s", l.holders(first), l.window(first).Losses, l.given())
		if text := strings.Join(asked, " "); got != c.want || text != c.asked {
			t.Errorf("%s: asked %q, then %q, want %q and %q", c.name, text, got, c.asked, c.want)
		}
		if l.c.failures.Checks() > 0 {
			t.Errorf("%s: the check does not end", c.name)
		}
		var pays []string
		for name, left := range l.budgets() {
			if left < before[name] {
				pays = append(pays, name)
			}
		}
		if slices.Sort(pays); strings.Join(pays, " ") != c.pays {
			t.Errorf("%s: %v pay, want %s", c.name, pays, c.pays)
		}
		if l.wait(failures.RetryDelay + tickInterval); c.late != "" && l.given() != c.late {
			t.Errorf("%s: later %q are given out, want %q", c.name, l.given(), c.late)
		}
		if err := l.c.Err(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// hold notes that a worker holds a window.
func (l *led) hold(id puzzle.WindowID, worker string) {
	if err := l.c.hold(id, worker); err != nil {
		l.t.Fatal(err)
	}
}

// budgets adds up what each worker may still cost.
func (l *led) budgets() map[string]time.Duration {
	left := make(map[string]time.Duration)
	for name := range l.c.members.All() {
		left[name] = l.c.members.Costs.Serving(name).ReadPatience() + l.c.members.Costs.Tasks(name).TaskPatience()
	}
	return left
}

// TestAllAccuse: when every worker that is left has said the same of a parent, they are believed.
func TestAllAccuse(t *testing.T) {
	l := lead(t, plantest.Grid(2), Options{Check: func(context.Context, protocol.LocatedWindow) error { return nil }},
		"h", "x", "y")
	l.compute("h", 1)
	l.tasks = l.tasks[:1]
	l.c.members.Get("h").Leaving = true
	for _, name := range []string{"x", "y"} {
		l.c.members.Reported(name, l.now)
	}
	for n, name := range []string{"x", "y"} {
		if got := l.holders(first); len(got) != 1 {
			t.Fatalf("after %d accusations the holders are %v", n, got)
		}
		task := l.take(name)
		if task == nil {
			t.Fatalf("%s is given nothing of %s", name, l.given())
		}
		l.report(name, protocol.Report{Failures: []protocol.Failure{unread(&task.Windows[0], inFirst, "h")}})
		(<-l.c.calls)()
	}
	if got := l.holders(first); len(got) > 0 || l.window(first).State == plan.WindowHeld {
		t.Errorf("all accuse, and the holders are %v, the window is %s", got, l.window(first).State)
	}
}

// TestOneAccuser: x accuses the holder of a parent again and again, and the only other worker for the window is that
// holder. The holder has the window in its turn, also where it did not serve its rows before, and x is not believed: it
// has never reported a window.
func TestOneAccuser(t *testing.T) {
	l := lead(t, plantest.Grid(2), Options{Check: func(context.Context, protocol.LocatedWindow) error { return nil }},
		"h", "x")
	l.compute("h", 1)
	id := puzzle.WindowID{Cell: puzzle.Cell{Layer: 1, Key: "a0"}}
	l.c.failures.Of(id).Withhold("h")
	had := 0
	for had < 20 && !strings.Contains(l.given(), id.String()+">h") {
		task := l.take("x")
		if task == nil {
			t.Fatalf("x has nothing of %s", l.given())
		}
		if task.Windows[0].ID() != id {
			continue // x keeps this one
		}
		had++
		l.report("x", protocol.Report{Failures: []protocol.Failure{unread(&task.Windows[0], inFirst, "h")}})
		if l.c.failures.Checks() > 0 {
			(<-l.c.calls)()
		}
		if got := l.holders(first); len(got) != 1 {
			t.Fatalf("after %d accusations the holders are %v", had, got)
		}
	}
	if had > 4 {
		t.Errorf("x has had it %d times: %s", had, l.given())
	}
}

// TestChecksAtOnce: so many checks are made at a time, and the others wait for them.
func TestChecksAtOnce(t *testing.T) {
	l := lead(t, plantest.Wide{Depth: 2, Windows: 7}, Options{
		TaskTime: 1,
		Check:    func(context.Context, protocol.LocatedWindow) error { return kv.ErrNotFound },
	}, "h", "x")
	l.compute("h", 7)
	for range failures.MaxChecks + 2 {
		tw := l.take("x").Windows[0]
		parent := puzzle.Window{Cell: puzzle.Cell{Layer: 0, Key: "a"}, Addresses: 1000}
		l.report("x", protocol.Report{Failures: []protocol.Failure{unread(&tw, parent, "h")}})
	}
	for n := range failures.MaxChecks + 2 {
		if got := l.c.failures.Checks(); got != min(failures.MaxChecks, failures.MaxChecks+2-n) {
			t.Fatalf("after %d, %d checks are made", n, got)
		}
		(<-l.c.calls)()
	}
}

// TestCheckTime: a check ends when the time for the bytes of the window is over.
func TestCheckTime(t *testing.T) {
	for patience, want := range map[int]time.Duration{0: checkTime + 3*time.Second, 2000: 5 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			b := newBoard(t, plantest.Grid(2), nil)
			b.o.Check = func(ctx context.Context, _ protocol.LocatedWindow) error {
				<-ctx.Done()
				return ctx.Err()
			}
			begun := time.Now()
			err := b.check(t.Context(), protocol.LocatedWindow{
				Record: kv.Record{Bytes: 3*checkPace + 1}, Holders: []protocol.Peer{{Name: "h", Patience: patience}},
			})
			if !errors.Is(err, protocol.ErrUnreachable) || time.Since(begun) != want {
				t.Errorf("a holder of patience %d is given %v, %v", patience, time.Since(begun), err)
			}
		})
	}
}

// TestBothPay: the holders pay together no more for a late accusation than its accuser has left and pays. Where all are
// in reserve, each holder pays for all of it.
func TestBothPay(t *testing.T) {
	for _, c := range []struct {
		what    string
		holders []string
		spent   []string // parties in reserve
		left    time.Duration
		pay     map[string]time.Duration
	}{
		{"one holder", []string{"h"}, nil, 8 * time.Second, map[string]time.Duration{"h": 8 * time.Second}},
		{"two holders", []string{"g", "h"}, nil, 8 * time.Second,
			map[string]time.Duration{"g": 4 * time.Second, "h": 4 * time.Second}},
		{"little is left", []string{"h"}, nil, 2 * time.Second, map[string]time.Duration{"h": 2 * time.Second}},
		{"a newcomer", []string{"h"}, nil, 8 * time.Second, nil},
		{"x is in reserve", []string{"h"}, []string{"x"}, 0, nil},
		{"all are", []string{"g", "h"}, []string{"g", "h", "x"}, 0,
			map[string]time.Duration{"g": 12 * time.Second, "h": 12 * time.Second}},
	} {
		l := lead(t, plantest.Grid(2), Options{}, "g", "h", "x")
		costs := l.c.members.Costs
		for name := range l.c.members.All() {
			if name != "x" || c.what != "a newcomer" {
				l.c.members.Reported(name, l.now)
			}
		}
		for _, name := range c.spent {
			costs.Tasks(name).Take(time.Hour)
		}
		costs.Tasks("x").Take(8*time.Second - c.left)
		l.c.bothPay(failures.Accusation{
			Worker: "x", Failure: protocol.Failure{Holders: c.holders}, Waited: 12 * time.Second,
		})
		for _, name := range []string{"g", "h", "x"} {
			if paid := 16*time.Second - costs.Serving(name).Take(time.Hour); paid != c.pay[name] {
				t.Errorf("%s: %s pays %v, want %v", c.what, name, paid, c.pay[name])
			}
		}
		if left := costs.Tasks("x").Take(time.Hour); left > 0 {
			t.Errorf("%s: %v are left to the accuser", c.what, left)
		}
	}
}

// TestPutOutUnchecked: x has a spent holder put out unchecked, the only other worker there. The holder waits as long as
// x computes in time, and joins again when x is in reserve, before its time is over.
func TestPutOutUnchecked(t *testing.T) {
	l := lead(t, plantest.Grid(2), Options{Fleet: FleetOptions{Locality: true}}, "h", "x")
	for _, name := range []string{"h", "x"} {
		l.c.members.Reported(name, l.now)
	}
	l.compute("h", 1)
	costs := l.c.members.Costs
	costs.Serving("h").Take(time.Hour)
	if !costs.Unserved("h", l.now) {
		t.Fatal("h is not put out")
	}
	l.c.stopOn(l.c.letGo(t.Context(), "h", WorkerLost{Unserved: true}))
	begun := l.now
	j := protocol.Join{Version: protocol.Version, Run: paperRun, Worker: "h", Incarnation: "i", Concurrency: 1}
	if l.c.account.Load("x").Tasks == 0 {
		t.Fatal("x has nothing to do")
	}
	for l.Join(t.Context(), j).Error != "" {
		if l.c.members.InReserve("x") {
			t.Fatal("x is in reserve, and h has to wait")
		}
		l.wait(time.Second)
	}
	if took := l.now.Sub(begun); took < 7*time.Second || took > 9*time.Second || l.c.account.Load("h").Tasks == 0 {
		t.Errorf("h joins again after %v, with %d tasks", took, l.c.account.Load("h").Tasks)
	}
}
