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

// TestConductOfHolders: a worker that says that it lives, and serves nothing, is let go with all that it holds, and has
// to wait until it may join. One that may be gone is kept, and one that serves again is kept too.
func TestConductOfHolders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBoard(t, plantest.Grid(4), map[string]int{"a": 1, "silent": 1, "gone": 1, "empty": 1})
		var lost []WorkerLost
		b.o.Events.WorkerLost = func(e WorkerLost) { lost = append(lost, e) }
		note := func(name string, err error, asked time.Time) (there bool) {
			t.Helper()
			if err := b.noteConduct(t.Context(), map[string]error{name: err}, asked); err != nil {
				t.Fatal(err)
			}
			return b.members.Get(name) != nil
		}
		asked := time.Now()
		for range 5 {
			if b.members.Get("silent").Hear(asked.Add(1)); !note("silent", protocol.ErrUnreachable, asked) {
				t.Fatal("a check that took no time counts")
			}
		}
		time.Sleep(7 * time.Second)
		for range 5 {
			if !note("gone", protocol.ErrUnreachable, asked) {
				t.Fatal("a check of a worker that is not heard counts")
			}
		}
		for n, want := range []bool{true, false} {
			if there := note("silent", protocol.ErrUnreachable, asked); there != want {
				t.Errorf("after %d checks the silent holder is there: %t", n+1, there)
			}
		}
		for n := range 3 * 7 {
			err := kv.ErrNotFound
			if n%7 == 0 {
				err = nil // it serves one again
			}
			if !note("empty", err, asked) {
				t.Fatalf("a holder is let go after %d windows, and it serves one of seven", n+1)
			}
		}
		for n := range 2 {
			if there := note("empty", kv.ErrCorrupt, asked); there != (n == 0) {
				t.Errorf("after %d windows in a row the holder is there: %t", n+7, there)
			}
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
