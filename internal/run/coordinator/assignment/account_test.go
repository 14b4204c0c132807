package assignment

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
)

var begun = time.Unix(1000, 0)

func id(part int) puzzle.WindowID {
	return puzzle.WindowID{Cell: puzzle.Cell{Layer: 1, Key: "k"}, Part: part}
}

// give tracks a task of some windows.
func give(a *Account, to string, work float64, after time.Duration, parts ...int) uint64 {
	var ws []protocol.TaskWindow
	for _, part := range parts {
		ws = append(ws, protocol.TaskWindow{Window: puzzle.Window{Cell: id(part).Cell, Part: part}})
	}
	task, serial := a.Make("r", 7, to, ws...)
	a.Track(&task, serial, work, begun.Add(after))
	return serial
}

// told describes an account: tasks and windows, and of each worker the tasks, their work and since when it has them.
func told(a *Account, workers ...string) string {
	text := fmt.Sprintf("%d/%d", a.Tasks(), a.Windows())
	since := a.Begun()
	for _, name := range workers {
		l := a.Load(name)
		text += fmt.Sprintf(" %s:%d/%g", name, l.Tasks, l.Work)
		if at, ok := since[name]; ok {
			text += fmt.Sprintf("@%g", at.Sub(begun).Seconds())
		}
	}
	return text
}

// TestAccount gives out tasks and settles them, one window at a time.
func TestAccount(t *testing.T) {
	a := NewAccount("p")
	demand := func(when, want string) {
		t.Helper()
		if got := told(a, "a", "b"); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	task, serial := a.Make("r", 7, "a")
	if task.ID != "r-p-1" || task.Run != "r" || task.Epoch != 7 || task.To != "a" || serial != 1 {
		t.Errorf("made %+v, %d", task, serial)
	}
	demand("a task that is not tracked", "0/0 a:0/0 b:0/0")
	give(a, "a", 6, time.Second, 1, 2)
	give(a, "a", 5, 3*time.Second, 3)
	last := give(a, "b", 1, 2*time.Second, 4)
	demand("three tasks", "3/4 a:2/11@1 b:1/1@2")
	if got, ok := a.Serial(id(4)); got != last || !ok {
		t.Errorf("window 4 is of task %d, %t, want %d", got, ok, last)
	}
	if oldest, to, workers := a.Oldest(); oldest != id(1) || to != "a" || workers != 2 {
		t.Errorf("the oldest is %s of %s, of %d workers", oldest, to, workers)
	}
	a.Complete(id(1))
	demand("a window is settled", "3/3 a:2/8@1 b:1/1@2")
	a.Complete(id(1))
	a.Complete(id(9))
	demand("windows that are not given out are settled", "3/3 a:2/8@1 b:1/1@2")
	if _, ok := a.Serial(id(1)); ok || a.Has(id(1)) || !a.Has(id(2)) {
		t.Error("a settled window is in a task")
	}
	a.Complete(id(2))
	demand("a task is settled", "2/2 a:1/5@3 b:1/1@2")
	if since, ok := a.Since(id(3)); !ok || since != begun.Add(3*time.Second) {
		t.Errorf("window 3 is given since %v, %t", since, ok)
	}
	if got := a.Of("a"); !slices.Equal(got, []puzzle.WindowID{id(3)}) || a.Of("c") != nil {
		t.Errorf("a has %v", got)
	}
	// It has had the window since then, should it get it again. Another worker has it from now on.
	if got := a.RemoveWorker("a"); !slices.Equal(got, []puzzle.WindowID{id(3)}) {
		t.Errorf("removed %v", got)
	}
	demand("a has gone", "1/1 a:0/0 b:1/1@2")
	give(a, "a", 5, 9*time.Second, 3, 5)
	demand("a has the window again", "2/3 a:1/5@3 b:1/1@2")
	give(a, "b", 2, 8*time.Second, 3)
	demand("b has it", "3/3 a:1/5@3 b:2/3@2")
	ids := a.Reset()
	if demand("nothing", "0/0 a:0/0 b:0/0"); len(ids) != 3 {
		t.Errorf("forgotten: %v", ids)
	}
}

// TestOverdue lists the windows of tasks for any worker that take longer than they may, and predicts how long.
func TestOverdue(t *testing.T) {
	a := NewAccount("p")
	give(a, "", 5e9, time.Second, 1)
	give(a, "", 5e9, 2*time.Second, 2)
	give(a, "a", 6e9, 0, 3)
	for after, want := range map[time.Duration]int{4 * time.Second: 0, 4*time.Second + 1: 1, time.Minute: 2} {
		if got := a.OverdueForAnyone(begun.Add(after), 3*time.Second); len(got) != want || want == 1 && got[0] != id(1) {
			t.Errorf("after %v overdue are %v", after, got)
		}
	}
	for _, c := range []struct {
		to    string
		slots int
		pace  float64
		want  time.Duration
	}{
		{"a", 1, 1, 6 * time.Second}, {"a", 3, 1, 2 * time.Second}, {"a", 0, 2, 12 * time.Second},
		{"", 2, 1, 5 * time.Second}, {"c", 1, 1, 0}, {"a", 1, 1e9, maxPredicted},
	} {
		if got := a.Predicted(c.to, c.slots, c.pace); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestRate: a rate is that of all work at first, and of the last tenth of a second before long.
func TestRate(t *testing.T) {
	var r Rate
	if r.ns(&Rate{NsPerWork: 7}) != 7 {
		t.Error("where nothing was learned the rate of all counts")
	}
	r.Learn(1e6, 1e5)
	r.Learn(1e6, 1e5)
	if got := r.ns(&Rate{NsPerWork: 7}); got != 10 {
		t.Errorf("a rate of %g, want 10", got)
	}
	r = Rate{}
	r.Learn(1e6, 1e6)
	r.Learn(4e7, 1e6) // six tenths of the old weight are left
	if want := (0.6*1e6 + 4e7) / (0.6*1e6 + 1e6); math.Abs(r.NsPerWork/want-1) > 1e-12 {
		t.Errorf("a rate of %g, want %g", r.NsPerWork, want)
	}
	r = Rate{}
	r.Learn(1e9, 1e6)
	r.Learn(1e9, 3e6) // half of it, at least
	if want := 1.5e9 / 3.5e6; math.Abs(r.NsPerWork/want-1) > 1e-12 {
		t.Errorf("a rate of %g, want %g", r.NsPerWork, want)
	}
}

// TestSpeed: a worker's speed is a multiple of the mean, and not known before it has computed.
func TestSpeed(t *testing.T) {
	r := NewRates()
	r.Learn("a", 1e6, 3e5)
	r.Learn("b", 1e6, 1e5)
	r.Of("c")
	for worker, want := range map[string]float64{"a": 1.504, "b": 0.501, "c": 0, "d": 0} { // a second ago counts 0.99
		if got := r.Speed(worker); got != want {
			t.Errorf("%s: %g, want %g", worker, got, want)
		}
	}
}

// TestCopiesAccount asks for copies, so many at a time, and settles them.
func TestCopiesAccount(t *testing.T) {
	a := NewAccount("p")
	s := &a.Copies
	demand := func(when string, due, out, made int) {
		t.Helper()
		if s.Due() != due || s.Out() != out || s.Made() != made {
			t.Errorf("%s: %d due, %d out, %d made; want %d, %d, %d", when, s.Due(), s.Out(), s.Made(), due, out, made)
		}
	}
	var asked []puzzle.WindowID
	answer := func(to string) func(puzzle.WindowID) string {
		return func(w puzzle.WindowID) string { asked = append(asked, w); return to }
	}
	for part := range maxCopies + 3 {
		s.Want(id(part))
	}
	s.Ask(answer("a"))
	demand("as many as may be", 3, maxCopies, 0)
	if s.With(id(0)) != "a" || s.With(id(maxCopies)) != "" {
		t.Errorf("window 0 is copied by %q, window %d by %q", s.With(id(0)), maxCopies, s.With(id(maxCopies)))
	}
	if s.Complete(id(0), "b", true) || s.Complete(id(99), "a", true) {
		t.Error("another worker, or another copy, is settled")
	}
	if !s.Complete(id(0), "a", true) || !s.Complete(id(1), "a", false) {
		t.Error("two copies of a are not settled")
	}
	demand("one is made, one is not", 3, maxCopies-2, 1)
	asked = nil
	s.Ask(answer(""))
	demand("no worker is there for them", 0, maxCopies-2, 1)
	if len(asked) != 3 {
		t.Errorf("asked for %v", asked)
	}
	s.Want(id(5))
	s.Want(id(70))
	asked = nil
	if s.Ask(answer("b")); !slices.Equal(asked, []puzzle.WindowID{id(70)}) || s.With(id(5)) != "a" {
		t.Errorf("asked for %v", asked)
	}
	a.RemoveWorker("b")
	demand("b has gone", 1, maxCopies-2, 1)
	s.WantNone()
	demand("nothing is wanted", 0, maxCopies-2, 1)
	if a.Out() != maxCopies-2 {
		t.Errorf("%d are under way", a.Out())
	}
	a.Reset()
	demand("all are due again", maxCopies-2, 0, 1)
}

// TestChoose: a window goes to the worker with most bytes of its parents, or to the one with the fewest tasks. A copy
// goes to the one with the fewest windows.
func TestChoose(t *testing.T) {
	p, err := plan.New(plantest.Grid(2))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Extend(); err != nil {
		t.Fatal(err)
	}
	child := p.Index[puzzle.Cell{Layer: 2, Key: "a1"}]
	a := NewAccount("p")
	give(a, "x", 1, 0, 1)
	give(a, "y", 1, 0, 2)
	give(a, "x", 1, 0, 3)
	choose := func(names ...string) string {
		return fmt.Sprintf("%s %d %d", Choose(p, a, child, names), FetchEstimate(p, child, "x"), FetchEstimate(p, child, "z"))
	}
	if got := choose("x", "y"); got != "y 0 0" {
		t.Errorf("nothing is known: %s", got)
	}
	if got := choose(); got != " 0 0" {
		t.Errorf("nobody is there: %s", got)
	}
	for _, held := range []struct {
		key    string
		bytes  uint64
		worker []string
		want   string
	}{
		{"a0", littleBytes - 1, []string{"x"}, "y 0 4095"},
		{"a1", littleBytes, []string{"y", "x"}, "x 0 8191"},
	} {
		rec := kv.Record{Window: p.Index[puzzle.Cell{Layer: 1, Key: held.key}].Window(0), Rows: 1, Bytes: held.bytes}
		if err := p.CommitRecord(&rec); err != nil {
			t.Fatal(err)
		}
		for _, worker := range held.worker {
			if err := p.AddReplica(rec.ID(), worker); err != nil {
				t.Fatal(err)
			}
		}
		if got := choose("x", "y"); got != held.want {
			t.Errorf("%s is held: %s, want %s", held.key, got, held.want)
		}
	}
	if got := choose("y", "z"); !strings.HasPrefix(got, "y ") {
		t.Errorf("without x: %s", got)
	}
	w := &p.Index[puzzle.Cell{Layer: 1, Key: "a0"}].Parts[0]
	for want, names := range map[string][]string{"z": {"x", "y", "z"}, "y": {"x", "y"}, "": {"x"}} {
		if got := LeastLoaded(p, w, names); got != want {
			t.Errorf("of %v %q takes a copy, want %q", names, got, want)
		}
	}
}
