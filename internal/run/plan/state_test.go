package plan

import (
	"errors"
	"slices"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
	"pagoda/internal/run/plan/plantest"
)

// TestTransitions fires every event in every state: an event that the table does not have changes nothing and is an
// error.
func TestTransitions(t *testing.T) {
	legal := 0
	for s := range numStates {
		for e := range numEvents {
			p, c := onePlan(t)
			force(p, c, s)
			err := p.fire(c, 0, e)
			to, ok := transitions[s][e]
			var illegal *TransitionError
			switch {
			case ok && (err != nil || c.Parts[0].State != to):
				t.Errorf("%v, %s: %v, %v", s, eventNames[e], c.Parts[0].State, err)
			case !ok && (!errors.As(err, &illegal) || illegal.State != s || c.Parts[0].State != s):
				t.Errorf("%v, %s: %v, %v", s, eventNames[e], c.Parts[0].State, err)
			}
			if ok {
				legal++
			}
			compute, awaited, quarantined := 0, 0, 0
			switch c.Parts[0].State {
			case WindowQueued, WindowAssigned:
				compute = 1
			case WindowQuarantined:
				compute, quarantined = 1, 1
			case WindowAwaited:
				awaited = 1
			case WindowAuditAwaited:
				compute, awaited = 1, 1
			}
			if c.Pending != compute || p.PendingCount != compute || p.AwaitedCount != awaited ||
				p.QuarantinedCount != quarantined {
				t.Errorf("%v, %s: %d, %d windows to compute, %d awaited, %d in quarantine",
					s, eventNames[e], c.Pending, p.PendingCount, p.AwaitedCount, p.QuarantinedCount)
			}
		}
	}
	if legal != 23 {
		t.Errorf("%d transitions are legal", legal)
	}
}

// onePlan returns a plan of one window.
func onePlan(t *testing.T) (*Plan, *Cell) {
	t.Helper()
	id := puzzle.Cell{Key: "a"}
	p, err := New(&plantest.Paper{Layers: [][]puzzle.CellPlan{{{Cell: id, Addresses: 10, Cuts: []uint64{0}}}}})
	if err != nil {
		t.Fatal(err)
	}
	return p, p.Index[id]
}

// force puts the only window into a state.
func force(p *Plan, c *Cell, s State) {
	p.count(c, c.Parts[0].State, -1)
	c.Parts[0].State = s
	p.count(c, s, 1)
	if s == WindowQueued {
		p.list(c, 0)
	}
}

// TestIllegalRequests makes requests that are illegal for a window of which nothing is known.
func TestIllegalRequests(t *testing.T) {
	p, c := onePlan(t)
	id := c.WindowID(0)
	var illegal *TransitionError
	if err := p.Await(id); !errors.As(err, &illegal) {
		t.Errorf("await: %v", err)
	}
	if err := p.RequestAudit(c, 0); !errors.As(err, &illegal) {
		t.Errorf("audit: %v", err)
	}
	if err := p.AddReplica(id, "w"); !errors.As(err, &illegal) {
		t.Errorf("hold: %v", err)
	}
	if err := p.fire(c, 0, evQuarantine); !errors.As(err, &illegal) || illegal.Error() != "window "+id.String()+
		" is planned: it cannot quarantine" {
		t.Errorf("quarantine: %v", err)
	}
	// Once it is committed it can be awaited, audited and held.
	if _, err := p.Account(&kv.Record{Window: c.Window(0)}); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"await": p.Await(id), "audit": p.RequestAudit(c, 0), "hold": p.AddReplica(id, "w"),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestAwaitedAuditWantsParents: a window that is to be audited needs the rows of its parents, also while the holders of
// its own are not known.
func TestAwaitedAuditWantsParents(t *testing.T) {
	parent, child := puzzle.Cell{Key: "a"}, puzzle.Cell{Layer: 1, Key: "b"}
	p, err := New(&plantest.Paper{Layers: [][]puzzle.CellPlan{
		{{Cell: parent, Addresses: 10, Cuts: []uint64{0}}},
		{{Cell: child, Addresses: 10, Cuts: []uint64{0}, Parents: []puzzle.Cell{parent}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*Cell{p.Index[parent], p.Index[child]} {
		if _, err := p.Account(&kv.Record{Window: c.Window(0)}); err != nil {
			t.Fatal(err)
		}
	}
	// The parent's rows were dropped; those of the child have a holder on record.
	c := p.Index[child]
	if err := p.Await(c.WindowID(0)); err != nil {
		t.Fatal(err)
	}
	if err := p.RequestAudit(c, 0); err != nil {
		t.Fatal(err)
	}
	if again := p.WantAll(RetainLast); again != 1 {
		t.Errorf("%d windows are computed again, want the parent", again)
	}
	next := func() (ids []puzzle.WindowID) {
		ws, _ := p.Next(p.AllPartitions(), 1e9, 10)
		for _, w := range ws {
			ids = append(ids, w.ID())
		}
		return ids
	}
	if got := next(); !slices.Equal(got, []puzzle.WindowID{p.Index[parent].WindowID(0)}) {
		t.Fatalf("ready at first: %v", got)
	}
	for _, id := range []puzzle.WindowID{p.Index[parent].WindowID(0), c.WindowID(0)} {
		if err := p.AddReplica(id, "w"); err != nil {
			t.Fatal(err)
		}
	}
	if got := next(); !slices.Equal(got, []puzzle.WindowID{c.WindowID(0)}) {
		t.Fatalf("ready then: %v", got)
	}
}

// TestAgainCount: only a committed window that is to be computed for its lost rows counts. An audited window has its
// rows, and no worker computes a quarantined one.
func TestAgainCount(t *testing.T) {
	for s := range numStates {
		for _, committed := range []bool{false, true} {
			for _, audit := range []bool{false, true} {
				p, c := onePlan(t)
				force(p, c, s)
				w := &c.Parts[0]
				w.Committed, w.Audit = committed, audit
				if committed {
					c.Done = 1
				}
				want := 0
				if committed && !audit && (s == WindowQueued || s == WindowAssigned) {
					want = 1
				}
				if got := p.AgainCount(); got != want {
					t.Errorf("%v, committed %v, audit %v: %d windows again, want %d", s, committed, audit, got, want)
				}
			}
		}
	}
	// Lost and wanted, by the plan's own ways.
	p, c := onePlan(t)
	if _, err := p.Account(&kv.Record{Window: c.Window(0)}); err != nil {
		t.Fatal(err)
	}
	if n, got := p.WantAll(RetainAll), p.AgainCount(); n != 1 || got != 1 {
		t.Errorf("%d windows wanted, %d again; want the one whose rows nobody has", n, got)
	}
	if err := p.AddReplica(c.WindowID(0), "w"); err != nil {
		t.Fatal(err)
	}
	if err := p.RequestAudit(c, 0); err != nil {
		t.Fatal(err)
	}
	if got := p.AgainCount(); c.Pending != 1 || got != 0 {
		t.Errorf("%d windows pending, %d again; want an audit, which is none", c.Pending, got)
	}
}

// TestConfirm: an audited window is not due any more, whether its rows have a holder or not.
func TestConfirm(t *testing.T) {
	for _, held := range []bool{true, false} {
		p, c := onePlan(t)
		if _, err := p.Account(&kv.Record{Window: c.Window(0)}); err != nil {
			t.Fatal(err)
		}
		want := WindowAbsent
		if held {
			want = WindowHeld
			if err := p.AddReplica(c.WindowID(0), "w"); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.RequestAudit(c, 0); err != nil || !c.Parts[0].Audit {
			t.Fatalf("audit requested: %t, %v", c.Parts[0].Audit, err)
		}
		if err := p.Confirm(c, 0); err != nil {
			t.Fatal(err)
		}
		if w := &c.Parts[0]; w.Audit || w.State != want {
			t.Errorf("held %t: due for an audit %t, %v", held, w.Audit, w.State)
		}
	}
}
