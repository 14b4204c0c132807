package coordinator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan"
	"pagoda/internal/run/plan/plantest"
	"pagoda/internal/run/protocol"
)

// TestDrops: the retention policy drops rows that nothing reads any more, in groups, from ledger and plan, and tells
// all workers. Rows that a window to be computed needs stay. Workers hear at once of windows without readers.
func TestDrops(t *testing.T) {
	const size = 9
	for keep, kept := range map[plan.Retention]int{
		plan.RetainAll: size * size, plan.RetainLast: 1, plan.RetainSummary: 0,
	} {
		var told, unread []puzzle.WindowID
		dropped, groups := Dropped{}, 0
		var l *led
		o := Options{Retention: keep, Events: Events{Dropped: func(e Dropped) {
			dropped.Windows = append(dropped.Windows, e.Windows...)
			dropped.Bytes += e.Bytes
			groups++
			for _, id := range told {
				for _, child := range l.c.plan.Index[id.Cell].ChildCells {
					if child.Done < len(child.Parts) {
						t.Errorf("%s: %s is dropped, and %s needs it", keep, id, child.Cell.Key)
					}
				}
			}
		}}}
		o.Fleet.Broadcast = func(d protocol.Drop) error {
			if d.Run != paperRun || d.Epoch != 5 {
				t.Errorf("told %+v", d)
			}
			if d.Unread {
				unread = append(unread, d.Windows...)
				for _, id := range d.Windows {
					for _, child := range l.c.plan.Index[id.Cell].ChildCells {
						if child.Done < len(child.Parts) {
							t.Errorf("%s: %s is said to be read no more, and %s needs it", keep, id, child.Cell.Key)
						}
					}
				}
			} else {
				told = append(told, d.Windows...)
			}
			return nil
		}
		l = lead(t, plantest.Grid(size), o, "h")
		l.compute("h", size*size)
		over, err := l.Over()
		if held := l.c.plan.HeldBy("h"); !over || err != nil || held != kept {
			t.Errorf("%s: over %t, %v, h holds %d windows, want %d", keep, over, err, held, kept)
		}
		gone := size*size - kept
		if len(told) != gone || !slices.Equal(dropped.Windows, told) || dropped.Bytes != 9*uint64(gone) ||
			gone > 0 && groups < 2 {
			t.Errorf("%s: told of %d, dropped %+v in %d groups, want %d", keep, len(told), dropped, groups, gone)
		}
		once := make(map[puzzle.WindowID]bool)
		for _, id := range unread {
			once[id] = true
		}
		if len(once) != size*size-1 {
			t.Errorf("%s: told of %d windows without readers", keep, len(once))
		}
		if e, found, err := l.ledger.Entry(first); !found || err != nil || (len(e.Holders) == 0) != (gone > 0) {
			t.Errorf("%s: the ledger has %+v, %t, %v", keep, e, found, err)
		}
	}
}

// TestCopies: a window with rows is copied to another worker, the one that holds least. A run waits for its copies at
// its end, for a time.
func TestCopies(t *testing.T) {
	asked := func(l *led) (text string) {
		for _, task := range l.tasks {
			if lw := task.Windows[0].Copy; lw != nil {
				text += fmt.Sprintf("%s>%s from %s; ", lw.Record.ID(), task.To, lw.Holders[0].Name)
			}
		}
		l.tasks = slices.DeleteFunc(l.tasks, func(task protocol.Task) bool { return task.Windows[0].Copy != nil })
		return text
	}
	for _, c := range []struct {
		name       string
		replicas   int
		others     []string
		rows       bool
		want, then string
	}{
		{"two holders", 2, []string{"n"}, true, "0/a0/0>n from h; ", ""},
		{"three holders", 3, []string{"m", "n"}, true, "0/a0/0>m from h; ", "0/a0/0>n from h; "},
		{"one holder", 1, []string{"n"}, true, "", ""},
		{"without rows", 2, []string{"n"}, false, "", ""},
		{"no other worker", 2, nil, true, "", ""},
	} {
		var copied []Copied
		l := lead(t, plantest.Grid(2), Options{
			Fleet: FleetOptions{Replication: c.replicas}, Events: Events{Copied: func(e Copied) { copied = append(copied, e) }},
		}, append([]string{"h"}, c.others...)...)
		tw := l.take("h").Windows[0]
		d := rows(&tw)
		if !c.rows {
			d = done(&tw)
		}
		l.report("h", protocol.Report{Done: []protocol.Done{d}})
		if got := asked(l); got != c.want {
			t.Errorf("%s: asked for %q, want %q", c.name, got, c.want)
		}
		if c.want == "" {
			continue
		}
		if l.report(c.others[0], protocol.Report{Done: []protocol.Done{d}}); l.c.account.Copies.Made() != 1 {
			t.Errorf("%s: %d copies are made", c.name, l.c.account.Copies.Made())
		}
		if !slices.Equal(copied, []Copied{{first, c.others[0]}}) {
			t.Errorf("%s: told of %v", c.name, copied)
		}
		if got := asked(l); got != c.then {
			t.Errorf("%s: asked then for %q, want %q", c.name, got, c.then)
		}
	}
	l := lead(t, plantest.Grid(2), Options{Fleet: FleetOptions{Replication: 2}}, "h", "n")
	l.compute("h", 1)
	if got := asked(l); got != "0/a0/0>n from h; " {
		t.Fatalf("asked for %q", got)
	}
	late := protocol.Failure{Window: inFirst, Kind: protocol.FailError, Attempt: "of a computation"}
	if l.report("n", protocol.Report{Failures: []protocol.Failure{late}}); l.c.account.Copies.Out() != 1 {
		t.Error("a computation that fails ends the copy that the worker is asked for")
	}
	l.report("n", protocol.Report{Failures: []protocol.Failure{{Window: inFirst, Kind: protocol.FailCopy}}})
	if l.c.account.Copies.Out()+l.c.account.Copies.Due() != 0 || asked(l) != "" {
		t.Error("a copy that fails is asked for again")
	}
	if l.join("m"); asked(l) != "0/a0/0>m from h; " {
		t.Error("a worker that joins is not asked for a copy")
	}
	if l.c.stopOn(l.c.letGo(t.Context(), "m", WorkerLost{})); l.c.account.Copies.Out() != 0 {
		t.Error("a worker that has gone owes a copy")
	}
	l.compute("h", 9)
	l.tasks = nil
	if over, _ := l.Over(); over || !l.c.plan.Finished() {
		t.Fatal("the run does not wait for copies")
	}
	if l.wait(replicationTimeout - tickInterval); !l.c.running() {
		t.Error("the run does not wait for long enough")
	}
	if l.wait(2 * tickInterval); l.c.running() {
		t.Error("the run waits for copies for ever")
	}
}

// copyOf returns the report of a worker that has copied a window.
func copyOf(w puzzle.Window) protocol.Done {
	d := rows(&protocol.TaskWindow{Window: w})
	d.Reused, d.Nanos = true, 0
	return d
}

// TestLateRows: a copy of a window whose rows are dropped already, or another worker's result of it, does not count as
// computed again. The rows are dropped as the others were.
func TestLateRows(t *testing.T) {
	committed, dropped := 0, 0
	l := lead(t, plantest.Grid(2), Options{
		Retention: plan.RetainSummary, Fleet: FleetOptions{Replication: 2}, Events: Events{
			Committed: func(Committed) { committed++ },
			Dropped:   func(e Dropped) { dropped += len(e.Windows) },
		},
	}, "h", "n")
	tw := l.take("h").Windows[0]
	l.report("h", protocol.Report{Done: []protocol.Done{rows(&tw)}})
	i := slices.IndexFunc(l.tasks, func(task protocol.Task) bool { return task.Windows[0].Copy != nil && task.To == "n" })
	if i < 0 {
		t.Fatal("n is asked for no copy")
	}
	l.tasks = slices.Delete(l.tasks, i, i+1)
	for l.compute("h", 1); l.c.plan.CommittedCount < 4; l.compute("h", 1) {
		l.tasks = slices.DeleteFunc(l.tasks, func(task protocol.Task) bool { return task.Windows[0].Copy != nil })
	}
	if l.wait(tickInterval); committed != 4 || dropped != 4 || len(l.holders(first)) > 0 {
		t.Fatalf("%d windows are committed, %d dropped", committed, dropped)
	}
	for i, d := range []protocol.Done{copyOf(inFirst), rows(&tw)} {
		l.report("n", protocol.Report{Done: []protocol.Done{d}})
		if l.wait(tickInterval); committed != 4 || dropped != 5+i || len(l.holders(first)) > 0 {
			t.Errorf("late, computed %t: %d windows are committed, %d dropped", !d.Reused, committed, dropped)
		}
	}
}

// TestUnreadWindows: of a cell that nothing reads any more, all windows are told, once its last reader is complete.
func TestUnreadWindows(t *testing.T) {
	told := make(map[puzzle.WindowID]int)
	var o Options
	o.Fleet.Broadcast = func(d protocol.Drop) error {
		for _, id := range d.Windows {
			told[id]++
		}
		return nil
	}
	l := lead(t, plantest.Wide{Depth: 2, Windows: 3}, o, "h")
	for l.c.running() {
		if n := len(told); n > 0 {
			t.Fatalf("%d windows are told before the run is over", n)
		}
		l.compute("h", 1)
	}
	cell := l.c.plan.Index[puzzle.Cell{Key: "a"}]
	for part := range cell.Parts {
		if told[cell.WindowID(part)] != 1 {
			t.Errorf("told: %v", told)
		}
	}
	if len(told) != len(cell.Parts) {
		t.Errorf("told: %v", told)
	}
}

// TestWakeWorkers: to wake workers is to tell them to drop nothing.
func TestWakeWorkers(t *testing.T) {
	var told []protocol.Drop
	var o Options
	o.Fleet.Broadcast = func(d protocol.Drop) error { told = append(told, d); return nil }
	l := lead(t, plantest.Grid(2), o, "h")
	l.c.WakeWorkers()
	if len(told) != 1 || told[0].Run != paperRun || told[0].Epoch != 5 || len(told[0].Windows) > 0 || told[0].Unread {
		t.Errorf("told %+v", told)
	}
	lead(t, plantest.Grid(2), Options{}, "h").c.WakeWorkers() // without a broadcast they hear with their next heartbeat
}

// TestDropsAreNotTold: a run that cannot tell its workers to drop rows ends with the error.
func TestDropsAreNotTold(t *testing.T) {
	o := Options{Retention: plan.RetainSummary}
	o.Fleet.Broadcast = func(d protocol.Drop) error {
		if d.Unread {
			return nil
		}
		return errBroken
	}
	l := lead(t, plantest.Grid(2), o, "h")
	if l.compute("h", 9); !errors.Is(l.c.Err(), errBroken) {
		t.Errorf("it ends with %v", l.c.Err())
	}
}

// TestArchive: windows without a worker wait for the list of the archive. It counts as the holder of those that it has,
// as far as they are right and of use; the others are computed again.
func TestArchive(t *testing.T) {
	no := errors.New("no route to host")
	for _, c := range []struct {
		name   string
		change func(l *led, a *protocol.Archived)
		err    error
		held   bool
		given  string
	}{
		{"has it", nil, nil, true, ""},
		{"has another version", func(_ *led, a *protocol.Archived) { a.Digest[0]++ }, nil, false, "0/a0/0>"},
		{"has another window", func(_ *led, a *protocol.Archived) { a.Window.Key = "zz" }, nil, false, "0/a0/0>"},
		{"has one that is not committed", func(_ *led, a *protocol.Archived) { a.Window.Layer = 1 }, nil, false, "0/a0/0>"},
		{"to be computed anew", func(l *led, _ *protocol.Archived) { l.window(first).Fresh = true }, nil, false, "0/a0/0>"},
		{"lost once", func(l *led, _ *protocol.Archived) { l.window(first).Losses = 1 }, nil, true, ""},
		{"lost too often", func(l *led, _ *protocol.Archived) { l.window(first).Losses = 2 }, nil, false,
			"0/a0/0>"},
		{"without rows", func(l *led, a *protocol.Archived) { l.window(first).Rows, a.Window.Key = 0, "zz" }, nil, true, ""},
		{"cannot be listed", func(_ *led, a *protocol.Archived) { a.Window.Key = "zz" }, no, false, "0/a0/0>"},
		{"without rows, cannot be listed", func(l *led, a *protocol.Archived) {
			l.window(first).Rows, a.Window.Key = 0, "zz"
		}, no, false, "0/a0/0>"},
	} {
		a := protocol.Archived{Window: first}
		listings := 0
		var told []ArchiveListed
		l := lead(t, plantest.Grid(2), Options{
			Events: Events{ArchiveListed: func(e ArchiveListed) { told = append(told, e) }},
			Fleet: FleetOptions{Archive: func(_ context.Context, found func([]protocol.Archived)) error {
				listings++
				found([]protocol.Archived{a})
				return c.err
			}},
		}, "h", "n", "m", "o")
		l.compute("h", 1)
		l.tasks = nil
		if c.change != nil {
			c.change(l, &a)
		}
		l.c.stopOn(l.c.letGo(t.Context(), "h", WorkerLost{}))
		if got := l.given(); got != "" || l.c.plan.AwaitedCount != 1 || !l.c.archive.listing {
			t.Errorf("%s: given out before the list is read: %q", c.name, got)
		}
		l.wait(time.Second)
		if got := l.given(); got != "" {
			t.Errorf("%s: given out while the list is read: %q", c.name, got)
		}
		l.list()
		if held := slices.Contains(l.holders(first), protocol.ArchiveName); held != c.held || listings != 1 {
			t.Errorf("%s: it holds the window: %t, after %d listings", c.name, held, listings)
		}
		found := 0
		if c.held {
			found = 1
		}
		if len(told) != 1 || told[0] != (ArchiveListed{Windows: found, Err: c.err}) {
			t.Errorf("%s: told %+v", c.name, told)
		}
		l.wait(tickInterval)
		if got := l.given(); got != c.given {
			t.Errorf("%s: given out %q, want %q", c.name, got, c.given)
		}
		// It may have what a window reads that is computed again.
		if again := l.c.archive.listing; again != (c.given != "" && c.err == nil) {
			t.Errorf("%s: it is listed again: %t", c.name, again)
		}
		l.list()
		if l.wait(archiveRetry - 2*time.Second); l.c.archive.listing {
			t.Errorf("%s: it is listed again too early", c.name)
		}
		l.wait(4 * time.Second)
		if again := l.c.archive.listing; again != (c.err != nil) {
			t.Errorf("%s: it is listed again after a while: %t", c.name, again)
		}
		l.list()
	}
}

// TestArchived: the archive counts as a holder of a window that is needed and has few others. The window's task is
// settled, unless it is an audit.
func TestArchived(t *testing.T) {
	for _, c := range []struct {
		name      string
		change    func(l *led)
		held, out bool
	}{
		{"lost", func(l *led) { l.loses(first) }, true, false},
		{"lost, and its audit is out", func(l *led) {
			l.loses(first)
			l.window(first).Audit = true
		}, true, true},
		{"held by many", func(l *led) { l.holdMore(maxReplicas - 2) }, true, false},
		{"held by too many", func(l *led) { l.holdMore(maxReplicas - 1) }, false, false},
		{"needed by nothing", func(l *led) { l.c.o.Retention = plan.RetainSummary; l.compute("h", 1) }, false, false},
	} {
		l := lead(t, plantest.Grid(2), Options{}, "h", "o") // with two, a lost window is given out at once
		l.compute("h", 1)
		c.change(l)
		if err := l.c.archived([]protocol.Archived{{Window: first}}); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		held := slices.Contains(l.holders(first), protocol.ArchiveName)
		if out := l.c.account.Has(first); held != c.held || out != c.out {
			t.Errorf("%s: it holds the window: %t; it is given out: %t", c.name, held, out)
		}
	}
}

// list carries out the listings of the archive that have begun.
func (l *led) list() {
	for l.c.archive.listing {
		(<-l.c.calls)()
	}
}

// TestArchiveAway: an archive that cannot be read counts as a worker that has gone, and is listed again later. Windows
// that it alone held are computed again.
func TestArchiveAway(t *testing.T) {
	var lost []ArchiveLost
	l := lead(t, plantest.Grid(2), Options{
		Events: Events{ArchiveLost: func(e ArchiveLost) { lost = append(lost, e) }},
		Check:  func(context.Context, protocol.LocatedWindow) error { return protocol.ErrUnreachable },
	}, "h", "x", "y", "z")
	l.compute("h", 1)
	tw := l.take("x").Windows[0]
	l.tasks = nil
	l.hold(first, protocol.ArchiveName)
	l.c.stopOn(l.c.letGo(t.Context(), "h", WorkerLost{}))
	f := unread(&tw, inFirst, protocol.ArchiveName)
	f.Unreachable = true
	l.report("x", protocol.Report{Failures: []protocol.Failure{f}})
	(<-l.c.calls)()
	if len(lost) != 1 || lost[0] != (ArchiveLost{Windows: 1, Again: 1}) || l.given() != "0/a0/0>" {
		t.Errorf("told %+v, given out %q", lost, l.given())
	}
	if l.c.archive.retry != l.now.Add(archiveRetry) {
		t.Errorf("it is listed again at %v", l.c.archive.retry)
	}
	if got := l.c.archiveAway([]string{"a", "b"}); !slices.Equal(got, []string{"a", "b"}) || len(lost) != 1 {
		t.Errorf("workers that are away: %v, told %v", got, lost)
	}
}

// TestListedAgain: windows that have lost their worker while the archive is listed have it listed once more.
func TestListedAgain(t *testing.T) {
	listings := 0
	l := lead(t, plantest.Grid(2), Options{Fleet: FleetOptions{
		Archive: func(context.Context, func([]protocol.Archived)) error { listings++; return nil },
	}}, "h")
	for range 3 {
		l.c.listArchive()
	}
	if l.list(); listings != 2 {
		t.Errorf("%d listings, want one that was under way and one more", listings)
	}
}

// TestEvictedHolder: the archive of a complete run is listed again for readers when a worker has gone with rows, and
// not when it had none.
func TestEvictedHolder(t *testing.T) {
	for _, holds := range []bool{true, false} {
		listings := 0
		l := lead(t, plantest.Grid(2), Options{Fleet: FleetOptions{
			Linger: true, Archive: func(context.Context, func([]protocol.Archived)) error { listings++; return nil },
		}}, "h", "x")
		l.compute("h", 9)
		if holds {
			l.c.members.Get("x").Hear(l.now.Add(time.Hour))
		} else {
			l.c.members.Get("h").Hear(l.now.Add(time.Hour))
		}
		l.c.evictMembers(l.now.Add(time.Minute))
		if l.list(); (listings == 1) != holds || l.c.members.Len() != 1 {
			t.Errorf("a worker with rows has gone: %t; %d listings, %d workers", holds, listings, l.c.members.Len())
		}
	}
}
