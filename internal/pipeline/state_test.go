package pipeline

import (
	"errors"
	"testing"

	"pagoda/internal/kv"
	"pagoda/internal/puzzle"
)

// TestTransitions fires every event in every state: what the table does not have changes nothing and is an error.
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
			case ok && (err != nil || c.windows[0].state != to):
				t.Errorf("%v, %s: %v, %v", s, eventNames[e], c.windows[0].state, err)
			case !ok && (!errors.As(err, &illegal) || illegal.State != s || c.windows[0].state != s):
				t.Errorf("%v, %s: %v, %v", s, eventNames[e], c.windows[0].state, err)
			}
			if ok {
				legal++
			}
			compute, awaited, quarantined := 0, 0, 0
			switch c.windows[0].state {
			case WindowQueued, WindowAssigned:
				compute = 1
			case WindowQuarantined:
				compute, quarantined = 1, 1
			case WindowAwaited:
				awaited = 1
			}
			if c.pending != compute || p.nPending != compute || p.nAwaited != awaited || p.nQuarantined != quarantined {
				t.Errorf("%v, %s: %d, %d windows to compute, %d awaited, %d in quarantine",
					s, eventNames[e], c.pending, p.nPending, p.nAwaited, p.nQuarantined)
			}
		}
	}
	if legal != 19 {
		t.Errorf("%d transitions are legal", legal)
	}
}

// onePlan returns a plan of one window.
func onePlan(t *testing.T) (*Plan, *cell) {
	t.Helper()
	id := puzzle.Cell{Key: "a"}
	p, err := NewPlan(&Paper{layers: [][]puzzle.CellPlan{{{Cell: id, Addresses: 10, Cuts: []uint64{0}}}}})
	if err != nil {
		t.Fatal(err)
	}
	return p, p.cells[id]
}

// force puts the only window into a state.
func force(p *Plan, c *cell, s State) {
	p.count(c, c.windows[0].state, -1)
	c.windows[0].state = s
	p.count(c, s, 1)
	if s == WindowQueued {
		p.list(c, 0)
	}
}

// TestIllegalRequests asks for what cannot happen to a window of which nothing is known.
func TestIllegalRequests(t *testing.T) {
	p, c := onePlan(t)
	id := c.id(0)
	var illegal *TransitionError
	if err := p.await(id); !errors.As(err, &illegal) {
		t.Errorf("await: %v", err)
	}
	if err := p.requestAudit(c, 0); !errors.As(err, &illegal) {
		t.Errorf("audit: %v", err)
	}
	if err := p.hold(id, "w"); !errors.As(err, &illegal) {
		t.Errorf("hold: %v", err)
	}
	if err := p.fire(c, 0, evQuarantine); !errors.As(err, &illegal) || illegal.Error() != "window "+id.String()+
		" is planned: it cannot quarantine" {
		t.Errorf("quarantine: %v", err)
	}
	// Once it is committed it can be awaited, audited and held.
	if _, err := p.account(&kv.Record{Window: c.Window(0)}); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{"await": p.await(id), "audit": p.requestAudit(c, 0), "hold": p.hold(id, "w")} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
