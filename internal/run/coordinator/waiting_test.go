package coordinator

import (
	"errors"
	"testing"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
)

// TestWaiting: a coordinator tells the one reason to wait that explains the others, and since when.
func TestWaiting(t *testing.T) {
	begun := time.Unix(1000, 0)
	window := func(part int) puzzle.WindowID {
		return puzzle.WindowID{Cell: puzzle.Cell{Layer: 2, Key: "k"}, Part: part}
	}
	inHand := func(b *board, to string, part int, since time.Duration) {
		in := protocol.TaskWindow{Window: puzzle.Window{Cell: window(part).Cell, Part: part}}
		task, serial := b.account.Make(paperRun, 1, to, in)
		b.account.Track(&task, serial, 1, begun.Add(since))
	}
	const at = 20 * time.Second // when it is asked
	for _, test := range []struct {
		name   string
		change func(b *board)
		want   string
		since  time.Duration // from the beginning
	}{
		{"the next window, which somebody has just begun", func(b *board) {
			inHand(b, "a", 0, 19*time.Second)
			b.times.report = begun.Add(18 * time.Second)
		}, "", 0},
		{"nothing is in hand", func(*board) {}, "", 0},
		{"nobody is there", func(b *board) { b.members.Remove("a") }, "a worker", at},
		{"the only worker leaves", func(b *board) { b.members.Get("a").Leaving = true },
			"a worker: 1 worker cannot be given windows", at},
		{"the only worker joins", func(b *board) { b.members.Get("a").Joining = true },
			"a worker to say what it holds", at},
		{"a run of one process has its worker", func(b *board) {
			b.members.Remove("a")
			b.fleet.Closed = true
		}, "", 0},
		{"holders", func(b *board) { b.plan.AwaitedCount = 1 },
			"workers to come back with 1 window that only they have", at},
		{"holders, when nobody is there either", func(b *board) {
			b.plan.AwaitedCount = 3
			b.members.Remove("a")
		}, "workers to come back with 3 windows that only they have", at},
		{"the archive", func(b *board) { b.plan.AwaitedCount, b.archive.listing = 2, true },
			"the list of the archive, which may have 2 windows that nobody else has", at},
		{"the queue, whatever else", func(b *board) { b.plan.AwaitedCount, b.queueDown = 2, "no quorum" },
			"the queue: no quorum", at},
		{"a report", func(b *board) {
			inHand(b, "a", 1, 5*time.Second)
			b.times.report = begun.Add(7 * time.Second)
		}, "worker a to report window 2/k/1", 7 * time.Second},
		{"reports, the oldest first", func(b *board) {
			inHand(b, "a", 1, 5*time.Second)
			inHand(b, "b", 2, 4*time.Second)
			inHand(b, "b", 0, 6*time.Second)
		}, "worker b to report window 2/k/2 and 2 more of 2 workers", 0},
		{"a report of whoever is first", func(b *board) { inHand(b, "", 1, 0) }, "a worker to report window 2/k/1", 0},
		{"nothing, when the run has failed", func(b *board) {
			b.queueDown = "no quorum"
			b.stopOn(errors.New("no space left on device"))
		}, "", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBoard(t, plantest.Grid(3), map[string]int{"a": 1})
			b.times.begun = begun
			test.change(b)
			w := b.describeWaiting(begun.Add(at))
			if test.want == "" {
				if w != nil {
					t.Fatalf("it waits for %+v", w)
				}
				return
			}
			if w == nil || w.For != test.want || !w.Since.Equal(begun.Add(test.since)) {
				t.Fatalf("it waits for %+v, want %s since %s", w, test.want, test.since)
			}
			if later := b.describeWaiting(begun.Add(2 * at)); later == nil || *later != *w {
				t.Errorf("later it waits for %+v, before for %+v", later, w)
			}
		})
	}
}
