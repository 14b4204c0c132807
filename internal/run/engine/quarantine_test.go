package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/engine"
	"pagoda/internal/run/engine/enginetest"
	"pagoda/internal/run/protocol"
	"pagoda/internal/run/rundir"
)

// TestLateResultEndsQuarantine: a worker falls silent with a window, which fails on another worker, and on the
// coordinator, until it is quarantined. When the first comes back and reports it as computed, it is as if the window
// had never failed.
func TestLateResultEndsQuarantine(t *testing.T) { synctest.Test(t, testLateResultEndsQuarantine) }

func testLateResultEndsQuarantine(t *testing.T) {
	p := &enginetest.Pascal{Depth: 3, Slots: 101, Window: 40}
	victim := puzzle.Window{Cell: puzzle.Cell{Layer: 0, Key: "k0"}, Addresses: 40}
	done := recordOf(t, p, victim.ID())

	y, c := ledCluster(t, failsAt(p, victim.ID()))
	y.p = p // of workers
	slow := y.puppet(c, "slow")
	slow.take()
	if _, ok := slow.has[victim.ID()]; !ok {
		t.Fatalf("the only worker was not given window %s", victim)
	}
	bad := y.puppet(c, "bad")
	begun := time.Now()
	for range 5 {
		time.Sleep(y.opts.Fleet.WorkerTimeout / 4)
		bad.beat(false)
	}
	if s := c.Status(t.Context()); len(s.Workers) != 1 || s.WorkersLost != 1 {
		t.Fatalf("after %v of silence: %+v", time.Since(begun), s)
	}
	for i := range uint64(3) {
		bad.take()
		if _, ok := bad.has[victim.ID()]; !ok {
			t.Fatalf("attempt %d: window %s went to nobody", i+1, victim)
		}
		bad.fail(1+i, victim, protocol.FailError)
	}
	synctest.Wait()
	if s := c.Status(t.Context()); len(s.Quarantined) != 1 {
		t.Fatalf("it is not in quarantine: %+v", s)
	}
	slow.join()
	slow.report(1, []protocol.Done{{Record: done, Nanos: 1}})
	if s := c.Status(t.Context()); len(s.Quarantined) != 0 {
		t.Errorf("it is still in quarantine: %+v", s.Quarantined)
	}
	for _, x := range []*puppet{slow, bad} {
		x.beat(true)
		x.hand.Kill()
	}
	y.worker("a", 1)
	if err := y.end(); err != nil {
		t.Fatal(err)
	}
	y.check()
}

// recordOf returns the record of a window of p's run, computed in one process.
func recordOf(t *testing.T, p puzzle.Puzzle, id puzzle.WindowID) (rec kv.Record) {
	t.Helper()
	dir := t.TempDir()
	run(t, p, dir, faultless(), engine.Options{})
	f, err := rundir.Open(dir, readOnly(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer closeFolder(t, f)
	e, ok, err := f.Ledger.Entry(id)
	if err != nil || !ok {
		t.Fatalf("window %s: %t, %v", id, ok, err)
	}
	return e.Record
}
