package coordinator

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
)

// TestConductOfHolders: a worker that says that it lives, and serves nothing, is let go once half of its budget is
// spent, and has to wait until it may join. One that may be gone is kept. A worker that answers at once pays a little
// for each fault.
func TestConductOfHolders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBoard(t, plantest.Grid(4), map[string]int{"a": 1, "silent": 1, "gone": 1, "empty": 1})
		var lost []WorkerLost
		b.o.Events.WorkerLost = func(e WorkerLost) { lost = append(lost, e) }
		costs := b.members.Costs
		note := func(name string, err error, waited time.Duration, asked time.Time) (there bool) {
			t.Helper()
			if err := b.noteConduct(t.Context(), "a", waited, map[string]error{name: err}, asked); err != nil {
				t.Fatal(err)
			}
			return b.members.Get(name) != nil
		}
		asked := time.Now()
		time.Sleep(4 * time.Second)
		if note("gone", protocol.ErrUnreachable, 9*time.Second, asked); b.members.Get("gone") == nil {
			t.Error("a check of a worker that is not heard puts it out")
		}
		costs.Tasks("a").Take(5 * time.Second)
		b.members.Get("silent").Hear(time.Now())
		if !note("silent", protocol.ErrUnreachable, 3*time.Second, asked) {
			t.Error("a silent holder is put out though it has cost 7 s")
		}
		if got := costs.Tasks("a").TaskPatience(); got != 2*time.Second {
			t.Errorf("a is waited for %v, which has 1 s of 6 left and gets back 3", got)
		}
		if got := b.members.Get("silent").Patience; got != 2250 {
			t.Errorf("readers wait for a holder that has cost 7 s for %d ms", got)
		}
		if note("silent", protocol.ErrUnreachable, 0, asked) {
			t.Error("a silent holder that has cost 11 s is there")
		}
		for n := range 8 {
			if there := note("empty", kv.ErrNotFound, 0, time.Now()); there != (n < 7) {
				t.Errorf("after %d windows that it does not have the holder is there: %t", n+1, there)
			}
		}
		if note("a", nil, 0, asked); costs.Serving("a").ReadPatience() != 3*time.Second {
			t.Errorf("a has sent a window in 4 s, and is waited for %v", costs.Serving("a").ReadPatience())
		}
		if len(lost) != 2 || !lost[0].Unserved || lost[0].Worker != "silent" || lost[1].Worker != "empty" {
			t.Errorf("let go: %+v", lost)
		}
		join := protocol.Join{Version: protocol.Version, Run: paperRun, Worker: "silent", Incarnation: "2", Concurrency: 1}
		if reply := b.join(t.Context(), &join); reply.Stop || !strings.Contains(reply.Error, "may join again in 30s") {
			t.Errorf("it joins again at once: %+v", reply)
		}
		time.Sleep(30 * time.Second)
		b.members.Get("a").Hear(time.Now())
		if reply := b.join(t.Context(), &join); reply.Error != "" {
			t.Errorf("it may not join later: %+v", reply)
		}
	})
}
