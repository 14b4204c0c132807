package failures

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/protocol"
)

var (
	now     = time.Unix(1000, 0)
	errTorn = errors.New("torn")
)

func window(n int) puzzle.WindowID { return puzzle.WindowID{Cell: puzzle.Cell{Layer: n, Key: "k"}} }

// TestAside has the texts of the error of windows that are set aside.
func TestAside(t *testing.T) {
	f := New()
	for n, want := range []string{
		"", "; so did 1/k/0", "; so did 1/k/0, 2/k/0", "; so did 1/k/0, 2/k/0, 3/k/0", "; so did 1/k/0, 2/k/0, 3/k/0, 1 more",
		"; so did 1/k/0, 2/k/0, 3/k/0, 2 more",
	} {
		f.SetAside(Quarantined{Window: window(n), Attempts: 3, Err: errTorn})
		err := f.Error()
		if got := err.Error(); got != "window 0/k/0 failed 3 times, last: torn"+want || !errors.Is(err, errTorn) {
			t.Errorf("%d windows: %s", n+1, got)
		}
	}
	f.TakeBack(window(0))
	if got := f.Error().Error(); !strings.HasPrefix(got, "window 1/k/0 failed") {
		t.Errorf("window 0 was computed: %s", got)
	}
}

// TestRetries: a window that waits is due once, when its time has come, and not before those that began to wait before.
func TestRetries(t *testing.T) {
	f := New()
	f.Retry(window(1), now)
	f.Retry(window(2), now.Add(time.Millisecond))
	for _, c := range []struct {
		after time.Duration
		want  []puzzle.WindowID
	}{
		{RetryDelay - 1, nil}, {RetryDelay, []puzzle.WindowID{window(1)}}, {RetryDelay, nil},
		{RetryDelay + time.Millisecond, []puzzle.WindowID{window(2)}},
	} {
		if waits := f.Retrying(); !waits {
			t.Errorf("after %v no window waits", c.after)
		}
		if got := f.Due(now.Add(c.after)); !slices.Equal(got, c.want) {
			t.Errorf("after %v are due %v, want %v", c.after, got, c.want)
		}
	}
	if f.Retrying() {
		t.Error("a window waits for ever")
	}
}

// TestDecide has a case for each decision about a window that workers have failed at.
func TestDecide(t *testing.T) {
	rules := Rules{Now: now, MaxAttempts: 2, Decides: true, Others: true, Patience: time.Minute}
	f := New()
	h := f.Of(window(0))
	decide := func(want Decision, change func(*Rules)) {
		t.Helper()
		r := rules
		if change != nil {
			change(&r)
		}
		if got := h.Decide(r); got != want {
			t.Errorf("decision %d, want %d", got, want)
		}
	}
	h.Fail("a", errTorn, true)
	h.Fail("r", errTorn, false) // in reserve
	decide(Again, nil)
	h.Fail("b", errTorn, true)
	decide(Here, nil)
	decide(Aside, func(r *Rules) { r.Decides = false })
	if h.Attempts() != 2 || !slices.Equal(h.Failed(), []string{"a", "r", "b"}) || !errors.Is(h.Err(), errTorn) {
		t.Errorf("%d attempts of %v: %v", h.Attempts(), h.Failed(), h.Err())
	}
	if !h.Computed() || h.Attempts() != 0 {
		t.Error("the coordinator has computed it")
	}
	if got := h.ToBlame(); len(got) != 3 || len(h.ToBlame()) > 0 {
		t.Errorf("blamed once: %v", got)
	}
	h.Fail("a", errTorn, true)
	h.Fail("c", errTorn, true)
	decide(Blame, nil)
	if got := h.ToBlame(); !slices.Equal(got, []string{"c"}) {
		t.Errorf("blamed: %v", got)
	}
	alone := func(after time.Duration) func(*Rules) {
		return func(r *Rules) { r.Others, r.Now = false, now.Add(after) }
	}
	decide(Later, alone(0))
	decide(Later, alone(time.Minute-1))
	decide(Aside, alone(time.Minute))
	decide(Blame, nil) // another worker has come
	decide(Later, alone(time.Hour))
	f.Forget(window(0))
	if h = f.Find(window(0)); h != nil || h.Attempts() != 0 || h.Computed() || h.ToBlame() != nil {
		t.Error("it is not forgotten")
	}
}

// TestNext: the workers that a window does not go to become fewer, until only those are left that did not serve its
// rows. The preferred worker has it at once, unless it is one of them or must not have it.
func TestNext(t *testing.T) {
	var h History
	h.Doubt(Accusation{Worker: "d", Failure: protocol.Failure{Holders: []string{"h"}}})
	h.Doubt(Accusation{Worker: "e"})
	h.Fail("f", errTorn, true)
	h.Exclude("l")
	h.Withhold("w", "w")
	names := []string{"n", "d", "e", "l", "f", "w", "by"}
	next := func(h *History, by ...string) string {
		return h.Next(by, func(name string) bool { return slices.Contains(names, name) }, func(not []string) string {
			for _, name := range names {
				if !slices.Contains(not, name) {
					return name
				}
			}
			return ""
		})
	}
	for prefer, want := range map[string]string{"by": "n", "w": "n", "l": "n", "gone": "n", "p": "n", "": "n", "n": "n"} {
		if h.Prefer(prefer); next(&h, "by") != want {
			t.Errorf("%q is preferred, and %s has it", prefer, next(&h, "by"))
		}
	}
	names = append(names, "p")
	if h.Prefer("p"); next(&h, "by") != "p" {
		t.Errorf("p is preferred, and %s has it", next(&h, "by"))
	}
	h.Prefer("")
	for _, want := range []string{"n", "p", "d", "e", "l", "f", "", ""} {
		if got := next(&h, "by"); got != want {
			t.Errorf("of %v, %q has it, want %q", names, got, want)
		}
		names = slices.DeleteFunc(names, func(n string) bool { return n == want })
	}
	if got := next(nil, "by") + next(new(History)); got != "w" {
		t.Errorf("without a history %q has it", got)
	}
	if got := h.Believe(func(name string) bool { return name == "f" }); got != nil || len(h.Unfit()) != 5 {
		t.Errorf("no accuser is credible: believed %v; unfit are %v", got, h.Unfit())
	}
	got := h.Believe(func(string) bool { return true })
	if len(got) != 1 || got[0].Failure.Holders[0] != "h" || len(h.Unfit()) != 3 {
		t.Errorf("believed at last: %v; unfit are %v", got, h.Unfit())
	}
}

// TestWeigh: a holder that a check has found to lack the rows does not have them, and one out of reach may. The accuser
// is believed about its own.
func TestWeigh(t *testing.T) {
	a := Accusation{Worker: "x", Failure: protocol.Failure{Holders: []string{"x", "h"}}}
	gone, away := a.Weigh(map[string]error{"h": errTorn, "g": nil, "u": fmt.Errorf("u: %w", protocol.ErrUnreachable)})
	if !slices.Equal(gone, []string{"h", "x"}) || !slices.Equal(away, []string{"u"}) {
		t.Errorf("gone are %v, out of reach %v", gone, away)
	}
	if gone, away = (&Accusation{Worker: "y"}).Weigh(nil); len(gone)+len(away) > 0 {
		t.Errorf("nothing was checked: gone are %v, out of reach %v", gone, away)
	}
}

// TestChecks: accusations are checked in their order, so many at a time.
func TestChecks(t *testing.T) {
	f := New()
	for range MaxChecks + 1 {
		f.Accuse(Accusation{Worker: string(rune('a' + len(f.accused)))})
	}
	for n := range MaxChecks {
		if a, ok := f.Check(); !ok || a.Worker != string(rune('a'+n)) || f.Checks() != n+1 {
			t.Errorf("check %d is of %q", n, a.Worker)
		}
	}
	if _, ok := f.Check(); ok || !f.Retrying() {
		t.Error("too many are checked at a time")
	}
	f.EndCheck()
	if a, ok := f.Check(); !ok || a.Worker != "e" {
		t.Errorf("the last check is of %q", a.Worker)
	}
	for range MaxChecks {
		if !f.Retrying() {
			t.Error("no window waits for a check")
		}
		f.EndCheck()
	}
	if f.Retrying() {
		t.Error("a window waits for ever")
	}
}

// TestRounds: a worker that has had a window in vain twice begins a round, whatever it did. In later rounds workers
// that did not serve the rows have the window before one that has had it in the round.
func TestRounds(t *testing.T) {
	for what, vain := range map[string]func(h *History){
		"fails":   func(h *History) { h.Fail("x", errTorn, false) },
		"accuses": func(h *History) { h.Doubt(Accusation{Worker: "x"}) },
		"is late": func(h *History) { h.TakeFrom("x", time.Hour) },
	} {
		var h History
		h.Withhold("a")
		next := func() string {
			return h.Next(nil, func(string) bool { return false }, func(not []string) string {
				for _, name := range []string{"x", "a"} {
					if !slices.Contains(not, name) {
						return name
					}
				}
				return ""
			})
		}
		vain(&h)
		if got := next(); got != "x" {
			t.Errorf("x %s once, and %q has the window next", what, got)
		}
		vain(&h)
		vain(&h)
		if got := next(); got != "a" {
			t.Errorf("x %s all the time, and %q has the window next", what, got)
		}
	}
}

// TestForget: a window that has been computed has no history, unless workers did not serve its rows. These come last
// again when the rows are lost again.
func TestForget(t *testing.T) {
	f := New()
	for n, withheld := range [][]string{nil, {"x"}, {"x", "y"}} {
		id := window(n)
		h := f.Of(id)
		h.Fail("a", errTorn, true)
		h.Fail("a", errTorn, true)
		h.Withhold(withheld...)
		f.Forget(id)
		h = f.Find(id)
		if (h == nil) != (withheld == nil) {
			t.Fatalf("%v did not serve the rows, and the history is %+v", withheld, h)
		}
		if h != nil && (!slices.Equal(h.Unfit(), withheld) || h.Attempts() > 0 || h.rounds != 1) {
			t.Errorf("%v did not serve the rows; unfit are %v, round %d", withheld, h.Unfit(), h.rounds)
		}
	}
}

// TestTakeFrom: a worker gives a window back at once. When all have had it, each has it for a while in turn, which is
// twice as long each time, up to a limit.
func TestTakeFrom(t *testing.T) {
	var h History
	for _, c := range []struct {
		worker string
		held   time.Duration
		want   bool
	}{
		{"a", 0, true}, {"b", 0, true}, {"a", roundPatience - 1, false}, {"a", roundPatience, true},
		{"b", 2*roundPatience - 1, false}, {"b", 2 * roundPatience, true}, {"b", 2*roundPatience - 1, false},
		{"b", 2 * roundPatience, true}, {"a", 4*roundPatience - 1, false}, {"a", 4 * roundPatience, true},
		{"a", time.Hour, true}, {"a", time.Hour, true}, {"a", time.Hour, true}, {"a", time.Hour, true},
		{"a", time.Hour, true}, {"a", roundPatience<<maxRounds - 1, false}, {"a", roundPatience << maxRounds, true},
	} {
		if got := h.TakeFrom(c.worker, c.held); got != c.want {
			t.Errorf("taken from %s after %v: %t", c.worker, c.held, got)
		}
	}
}

// TestUnreached: after four failures a parent's holders count as gone, and until then a holder that lives is preferred.
func TestUnreached(t *testing.T) {
	var h History
	preferred := []string{"b", "a", "b", "a"}
	for n := range MaxUnreachable {
		if got := h.Unreached(1, []string{"a", "b"}); got != (n == MaxUnreachable-1) || h.preferred != preferred[n] {
			t.Errorf("failure %d: gone %t, preferred %s", n+1, got, h.preferred)
		}
	}
	h.Unreached(MaxUnreachable-1, nil)
	if h.Reached(); h.Unreached(MaxUnreachable-1, nil) {
		t.Error("failures count that were decided about")
	}
}

// TestWaits and the choice of another worker for a window that is overdue.
func TestWaits(t *testing.T) {
	var h History
	if got := h.Waits(now); got != now || h.Waits(now.Add(1)) != now {
		t.Errorf("it waits since %v", got)
	}
	for _, want := range []string{"b", "a", "b"} {
		if h.Redirect([]string{"a", "b"}); h.preferred != want {
			t.Errorf("it goes to %s, want %s", h.preferred, want)
		}
	}
}
